/// Joins marks, counts and token stamps by cycle number, which is unique over the run.
struct GenerationBuilder {
    /// Token counts above this are no counts; below it no sum over cycles overflows.
    private static let mostTokens = 1_000_000_000
    /// A stamp is taken a moment before or after the mark of the same token.
    private static let stampSlack = Nanoseconds(10_000_000)

    private struct Edges {
        var part: Part
        var submit: Instant?
        var firstToken: Instant?
        var lastToken: Instant?
    }

    private struct Stamps {
        var nanoseconds: [UInt64] = []
        var broken = false
    }

    private var order: [Int] = []
    private var edges: [Int: Edges] = [:]
    private var counts: [Int: Generation.Counts] = [:]
    private var stamps: [Int: Stamps] = [:]
    private(set) var problems = CycleProblems()

    /// - Parameter lastSeen: the latest moment the trace knows of.
    /// - Returns: by time of submit.
    static func build(
        _ trace: Trace, lastSeen: Instant
    ) -> (generations: [Generation], problems: CycleProblems) {
        var builder = GenerationBuilder()
        for mark in trace.marks { builder.add(mark) }
        for done in trace.done { builder.add(done) }
        for batch in trace.tokens { builder.add(batch) }
        let generations = builder.assemble(lastSeen: lastSeen)
        return (generations, builder.problems)
    }

    private mutating func add(_ mark: MarkLine) {
        let edge: WritableKeyPath<Edges, Instant?>
        switch mark.name {
        case .submit: edge = \.submit
        case .firstToken: edge = \.firstToken
        case .lastToken: edge = \.lastToken
        default: return
        }
        guard let cycle = mark.cycle else { return }
        if edges[cycle] == nil { order.append(cycle) }
        var found = edges[cycle] ?? Edges(part: mark.part)
        if found[keyPath: edge] == nil {
            found[keyPath: edge] = mark.time
            if mark.name == .submit { found.part = mark.part }
        } else {
            problems.add("a mark came twice, the first stands", cycle: cycle)
        }
        edges[cycle] = found
    }

    private mutating func add(_ done: DoneLine) {
        let plausible = 0...Self.mostTokens
        guard plausible.contains(done.promptTokens), plausible.contains(done.generatedTokens) else {
            return problems.add("token counts that cannot be", cycle: done.cycle)
        }
        guard counts[done.cycle] == nil else {
            return problems.add("counted twice, the first stands", cycle: done.cycle)
        }
        counts[done.cycle] = Generation.Counts(
            prompt: done.promptTokens, generated: done.generatedTokens, stop: done.stop)
    }

    /// Batches of a generation are consecutive: each begins at the index after the one before.
    private mutating func add(_ batch: TokensLine) {
        var found = stamps.removeValue(forKey: batch.cycle) ?? Stamps()
        defer { stamps[batch.cycle] = found }
        guard !found.broken else { return }
        guard batch.first == found.nanoseconds.count, batch.start.nanoseconds >= found.nanoseconds.last ?? 0
        else {
            found = Stamps(broken: true)
            return problems.add(
                "token stamps have a gap or run backwards, they are not used", cycle: batch.cycle)
        }
        var stamp = batch.start.nanoseconds
        found.nanoseconds.append(stamp)
        for delta in batch.deltas {
            let (sum, overflow) = stamp.addingReportingOverflow(delta)
            stamp = overflow ? .max : sum
            found.nanoseconds.append(stamp)
        }
    }

    private mutating func assemble(lastSeen: Instant) -> [Generation] {
        var generations: [Generation] = []
        generations.reserveCapacity(order.count)
        for cycle in order {
            guard let found = edges[cycle] else { continue }
            guard let submit = found.submit else {
                problems.add("no submit mark, the generation is not used", cycle: cycle)
                continue
            }
            generations.append(generation(cycle, found, submit: submit, lastSeen: lastSeen))
        }
        generations.sort { ($0.submit, $0.cycle) < ($1.submit, $1.cycle) }
        for index in generations.indices {
            guard let decode = generations[index].decode else { continue }
            let next = index + 1 < generations.count ? generations[index + 1] : nil
            let end = next?.part == generations[index].part ? next?.submit : nil
            generations[index].cycleEnd = max(end ?? decode.end, decode.end)
        }
        return generations
    }

    private mutating func generation(
        _ cycle: Int, _ edges: Edges, submit: Instant, lastSeen: Instant
    ) -> Generation {
        var result = Generation(cycle: cycle, part: edges.part, submit: submit)
        let marks = [submit, edges.firstToken, edges.lastToken].compactMap(\.self)
        if zip(marks, marks.dropFirst()).allSatisfy({ $0 <= $1 }) {
            result.prefill = edges.firstToken.map { Span(begin: submit, end: $0) }
            if let first = edges.firstToken, let last = edges.lastToken {
                result.decode = Span(begin: first, end: last)
            }
        } else {
            problems.add("marks are out of order, the generation is not used", cycle: cycle)
        }
        result.counts = counts[cycle]
        if let generated = result.counts?.generated, generated == 0 { result.decode = nil }
        result.stamps = usableStamps(of: result, lastToken: edges.lastToken ?? lastSeen)
        return result
    }

    private mutating func usableStamps(of generation: Generation, lastToken: Instant) -> [UInt64] {
        let found = stamps.removeValue(forKey: generation.cycle)?.nanoseconds ?? []
        guard let first = found.first, let last = found.last else { return [] }
        if let counts = generation.counts, counts.generated != found.count {
            problems.add(
                "token stamps and the worker's count differ, the stamps are not used", cycle: generation.cycle
            )
            return []
        }
        let begin = Instant(nanoseconds: first) + Self.stampSlack
        let end = lastToken + Self.stampSlack
        guard begin >= generation.submit, Instant(nanoseconds: last) <= end else {
            problems.add(
                "token stamps lie outside the generation, they are not used", cycle: generation.cycle)
            return []
        }
        return found
    }
}
