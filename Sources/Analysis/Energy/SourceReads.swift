/// The reads of single sources, picked out of the sampler's ticks.
struct SourceReads {
    private(set) var reads: [Int: [(tick: Int, read: CounterRead)]] = [:]

    /// - Parameter wanted: indices of the sources to keep.
    ///
    /// A read whose clock does not follow the one before is left out: from such a trace no rate can be
    /// formed.
    init(samples: [SampleLine], wanted: Set<Int>) {
        for index in wanted { reads[index] = [] }
        for (tick, sample) in samples.enumerated() {
            var before = sample.time
            var end = sample.time
            for (position, index) in sample.sources.enumerated() {
                let width = sample.deltas[position]
                // Fields of one file share a read: those after the first have no width of their own.
                if width > 0 || position == 0 {
                    before = end
                    end = end + Nanoseconds(Int64(width))
                }
                guard reads[index] != nil else { continue }
                let read = CounterRead(before: before, after: end, value: sample.values[position])
                if let last = reads[index]?.last?.read, before < last.after || end <= last.after { continue }
                reads[index]?.append((tick, read))
            }
        }
    }
}
