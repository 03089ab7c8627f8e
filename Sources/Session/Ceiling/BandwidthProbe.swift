import Analysis
import CHost
import Engines
import Glibc

/// Reads memory with all usable processors for about a second, in threads of its own.
final class BandwidthProbe {
    static let kernel = "sum of 64-bit words, 8 sums side by side"
    private static let length = Nanoseconds(1_000_000_000)

    private let plan: BandwidthPlan
    private var probe: OpaquePointer?

    init(_ plan: BandwidthPlan) throws(Failure) {
        self.plan = plan
        let numbers = plan.processors.map(Int32.init(clamping:))
        let code = numbers.withUnsafeBufferPointer { numbers in
            var request = chost_bandwidth_request(
                processors: numbers.baseAddress, threads: numbers.count, bytes: plan.bytes,
                duration_ns: UInt64(Self.length.value))
            return chost_bandwidth_start(&request, &probe)
        }
        if code < 0 { throw Failure.of(code: code, "memory bandwidth", "the probe cannot be started") }
    }

    deinit { _ = finish() }

    /// Whether all repetitions are over.
    var hasEnded: Bool { probe.map { chost_bandwidth_ended($0) != 0 } ?? true }

    /// Ends it, gives its memory back and tells what it saw.
    func finish() -> BandwidthLine {
        var line = BandwidthLine(
            bytesPerSecond: .unavailable("the probe was ended"), kernel: Self.kernel,
            threads: plan.processors.count, bufferBytes: plan.bytes, repetitions: 0)
        guard let probe else { return line }
        self.probe = nil
        var result = chost_bandwidth_result()
        let code = chost_bandwidth_finish(probe, &result)
        if code < 0 {
            line.bytesPerSecond = .unavailable("the probe's memory: \(String(cString: strerror(-code)))")
            return line
        }
        line.bufferBytes = result.bytes
        line.repetitions = Int(clamping: result.repetitions)
        line.bytesPerSecond =
            result.best_ns > 0
            ? .known(Double(result.bytes) / Double(result.best_ns) * 1e9)
            : .unavailable("the clock did not move")
        return line
    }
}

extension RunDriver {
    /// What memory gives, for the ceiling of decode. After the last window: it draws power and makes heat.
    func probeBandwidth() throws(Stop) {
        // A deepening run has no rate to hold against it.
        guard let model, options.request.named != .untilFailure else { return }
        begin("memory bandwidth", length: nil)
        switch bandwidthPlan(model) {
        case .failure(let why):
            try write(
                .bandwidth(
                    BandwidthLine(
                        bytesPerSecond: .unavailable(why), kernel: BandwidthProbe.kernel, threads: 0,
                        bufferBytes: 0, repetitions: 0)))
        case .success(let plan):
            do {
                let probe = try BandwidthProbe(plan)
                try pump { probe.hasEnded }
                try write(.bandwidth(probe.finish()))
            } catch let stop as Stop {
                throw stop
            } catch let failure as Failure {
                try warn("\(failure.thing): \(failure.cause)")
            } catch {
                try warn("memory bandwidth: \(error)")
            }
        }
    }

    private func bandwidthPlan(_ model: ModelFile) -> Result<BandwidthPlan, Unavailable> {
        if answers.hello?.location == .remote { return .failure(Unavailable("engine runs elsewhere")) }
        if usesDevices { return .failure(Unavailable("the engine computes on a device of its own memory")) }
        if model.decodeReads == nil {
            return .failure(Unavailable("what a token reads of the model is not known"))
        }
        if String(cString: chost_build_type()) != "release" {
            return .failure(Unavailable("a debug build of sustain does not keep up with memory"))
        }
        return BandwidthPlan.make(facts, on: conditions.processors)
    }
}
