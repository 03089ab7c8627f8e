/// A value over time, for a chart: stretches of points with nothing known between them.
public struct Course: Sendable, Hashable {
    public struct Point: Sendable, Hashable {
        /// Seconds, on the clock that the holder of the course names.
        public var seconds: Double
        public var value: Double
        public init(_ seconds: Double, _ value: Double) {
            self.seconds = seconds
            self.value = value
        }
    }

    /// The source it was read from, or what was computed.
    public var id: String
    /// Each in order of time.
    public var stretches: [[Point]]

    public init(id: String, stretches: [[Point]]) {
        self.id = id
        self.stretches = stretches
    }

    /// - Parameters:
    ///   - points: in order of time; what is not finite ends a stretch.
    ///   - gap: two points further apart than this many times the usual distance are not joined.
    public init(id: String, _ points: [Point], gap: Double = 5) {
        self.id = id
        let distances = zip(points, points.dropFirst()).map { $1.seconds - $0.seconds }.sorted()
        let usual = distances.isEmpty ? 0 : distances[distances.count / 2]
        stretches = []
        var open: [Point] = []
        for point in points {
            let isFinite = point.seconds.isFinite && point.value.isFinite
            if !isFinite || (open.last.map { point.seconds - $0.seconds > gap * usual } ?? false) {
                if !open.isEmpty { stretches.append(open) }
                open = []
            }
            if isFinite { open.append(point) }
        }
        if !open.isEmpty { stretches.append(open) }
    }

    public var points: some Sequence<Point> { stretches.lazy.joined() }

    public var isEmpty: Bool { stretches.allSatisfy(\.isEmpty) }

    /// Least and greatest value; nil without points.
    public var range: ClosedRange<Double>? {
        var range: ClosedRange<Double>?
        for point in points {
            range =
                min(
                    range?.lowerBound ?? point.value, point.value)...max(
                    range?.upperBound ?? point.value, point.value)
        }
        return range
    }

    /// Fewer points with the same extremes: of each of `buckets` equal lengths of time the first, the least,
    /// the greatest and the last, each once, in their order.
    public func thinned(buckets: Int) -> Course {
        let count = stretches.reduce(0) { $0 + $1.count }
        guard buckets > 0, count > 4 * buckets, let begin = stretches.first?.first?.seconds,
            let end = stretches.last?.last?.seconds, end > begin
        else { return self }
        let length = (end - begin) / Double(buckets)
        return Course(
            id: id, stretches: stretches.map { Self.thinned($0) { Int(($0.seconds - begin) / length) } })
    }

    private static func thinned(_ points: [Point], bucket: (Point) -> Int) -> [Point] {
        var result: [Point] = []
        var first = 0
        while first < points.count {
            var end = first + 1
            var (least, greatest) = (first, first)
            let own = bucket(points[first])
            while end < points.count, bucket(points[end]) == own {
                if points[end].value < points[least].value { least = end }
                if points[end].value > points[greatest].value { greatest = end }
                end += 1
            }
            for index in Set([first, least, greatest, end - 1]).sorted() { result.append(points[index]) }
            first = end
        }
        return result
    }
}
