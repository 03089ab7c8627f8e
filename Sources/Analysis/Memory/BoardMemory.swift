/// Memory in use on the engine's boards, as sampled.
struct BoardMemory {
    /// By index of the source.
    private var scales: [Int: Double] = [:]

    var isEmpty: Bool { scales.isEmpty }

    init(_ trace: Trace) {
        let boards = Set(trace.engine?.devices ?? [])
        for source in trace.sources where source.id.hasSuffix("/memory-used") {
            if let pci = source.pci, !boards.isEmpty, !boards.contains(pci) { continue }
            scales[source.index] = source.scale
        }
    }

    /// The sum over the boards of the first reading of each; nil where one has none.
    func sum(_ samples: some Sequence<SampleLine>) -> Double? {
        var found: [Int: Double] = [:]
        for sample in samples where found.count < scales.count {
            for (index, value) in zip(sample.sources, sample.values) {
                guard let value, let scale = scales[index], found[index] == nil else { continue }
                found[index] = Double(value) * scale
            }
        }
        return scales.isEmpty || found.count < scales.count ? nil : found.values.reduce(0, +)
    }

    /// At a moment: each board's last reading before it that is at most so old as boards are read.
    func sum(at time: Instant, _ samples: [SampleLine]) -> UInt64? {
        let recent = samples.reversed().lazy.drop { $0.time > time }
            .prefix { (time - $0.time).value <= Self.longestAge }
        return sum(recent).flatMap { $0 >= 0 && $0 < 0x1p63 ? UInt64($0.rounded()) : nil }
    }

    /// Nanoseconds: they are read once a second.
    private static let longestAge = 2_000_000_000
}
