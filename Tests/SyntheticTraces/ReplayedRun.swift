import Analysis

/// The sustained part of a run that never took place: the true rate is known, and each cycle is faster or
/// slower than it by chance.
public struct ReplayedRun: Sendable {
    /// Seconds of the sustained part.
    public var seconds = 600.0
    /// Seconds of one cycle at full rate, of which `prefillShare` are prefill.
    public var cycle = 3.0
    public var prefillShare = 0.2
    public var decodeSteps = 16
    /// Standard deviation of a cycle's rate, as a share, and how much of it the next cycle inherits.
    public var noise = 0.05
    public var inheritance = 0.0
    /// True rate at a moment, seconds since t = 0, as a share of the full one.
    public var shape: @Sendable (Double) -> Double = { _ in 1 }
    public var seed: UInt64 = 0

    public init() {}

    private static let start = Instant(nanoseconds: 1_000_000_000_000)

    private static func moment(_ seconds: Double) -> Instant { start + Nanoseconds(Seconds(seconds)) }

    public var trace: Trace {
        var trace = Trace(
            header: TraceHeader(
                id: "20261130T005600Z-replay-0a1b2c", wallClock: "2026-11-30T00:56:00Z", start: Self.start,
                sleptNanoseconds: 0,
                tool: ToolBuild(version: "0", commit: "0", buildType: "release", compiler: "0"),
                options: .object([:]),
                workload: Workload(
                    name: "replay", promptTokens: 128, generatedTokens: decodeSteps + 1,
                    contextTokens: 128 + decodeSteps + 1, seconds: Seconds(seconds), cycles: nil,
                    sampling: "greedy", seed: seed)))
        var random = NormalNumbers(seed: seed)
        var deviation = 0.0
        var now = 0.0
        var number = 0
        trace.marks.append(MarkLine(.begin, part: .sustained, time: Self.start))
        trace.marks.append(MarkLine(.sustainedStart, part: .sustained, time: Self.start))
        while now < seconds {
            let fresh = (1 - inheritance * inheritance).squareRoot() * noise * random.next()
            deviation = number == 0 ? noise * random.next() : inheritance * deviation + fresh
            now = add(cycle: number, at: now, rate: max(0.05, 1 + deviation), to: &trace)
            number += 1
        }
        trace.marks.append(MarkLine(.end, part: .sustained, time: Self.moment(now)))
        trace.outcome = OutcomeLine(.completed)
        trace.end = EndLine(time: Self.moment(now), sleptNanoseconds: 0)
        return trace
    }

    /// - Returns: when it ended.
    private func add(cycle number: Int, at begin: Double, rate: Double, to trace: inout Trace) -> Double {
        func mark(_ name: MarkLine.Name, _ time: Double) {
            trace.marks.append(MarkLine(name, part: .sustained, time: Self.moment(time), cycle: number))
        }
        mark(.submit, begin)
        var now = begin + cycle * prefillShare / shape(begin)
        mark(.firstToken, now)
        let step = cycle * (1 - prefillShare) / Double(decodeSteps)
        var stamps = [Self.moment(now).nanoseconds]
        for _ in 0..<decodeSteps {
            now += step / (shape(now) * rate)
            stamps.append(Self.moment(now).nanoseconds)
        }
        mark(.lastToken, now)
        trace.tokens.append(
            TokensLine(
                cycle: number, stream: 0, first: 0, start: Instant(nanoseconds: stamps[0]),
                deltas: zip(stamps.dropFirst(), stamps).map { $0 - $1 }))
        trace.done.append(
            DoneLine(
                part: .sustained, cycle: number, promptTokens: 128, generatedTokens: decodeSteps + 1,
                stop: "length", tokenHash: nil))
        return now
    }
}

/// Nearly normally distributed numbers, the same for the same seed with every libm.
public struct NormalNumbers: Sendable {
    private var uniform: SeededGenerator

    public init(seed: UInt64) { uniform = SeededGenerator(seed: seed) }

    /// Sum of twelve uniform numbers less six: mean 0, standard deviation 1, tails to six.
    public mutating func next() -> Double {
        (0..<12).reduce(-6) { sum, _ in sum + uniform.unit() }
    }
}
