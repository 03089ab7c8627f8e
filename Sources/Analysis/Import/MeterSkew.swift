/// How far a meter's clock is ahead of ours, found where power steps between idle and work.
public struct MeterSkew: Sendable, Hashable {
    /// Seconds; positive where the meter's clock is ahead.
    public var seconds: Double
    /// Half width: the meter's own spacing.
    public var half: Double
    /// Share of the variance of power that work and idle, so shifted, explain.
    public var explained: Double

    /// Clocks that are further apart are not found.
    static let furthest = 60.0
    /// With less the step is not visible.
    private static let visible = 0.5
    private static let covered = 0.8

    /// The shift that makes two levels of power, one for idle and one for work, explain most of the log's
    /// variance (a split by known groups: the between-groups share of the sum of squares).
    ///
    /// - Parameters:
    ///   - log: in `furthest` seconds and more about the spans.
    ///   - wallAtStart: the wall clock at `start`, nanoseconds since 1970.
    public static func find(
        _ log: MeterLog, wallAtStart: Int64, start: Instant, idle: [Span], work: [Span]
    ) -> Result<MeterSkew, Unavailable> {
        guard !idle.isEmpty, !work.isEmpty else {
            return .failure(Unavailable("the run has no idle window beside its work"))
        }
        let course = LoggedPower(log, origin: wallAtStart)
        func seconds(_ spans: [Span]) -> [(Double, Double)] {
            spans.map { (($0.begin - start).seconds.value, ($0.end - start).seconds.value) }
        }
        let split = Split(course: course, idle: seconds(idle), work: seconds(work))
        let spacing = log.spacing
        let step = max(0.05, spacing / 2)
        var best = (shift: 0.0, explained: split.explained(at: 0))
        func look(from low: Double, to high: Double, by step: Double) {
            for index in 0...Int((high - low) / step) {
                let shift = low + Double(index) * step
                let explained = split.explained(at: shift)
                if explained > best.explained + 1e-9 { best = (shift, explained) }
            }
        }
        look(from: -furthest, to: furthest, by: step)
        let coarse = best.shift
        look(from: coarse - step, to: coarse + step, by: step / 10)
        guard best.explained >= visible, abs(best.shift) < furthest else {
            return .failure(Unavailable("no step of power between idle and work is visible in it"))
        }
        return .success(MeterSkew(seconds: best.shift, half: spacing, explained: best.explained))
    }

    /// Mean powers of two groups of spans.
    private struct Split {
        let course: LoggedPower
        let idle: [(Double, Double)]
        let work: [(Double, Double)]

        func explained(at shift: Double) -> Double {
            let rest = sums(idle, shift)
            let busy = sums(work, shift)
            let asked = (idle + work).reduce(0) { $0 + $1.1 - $1.0 }
            let time = rest.seconds + busy.seconds
            guard rest.seconds > 0, busy.seconds > 0, time >= MeterSkew.covered * asked else { return 0 }
            let levels = (idle: rest.joules / rest.seconds, work: busy.joules / busy.seconds)
            guard levels.work > levels.idle else { return 0 }
            let mean = (rest.joules + busy.joules) / time
            let all = rest.squares + busy.squares - mean * mean * time
            let between =
                rest.seconds * (levels.idle - mean) * (levels.idle - mean)
                + busy.seconds * (levels.work - mean) * (levels.work - mean)
            return all > 0 ? between / all : 0
        }

        private func sums(
            _ spans: [(Double, Double)], _ shift: Double
        ) -> (seconds: Double, joules: Double, squares: Double) {
            var result = (seconds: 0.0, joules: 0.0, squares: 0.0)
            for span in spans {
                let part = course.sums(from: span.0 + shift, to: span.1 + shift)
                result.seconds += part.seconds
                result.joules += part.joules
                result.squares += part.squares
            }
            return result
        }
    }
}

/// The power of a log as a step function with its integrals.
private struct LoggedPower {
    /// Edges of the steps, seconds since the origin, and the integrals of power and its square up to them.
    private var edges: [Double] = []
    private var joules: [Double] = [0]
    private var squares: [Double] = [0]

    /// A power holds from halfway to the reading before it until halfway to the one after; counted energy
    /// gives the mean power between two readings.
    init(_ log: MeterLog, origin: Int64) {
        let times = log.readings.map { Double($0.time - origin) / 1e9 }
        let values = log.readings.map { Double($0.micro) / 1e6 }
        guard let first = times.first, let last = times.last else { return }
        var powers = values
        switch log.unit {
        case .watts:
            edges = [first] + zip(times, times.dropFirst()).map { ($0 + $1) / 2 } + [last]
        case .joules:
            edges = times
            powers = zip(values, values.dropFirst()).enumerated().map { index, pair in
                // A counter that starts anew tells nothing of the time before.
                max(0, pair.1 - pair.0) / (times[index + 1] - times[index])
            }
        }
        for (index, power) in powers.enumerated() {
            let seconds = edges[index + 1] - edges[index]
            joules.append(joules[index] + power * seconds)
            squares.append(squares[index] + power * power * seconds)
        }
    }

    /// Over the part of a stretch that the log covers.
    func sums(from begin: Double, to end: Double) -> (seconds: Double, joules: Double, squares: Double) {
        guard let first = edges.first, let last = edges.last else { return (0, 0, 0) }
        let from = max(begin, first)
        let to = min(end, last)
        guard to > from else { return (0, 0, 0) }
        return (
            to - from, value(joules, at: to) - value(joules, at: from),
            value(squares, at: to) - value(squares, at: from)
        )
    }

    private func value(_ integral: [Double], at time: Double) -> Double {
        let next = edges.partitioningIndex { $0 > time }
        guard next > 0 else { return 0 }
        guard next < edges.count else { return integral[integral.count - 1] }
        let share = (time - edges[next - 1]) / (edges[next] - edges[next - 1])
        return integral[next - 1] + (integral[next] - integral[next - 1]) * share
    }
}
