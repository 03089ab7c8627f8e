import Analysis
import Energy

/// What is made of an energy source that was asked for by its name (`--power NAME`) and is not there.
extension ProbeResult {
    /// Refuses to begin where a meter's program was asked for and tells nothing: a run that is there to be measured
    /// by it would be for nothing.
    ///
    /// - Parameter option: the value of `--power`.
    func refuseMissingMeter(option: String) throws(Failure) {
        guard let failure = meterFailure else { return }
        throw Failure(
            thing: "--power \(option)", cause: failure.cause, errno: failure.errno, remedy: failure.remedy,
            exit: failure.exit)
    }

    /// The warning where nothing can be read of what was named; nil for what is not named, or is there.
    func warningOfMissing(_ power: PowerSelection, option: String) -> String? {
        switch power {
        case .auto, .none, .csv, .exec: return nil
        case .rapl, .perf, .hwmon, .nvml, .battery: break
        }
        guard !hasEnergy else { return nil }
        let row = rows.first { $0.status != .ok && $0.remedy != nil } ?? rows.first { $0.status != .ok }
        let why = row.map { "\($0.id): \($0.reason ?? $0.status.rawValue)" } ?? "no such source was found"
        let remedy = row?.remedy.map { "; \($0)" } ?? ""
        return "--power \(option): nothing of it can be read here: \(why)\(remedy)"
    }
}
