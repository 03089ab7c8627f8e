import Analysis
import Energy
import Engines
import WorkerProtocol

/// Memory while a model is resident: points, and the governor that ends the engine before the kernel does.
extension RunDriver {
    /// What takes less memory.
    static let memoryRemedy =
        "a smaller model, context (-c), cache type (-ctk, -ctv) or batch (-ub) takes less"

    /// Memory at a named point. Only outside timed windows: smaps_rollup holds the map lock of the engine.
    func memoryPoint(_ point: MemoryLine.Point) throws(Stop) {
        guard let hello = answers.hello else { return }
        var bytes = answers.memory[point.rawValue] ?? [:]
        var reason: String?
        if hello.location == .remote {
            reason = "engine runs elsewhere"
        } else if let pid = hello.pids.first {
            switch ProcessMemory.read(pid, procfs: options.procfs) {
            case .known(let values): bytes.merge(values) { _, own in own }
            case .unavailable(let why): reason = why.reason
            }
            if let values = ProcessMemory.rollup(pid, procfs: options.procfs).value {
                bytes.merge(values) { _, own in own }
            }
            bytes.merge(systemMemory.bytes) { _, own in own }
        }
        var line = MemoryLine(point: point, time: Clock.now, bytes: bytes, reason: reason)
        if !gpus.isEmpty, hello.location == .local { line.gpuFree = freeOnBoards }
        try write(.memory(line))
    }

    /// Asks the driver: only outside timed windows.
    private var freeOnBoards: Maybe<[String: UInt64]> {
        var free: [String: UInt64] = [:]
        for gpu in gpus {
            switch gpu.freeMemory() {
            case .known(let bytes): free[gpu.device] = bytes
            case .unavailable(let why): return .unavailable("\(gpu.id): \(why.reason)")
            }
        }
        return .known(free)
    }

    /// Freezes the budget. Where nothing tells what is available nothing is watched.
    func beginMemoryWatch() throws(Stop) {
        let system = systemMemory
        let procfs = options.procfs
        memoryWatch = MemoryWatch(now: Clock.now) { engine in
            system.available.map { available in
                // As in the fit: mapped pages are available to anyone.
                let held = engine.reduce(UInt64(0)) { sum, pid in
                    sum &+ (ProcessMemory.read(pid, procfs: procfs).value?["anonymous"] ?? 0)
                }
                return MemoryGovernor.Reading(available: available, footprint: held)
            }
        }
        if memoryWatch == nil {
            try warn(
                "memory: what is available cannot be read: nobody stops the engine before the kernel does")
        }
    }

    /// One look, where it is due.
    func watchMemory(now: Instant) throws(Stop) {
        let pids = answers.hello.map { $0.location == .local ? Array($0.pids.prefix(Self.mostCounted)) : [] }
        switch memoryWatch?.poll(now: now, engine: worker == nil ? [] : pids ?? []) {
        case nil: break
        case .warning(let text): try warn("memory: \(text)")
        case .stop(let text): throw try memoryStop(text)
        }
    }

    /// The poll that found least, as a point of its own.
    func keepTightestMemory() throws(Failure) {
        guard let lowest = memoryWatch?.lowest else { return }
        try trace.append(
            .memory(
                MemoryLine(
                    point: .tightest, time: lowest.time,
                    bytes: ["available": lowest.reading.available, "anonymous": lowest.reading.footprint])))
    }

    /// What runs out is what the engine goes on taking: the rungs of the ladder are short.
    private static let hurry = TeardownPatience(
        quit: Nanoseconds(250_000_000), terminate: Nanoseconds(250_000_000))

    /// Ends the engine in order; where it or the kernel was first, that is the news.
    private func memoryStop(_ shortage: String) throws(Stop) -> Stop {
        guard let worker else { return engineStop(.governor, cause: shortage) }
        let exit = worker.finish(Self.hurry)
        // An error that it reports at its end is not why it ended.
        do { while try receive() {} } catch {}
        try forget(worker)
        guard exit.step == .none || exit.kind == .oomKill else {
            return engineStop(
                .governor, cause: "stopped by the memory governor: \(shortage)",
                remedy: Self.memoryRemedy + "; so does ending other programs")
        }
        return engineStop(after: exit, detail: "; the memory governor saw that \(shortage)")
    }
}
