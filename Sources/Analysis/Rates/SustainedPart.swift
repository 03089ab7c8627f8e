/// The sustained part of a run on its own clock: seconds since t = 0.
struct SustainedPart: Sendable {
    let start: Instant
    /// By submit, with the one that the deadline cut.
    let generations: [Generation]
    let steps: DecodeSteps
    /// End of the last step.
    let end: Double
    /// Positions in `generations` of the whole cycles.
    let whole: [Int]

    /// - Returns: why there is nothing to compute, when there is nothing.
    static func of(_ timeline: Timeline) -> Result<SustainedPart, Unavailable> {
        guard let start = timeline.sustainedStart else {
            return .failure(Unavailable("the run ended before its sustained part"))
        }
        let generations = timeline.generations(of: .sustained)
        let steps = DecodeSteps(generations, start: start)
        guard let end = steps.end else {
            return .failure(Unavailable("no decode step in the sustained part"))
        }
        return .success(
            SustainedPart(
                start: start, generations: generations, steps: steps, end: end,
                whole: generations.indices.filter { generations[$0].isWhole }))
    }

    func seconds(_ moment: Instant) -> Double { (moment - start).seconds.value }

    func submit(_ index: Int) -> Double { seconds(generations[index].submit) }

    /// End of a whole cycle, its gap included.
    func cycleEnd(_ index: Int) -> Double {
        seconds(generations[index].cycleEnd ?? generations[index].submit)
    }

    /// Whole cycles that lie inside a stretch, from submit to last step.
    func wholeCycles(from begin: Double, to end: Double) -> [Int] {
        whole.filter { index in
            guard let entries = steps.entries[index] else { return false }
            return submit(index) >= begin && steps.end(entries: entries) <= end
        }
    }
}
