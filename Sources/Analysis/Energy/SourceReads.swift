/// The reads of single sources, picked out of the sampler's ticks.
struct SourceReads {
    private var slots: [Int: Int] = [:]
    private var reads: [[(tick: Int, read: CounterRead)]] = []

    /// - Parameter wanted: indices of the sources to keep.
    ///
    /// A read whose clock does not follow the one before is left out: from such a trace no rate can be
    /// formed.
    init(samples: [SampleLine], wanted: [Int]) {
        for index in wanted where slots[index] == nil {
            slots[index] = reads.count
            reads.append([])
        }
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
                guard let slot = slots[index] else { continue }
                if let last = reads[slot].last?.read, before < last.after || end <= last.after { continue }
                let read = CounterRead(before: before, after: end, value: sample.values[position])
                reads[slot].append((tick, read))
            }
        }
    }

    subscript(index: Int) -> [(tick: Int, read: CounterRead)] { slots[index].map { reads[$0] } ?? [] }
}
