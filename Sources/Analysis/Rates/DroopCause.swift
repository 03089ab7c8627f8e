/// What the trace shows about the time of a droop: whether the machine throttled or something else took its
/// share.
public struct DroopCause: Sendable, Hashable, Codable {
    public enum Kind: String, Sendable, Hashable, Codable {
        /// Other programs or guests used more of the machine after the onset than before: not throttling.
        case contention
        /// Throttle counts rose, clocks fell or the driver named a reason.
        case throttling
        case both = "contention and throttling"
        /// Neither was seen.
        case unknown
    }

    public var kind: Kind
    /// One clause each, with the values before and after the onset.
    public var evidence: [String]

    public init(kind: Kind, evidence: [String]) {
        self.kind = kind
        self.evidence = evidence
    }
}

/// Looks for what changed between two stretches of a run.
struct DroopWitness {
    private enum Rule {
        /// Cores more than before that count as another's load.
        static let cores = 0.1
        /// A clock that fell by less is said to be the same.
        static let clock = 0.95
        /// Kelvin that are worth a mention.
        static let warmer = 2.0
        /// Clock limits of NVML that slow a board down: software power cap, hardware slowdown, thermal
        /// slowdown by software and by hardware, power brake (nvml.h, nvmlClocksThrottleReason*).
        static let reasons: Int64 = 0xEC
    }

    let contention: ContentionLog
    let trace: Trace
    let temperatures: [ContextSeries]

    func cause(before: Span, after: Span) -> DroopCause {
        let neighbours = neighbours(before, after)
        let throttling = counts(before, after) + clocks(before, after) + reasons(before, after)
        let kind: DroopCause.Kind =
            switch (neighbours.isEmpty, throttling.isEmpty) {
            case (true, true): .unknown
            case (false, true): .contention
            case (true, false): .throttling
            case (false, false): .both
            }
        return DroopCause(kind: kind, evidence: neighbours + throttling + warmth(before, after))
    }

    /// Who had more of the machine in the later stretch than in the earlier one.
    func neighbours(_ before: Span, _ after: Span) -> [String] {
        guard let first = contention.contention(in: before).value,
            let second = contention.contention(in: after).value
        else { return [] }
        var result: [String] = []
        func compare(_ name: String, _ part: KeyPath<Contention, Double?>) {
            guard let one = first[keyPath: part], let other = second[keyPath: part],
                other - one >= Rule.cores
            else { return }
            result.append("\(name) \(other.inTenths) cores, \(one.inTenths) before")
        }
        compare("other programs used", \.otherCores)
        compare("the hypervisor took", \.stealCores)
        if let one = first.foreignGPUProcesses, let other = second.foreignGPUProcesses, other > one {
            result.append("\(other) other processes on a GPU, \(one) before")
        }
        return result
    }

    private func counts(_ before: Span, _ after: Span) -> [String] {
        ContextSeries.of(.count, in: trace).compactMap { series in
            guard series.source.id.hasPrefix("throttle:"), let later = series.rise(in: after), later >= 1
            else {
                return nil
            }
            let earlier = series.rise(in: before) ?? 0
            guard later / after.seconds > earlier / max(before.seconds, 1) else { return nil }
            return "\(series.source.id) counted \(Int(later.rounded())), \(Int(earlier.rounded())) before"
        }
    }

    private func clocks(_ before: Span, _ after: Span) -> [String] {
        ContextSeries.of(.frequency, in: trace).compactMap { series in
            guard let one = series.mean(in: before), let other = series.mean(in: after),
                other < Rule.clock * one
            else { return nil }
            return "\(series.source.id) at \((other / 1e6).inTenths) MHz, \((one / 1e6).inTenths) before"
        }
    }

    private func reasons(_ before: Span, _ after: Span) -> [String] {
        ContextSeries.of(.state, in: trace).compactMap { series in
            guard series.source.id.hasSuffix("/throttle-reasons") else { return nil }
            let (one, other) = (share(of: series, in: before), share(of: series, in: after))
            guard let other, other > (one ?? 0) else { return nil }
            return
                "\(series.source.id) names a reason in \((other * 100).inTenths) % of the reads, "
                + (one.map { "\(($0 * 100).inTenths) % before" } ?? "none was read before")
        }
    }

    private func share(of series: ContextSeries, in span: Span) -> Double? {
        let reads = series.readings(in: span)
        guard !reads.isEmpty else { return nil }
        let named = reads.count { Int64(exactly: $0.value).map { $0 & Rule.reasons != 0 } ?? false }
        return Double(named) / Double(reads.count)
    }

    private func warmth(_ before: Span, _ after: Span) -> [String] {
        temperatures.compactMap { series in
            guard let one = series.mean(in: before), let other = series.mean(in: after),
                other >= one + Rule.warmer
            else { return nil }
            return "\(series.source.id) at \(other.inTenths) degrees, \(one.inTenths) before"
        }
    }
}
