/// Stretches without energy, so sorted that one that a window touches is found at once.
struct VoidStretches: Sendable {
    /// In order of their begins.
    let all: [CounterSeries.Void]
    /// By stretch: the latest end up to it.
    private let latestEnds: [Instant]

    init(_ voids: [CounterSeries.Void]) {
        all = voids.sorted { $0.span.begin < $1.span.begin }
        var latestEnds: [Instant] = []
        for void in all { latestEnds.append(max(latestEnds.last ?? void.span.end, void.span.end)) }
        self.latestEnds = latestEnds
    }

    /// The stretch that a window touches, if any.
    func first(touching span: Span) -> CounterSeries.Void? {
        // The first that ends late enough is also the one that begins first among those that do.
        let index = latestEnds.partitioningIndex { $0 >= span.begin }
        guard index < all.count, all[index].span.begin <= span.end else { return nil }
        return all[index]
    }
}

extension Result where Failure == Unavailable {
    /// The value where there is one.
    var value: Success? { if case .success(let value) = self { value } else { nil } }
}
