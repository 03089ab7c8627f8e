import Testing

@testable import Analysis

/// A book fed tick by tick, with housekeeping every second, as a meter does it.
struct Desk {
    var counters: [SimulatedCounter]
    var lines: [SourceLine]
    var book: EnergyBook
    /// Reads at marks, beside the ticks.
    private var marks: [Double] = []
    private var now = 0.0
    private var nextTidy = 1.0
    private(set) var mostTicks = 0
    var fail: (source: Int, stretch: ClosedRange<Double>)?

    init(_ counters: [SimulatedCounter], limits: EnergyBook.Limits = EnergyBook.Limits()) {
        self.counters = counters
        lines = counters.enumerated().map { index, counter in
            var line = counter.line(index, id: "rapl:package-\(index)", device: "package-\(index)")
            line.updatePeriodNanoseconds = Int64(counter.period * 1e9)
            return line
        }
        book = EnergyBook(sources: lines, limits: limits)
    }

    /// Ticks up to a time; a read at the time itself when a mark asks for it.
    mutating func run(until end: Double, interval: Double = 0.1, mark: Bool = false) {
        while now + interval <= end {
            now += interval
            tick(now)
        }
        if mark, end > now { tick(end) }
    }

    /// The reading of a window that is in the books.
    mutating func reading(_ id: UInt64, at time: Double) throws -> EnergyReading {
        let found = book.reading(of: id, now: moment(time))
        return try #require(found)
    }

    private mutating func tick(_ time: Double) {
        var sample = SimulatedSampler().samples(counters, at: [time])[0]
        if let fail, fail.stretch.contains(time) { sample.values[fail.source] = nil }
        book.add(sample)
        if time >= nextTidy {
            nextTidy = time + 1
            book.tidy()
        }
        mostTicks = max(mostTicks, book.tickCount)
    }
}

func package(_ course: PowerCourse, range: Int64? = 262_143_328_850) -> SimulatedCounter {
    var counter = SimulatedCounter(course: course, period: 0.001)
    counter.range = range
    return counter
}

/// Power that changes every half second, never twice in the same way.
func restless(_ seconds: Int, seed: UInt64 = 5) -> PowerCourse {
    var random = EnergyRandom(seed: seed)
    var course = PowerCourse(60)
    for step in 1...(2 * seconds) { course.change(at: Double(step) / 2, to: random.uniform(40...90)) }
    return course
}

func bounds(_ figure: Figure) -> (low: Double, high: Double)? {
    if case .value(_, .bounds(let low, let high), _) = figure { (low, high) } else { nil }
}
