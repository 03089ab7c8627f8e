import Analysis
import Energy

/// What is free on the boards of this machine, for what an engine would put there.
enum BoardReading {
    /// Asks the driver of boards that are known already.
    static func read(_ gpus: [GPUDevice]) -> Maybe<[GPUFit.Board]> {
        var boards: [GPUFit.Board] = []
        for gpu in gpus {
            switch gpu.freeMemory() {
            case .known(let bytes): boards.append(GPUFit.Board(id: gpu.id, freeBytes: bytes))
            case .unavailable(let why): return .unavailable("\(gpu.id): free memory: \(why.reason)")
            }
        }
        return .known(boards)
    }

    /// Looks for the boards first. A driver that hangs does not keep a signal from ending the program.
    static func probe(
        _ loop: EventLoop, sysfs: String, procfs: String, exit: ExitCode
    ) -> Maybe<[GPUFit.Board]> {
        do throws(Failure) {
            let found = try loop.probe(
                SystemRoots(sysfs: sysfs, procfs: procfs, nvml: SystemRoots.nvmlOfEnvironment), .nvml,
                context: false, exit: exit)
            if !found.gpus.isEmpty { return read(found.gpus) }
            let row = found.rows.first { $0.id.hasPrefix("nvml") && $0.status != .ok }
            return .unavailable("memory of GPUs: " + (row?.reason ?? "the driver shows no GPU"))
        } catch {
            return .unavailable("memory of GPUs: \(error.thing): \(error.cause)")
        }
    }
}
