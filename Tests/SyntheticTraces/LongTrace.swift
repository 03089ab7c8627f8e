import Analysis

/// A trace as large as a run makes it: many counters at 10 Hz, context at 1 Hz, a stamp a token.
public struct LongTrace: Sendable {
    public var seconds = 600
    /// Counters of energy: packages with their parts, 10 reads a second.
    public var domains = 12
    public var tokens = 2_000_000
    public var generated = 256

    public init() {}

    private static let start: UInt64 = 1_000_000_000_000
    private static let tick: UInt64 = 100_000_000
    private static let context = ["cpu:busy", "cpu:steal", "process:cpu"]

    /// Hands the lines over a second at a time, as text.
    public func write(_ sink: ([UInt8]) throws -> Void) throws {
        var buffer: [UInt8] = []
        for line in head { try line.append(to: &buffer) }
        var cycle = 0
        let cycles = max(1, tokens / generated)
        let length = UInt64(seconds) * 1_000_000_000 / UInt64(cycles)
        for second in 0..<(seconds + 30) {
            for tick in 0..<10 { sample(second * 10 + tick).append(to: &buffer) }
            let end = Self.start + UInt64(second + 1) * 1_000_000_000
            while cycle < cycles {
                let begin = Self.start + 15_000_000_000 + UInt64(cycle) * length
                guard begin < end else { break }
                for line in generation(cycle, begin, length) { try line.append(to: &buffer) }
                cycle += 1
            }
            let edges =
                second == 14
                ? edges(second + 1, .idleBefore, .sustained)
                : second == seconds + 14 ? edges(second + 1, .sustained, .idleAfter) : []
            for line in edges { try line.append(to: &buffer) }
            try sink(buffer)
            buffer.removeAll(keepingCapacity: true)
        }
        for line in tail { try line.append(to: &buffer) }
        try sink(buffer)
    }

    private func moment(_ second: Int) -> Instant {
        Instant(nanoseconds: Self.start + UInt64(second) * 1_000_000_000)
    }

    private func edges(_ second: Int, _ ended: Part, _ begun: Part) -> [TraceLine] {
        [
            .mark(MarkLine(.end, part: ended, time: moment(second))),
            .mark(MarkLine(.begin, part: begun, time: moment(second))),
        ]
    }

    private var head: [TraceLine] {
        let workload = Workload(
            name: "sustained-v1", promptTokens: 128, generatedTokens: generated,
            contextTokens: 128 + generated, seconds: Seconds(Double(seconds)), cycles: nil,
            sampling: "greedy", seed: 0)
        let header = TraceHeader(
            id: "20261130T005600Z-long-0a1b2c", wallClock: "2026-11-30T00:56:00Z", start: moment(0),
            sleptNanoseconds: 0,
            tool: ToolBuild(version: "0", commit: "0", buildType: "release", compiler: "0"),
            options: .object([:]), workload: workload)
        var lines: [TraceLine] = [.header(header)]
        for index in 0..<domains {
            let package = index / 2
            let isPackage = index.isMultiple(of: 2)
            var source = SourceLine(
                index: index, id: "rapl:package-\(package)" + (isPackage ? "" : "/dram"), kind: .counter,
                quantity: .energy, scale: 1e-6,
                scope: .init(domain: isPackage ? "package" : "dram", device: "package-\(package)"),
                interface: "powercap:intel-rapl", intervalNanoseconds: Int64(Self.tick))
            source.range = 262_143_328_850
            lines.append(.source(source))
        }
        for (offset, id) in Self.context.enumerated() {
            lines.append(
                .source(
                    SourceLine(
                        index: domains + offset, id: id, kind: .counter, quantity: .time, scale: 0.01,
                        scope: .init(domain: "system", device: "system"), interface: "procfs",
                        intervalNanoseconds: 1_000_000_000)))
        }
        return lines + [.mark(MarkLine(.begin, part: .idleBefore, time: moment(0)))]
    }

    /// Every domain at a power of its own, higher while there is work.
    private func sample(_ tick: Int) -> SampleLine {
        let time = Self.start + UInt64(tick) * Self.tick + UInt64(tick % 7) * 1_000
        var sources = Array(0..<domains)
        let busy = max(0, min(tick - 150, seconds * 10))
        var values: [Int64?] = sources.map { index in
            Int64(tick) * Int64(100_000 * (10 + index)) + Int64(busy) * Int64(100_000 * (40 + 3 * index))
                + Int64((tick * (index + 3)) % 11) * 61
        }
        if tick.isMultiple(of: 10) {
            sources += (0..<Self.context.count).map { domains + $0 }
            values += [Int64(tick / 10 + 20 * busy), Int64(0), Int64(20 * busy)]
        }
        return SampleLine(
            time: Instant(nanoseconds: time), sources: sources,
            deltas: sources.map { 9_000 + UInt32($0) * 13 }, values: values)
    }

    /// A seventh of the cycle is prefill; steps take longer the deeper they are, and by chance.
    private func generation(_ cycle: Int, _ begin: UInt64, _ length: UInt64) -> [TraceLine] {
        let first = begin + length / 7
        let step = (length - length / 7) * 9 / 10 / UInt64(generated)
        var deltas: [UInt64] = []
        var last = first
        for position in 1..<generated {
            let delta = step + UInt64(position * 8) + UInt64((position &* 7919 &+ cycle &* 104_729) % 1_024)
            deltas.append(delta)
            last += delta
        }
        func mark(_ name: MarkLine.Name, _ time: UInt64) -> TraceLine {
            .mark(MarkLine(name, part: .sustained, time: Instant(nanoseconds: time), cycle: cycle))
        }
        return [
            mark(.submit, begin), mark(.firstToken, first),
            .tokens(
                TokensLine(
                    cycle: cycle, stream: 0, first: 0, start: Instant(nanoseconds: first), deltas: deltas)),
            mark(.lastToken, last),
            .done(
                DoneLine(
                    part: .sustained, cycle: cycle, promptTokens: 128, generatedTokens: generated,
                    stop: "length", tokenHash: nil)),
        ]
    }

    private var tail: [TraceLine] {
        [
            .mark(MarkLine(.end, part: .idleAfter, time: moment(seconds + 30))),
            .outcome(OutcomeLine(.completed)),
            .end(EndLine(time: moment(seconds + 30), sleptNanoseconds: 0)),
        ]
    }
}
