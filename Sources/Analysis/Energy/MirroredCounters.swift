extension SourceJudge {
    /// So often both counters must have been seen to move.
    private static let sharedMovements = 20
    /// Of all pairs of reads this share must agree to the counters' resolution. The others are those between whose
    /// two reads the counter was renewed: many, where a read takes long against its period. The sums of two devices
    /// drift apart, so that hardly any agree with the middle one.
    private static let agreement = 0.65
    /// The energy must be so many times the resolution, or agreement is no wonder.
    private static let clearance = 1000.0

    /// Whether two counters show the same energy.
    ///
    /// Copies never come apart: at every pair of reads their sums differ by the same amount, to the last step.
    /// Two devices do, even at the same power limit, because their power moves by itself within it.
    public static func areMirrored(_ first: CounterSeries, _ second: CounterSeries) -> Bool {
        areMirrored(MirrorSteps(first), MirrorSteps(second))
    }

    static func areMirrored(_ first: MirrorSteps, _ second: MirrorSteps) -> Bool {
        let resolution = max(first.resolution, second.resolution)
        guard min(first.joules, second.joules) >= clearance * resolution else { return false }
        let all = differences(first, second)
        // One that is read less often moves less often.
        let movements = min(first.steps.count, second.steps.count)
        guard all.count >= sharedMovements, 2 * all.count >= movements else { return false }
        // On a busy machine much time may pass between two reads: the closest quarter of the pairs tells, and all
        // that are as close.
        let limit = all.map(\.apart).sorted()[all.count / 4]
        let closest = all.filter { $0.apart <= limit }
        let differences = closest.map(\.joules).sorted()
        let usual = differences[differences.count / 2]
        // Two steps: each sum is cut off to whole ones.
        let agreeing = differences.count { abs($0 - usual) <= 2.001 * resolution }
        return Double(agreeing) >= agreement * Double(differences.count)
    }

    /// The difference of the sums, joules, at the ticks at which one of them moved and the value of the other is
    /// known: it was read then, or showed the same before and after. And how long the reads took, seconds.
    private static func differences(
        _ first: MirrorSteps, _ second: MirrorSteps
    ) -> [(joules: Double, apart: Double)] {
        var result: [(joules: Double, apart: Double)] = []
        var (i, j) = (0, 0)
        while i < first.steps.count, j < second.steps.count {
            let (left, right) = (first.steps[i], second.steps[j])
            if max(left.tick, right.tick) <= min(left.lastTick, right.lastTick) {
                result.append((left.joules - right.joules, apart(left, right)))
            }
            if left.lastTick <= right.lastTick { i += 1 }
            if right.lastTick <= left.lastTick { j += 1 }
        }
        return result
    }

    /// From the begin of the first read to the end of the second; where one of them did not move then, its read is
    /// not kept and taken to be as long as the other's.
    private static func apart(_ left: MirrorSteps.Step, _ right: MirrorSteps.Step) -> Double {
        if left.tick == right.tick {
            return (max(left.read.end, right.read.end) - min(left.read.begin, right.read.begin)).seconds.value
        }
        return 2 * (left.tick > right.tick ? left : right).read.seconds
    }
}

/// The longest stretch of a counter without void intervals: its sums at the ticks that saw it move, joules.
struct MirrorSteps {
    struct Step {
        var tick: Int
        var lastTick: Int
        var joules: Double
        /// That saw it move.
        var read: Span
    }

    let steps: [Step]
    let resolution: Double

    init(_ series: CounterSeries) {
        let scale = series.traits.scale
        let stretches = series.movements.split { $0.afterVoid }
        let movements = stretches.max { $0.count < $1.count } ?? []
        steps = movements.map {
            Step(
                tick: $0.tick, lastTick: $0.lastTick, joules: Double($0.total) * scale,
                read: Span(begin: $0.shown, end: $0.latest))
        }
        resolution = series.resolution * scale
    }

    /// Energy of the stretch.
    var joules: Double {
        guard let first = steps.first, let last = steps.last else { return 0 }
        return last.joules - first.joules
    }
}
