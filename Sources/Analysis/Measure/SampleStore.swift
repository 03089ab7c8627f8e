/// Raw samples in little memory: 8 bytes a tick and 16 a read, so that a command of a day can be measured.
/// Three counters read ten times a second are 2 MB an hour.
public struct SampleStore: Sendable {
    private var times: [UInt64] = []
    /// End of each tick's reads in `reads` and `values`.
    private var ends: [Int] = []
    /// Index, errno and duration of each read, packed; the raw value, 0 where it failed.
    private var reads: [UInt64] = []
    private var values: [Int64] = []

    public init() {}

    public var count: Int { times.count }

    /// - Parameter sample: source indices and error numbers below 65,536, as a sampler's are.
    public mutating func append(_ sample: SampleLine) {
        times.append(sample.time.nanoseconds)
        for (position, source) in sample.sources.enumerated() {
            let value = sample.values[position]
            let failed = value == nil ? UInt64(UInt16(truncatingIfNeeded: sample.errors[position] ?? 0)) : 0
            let mark: UInt64 = value == nil ? 1 << 47 : 0
            reads.append(
                UInt64(UInt16(truncatingIfNeeded: source)) << 48 | mark | (failed & 0x7FFF) << 32
                    | UInt64(sample.deltas[position]))
            values.append(value ?? 0)
        }
        ends.append(reads.count)
    }

    /// The ticks from a moment on, oldest first.
    public func samples(since begin: Instant = Instant(nanoseconds: 0)) -> [SampleLine] {
        let first = times.partitioningIndex { $0 >= begin.nanoseconds }
        return (first..<times.count).map { tick in
            let range = (tick == 0 ? 0 : ends[tick - 1])..<ends[tick]
            var line = SampleLine(
                time: Instant(nanoseconds: times[tick]), sources: range.map { Int(reads[$0] >> 48) },
                deltas: range.map { UInt32(truncatingIfNeeded: reads[$0]) },
                values: range.map { reads[$0] & 1 << 47 == 0 ? values[$0] : nil })
            for (position, read) in range.enumerated() where line.values[position] == nil {
                line.errors[position] = Int32(reads[read] >> 32 & 0x7FFF)
            }
            return line
        }
    }
}
