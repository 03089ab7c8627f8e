import Testing

@testable import Analysis

@Suite struct TokensPerPercentTests {
    private static let span = Span(begin: moment(0), end: moment(3600))

    /// Ten tokens a second for an hour; the stamps of one generation.
    private static let tokens = TokenCount([generation(rate: 10, seconds: 3600)])

    private static func generation(rate: Double, seconds: Double) -> Generation {
        var generation = Generation(cycle: 0, part: .sustained, submit: moment(0))
        generation.stamps = (1...Int(rate * seconds)).map { moment(Double($0) / rate).nanoseconds }
        return generation
    }

    /// A level read each second that falls by `step` percent every `period` seconds, from `first` on.
    private static func level(
        from start: Double, step: Double = 1, period: Double, first: Double
    ) -> [(time: Instant, value: Double)] {
        (0...3600).map { second in
            let falls = Double(second) < first ? 0 : ((Double(second) - first) / period).rounded(.down) + 1
            return (moment(Double(second)), start - falls * step)
        }
    }

    private static let steady = (0...3600).map { (time: moment(Double($0)), value: 1.0) }
    private static let display = (0...3600).map { (time: moment(Double($0)), value: 120.0) }

    private func figure(
        _ level: [(time: Instant, value: Double)], discharging: [(time: Instant, value: Double)] = steady,
        brightness: [[(time: Instant, value: Double)]] = [display]
    ) -> Figure {
        TokensPerPercent(
            level: level, discharging: discharging, brightness: brightness, tokens: Self.tokens
        ).figure(in: Self.span)
    }

    /// A percent in 200 s at ten tokens a second are 2,000 tokens, wherever in its percent the run began.
    @Test(arguments: [1.0, 50.0, 199.0])
    func evenDischarge(first: Double) throws {
        let figure = figure(Self.level(from: 80, period: 200, first: first))
        guard case .value(let value, .bounds(let low, let high), let method) = figure else {
            Issue.record("\(figure)")
            return
        }
        #expect(abs(value - 2000) < 1e-6)
        // n falls: Sxx = n (n^2 - 1) / 12 steps, and the residuals are none.
        let falls = ((3600 - first) / 200).rounded(.down) + 1
        let half = 2000 * 1.96 / (falls * (falls * falls - 1)).squareRoot()
        #expect(abs(high - value - half) < 1e-6)
        #expect(abs(value - low - half) < 1e-6)
        #expect(method.hasPrefix("least squares over \(Int(falls)) falls"))
    }

    /// A battery that shows every fifth percent: the same slope, and it is known five times less well.
    @Test func coarseSteps() throws {
        let fine = figure(Self.level(from: 80, step: 1, period: 100, first: 10))
        let coarse = figure(Self.level(from: 80, step: 5, period: 500, first: 10))
        #expect(abs(try #require(coarse.number) - 1000) < 1e-6)
        #expect(width(coarse) > 5 * width(fine))
    }

    private func width(_ figure: Figure) -> Double {
        guard case .value(_, .bounds(let low, let high), _) = figure else { return .nan }
        return high - low
    }

    @Test func uneventful() {
        let twice = figure(Self.level(from: 80, period: 1800, first: 500))
        #expect(twice.reason == "the battery's level fell 2 times, under 3")
        #expect(figure([]).reason?.contains("0 times") == true)
        let charged = Self.level(from: 80, period: 200, first: 10).map {
            (time: $0.time, value: 160 - $0.value)
        }
        #expect(figure(charged).reason == "the battery's level rose")
    }

    @Test func conditions() {
        let level = Self.level(from: 80, period: 200, first: 50)
        var mains = Self.steady
        mains[1800].value = 0
        #expect(figure(level, discharging: mains).reason?.contains("not discharging throughout") == true)
        #expect(figure(level, discharging: []).reason?.hasPrefix("not known") == true)
        #expect(figure(level, brightness: []).reason?.hasPrefix("unknown") == true)
        #expect(figure(level, brightness: [Self.display, []]).reason?.hasPrefix("unknown") == true)
        var dimmed = Self.display
        dimmed[2000].value = 60
        #expect(figure(level, brightness: [dimmed]).reason?.hasSuffix("between 60 and 120") == true)
        // What happens outside the work does not count.
        dimmed = Self.display + [(moment(3700), 0)]
        #expect(figure(level, brightness: [dimmed]).number != nil)
    }

    @Test func tokensWithoutStamps() {
        var generation = Generation(cycle: 0, part: .sustained, submit: moment(10))
        generation.decode = Span(begin: moment(11), end: moment(20))
        generation.counts = Generation.Counts(prompt: 8, generated: 100, stop: "length")
        let count = TokenCount([generation])
        #expect(count.count(at: moment(5)) == 0)
        #expect(count.count(at: moment(15)) == 50)
        #expect(count.count(at: moment(60)) == 100)
        #expect(TokenCount([]).count(at: moment(1)) == 0)
    }

    /// Through the trace: the level of the one battery, in the sustained part.
    @Test func ofARun() throws {
        let run = SyntheticRun()
        var trace = try Trace.parse(try run.bytes, name: "test")
        #expect(Analyze.record(from: trace).metrics.tokensPerBatteryPercent?.reason == "no battery")
        let first = (trace.sources.map(\.index).max() ?? 0) + 1
        let sources = [
            ("battery:BAT0/percent", "BAT0"), ("battery:BAT0/discharging", "BAT0"),
            ("backlight:panel", "panel"),
        ]
        for (offset, (id, device)) in sources.enumerated() {
            trace.sources.append(
                SourceLine(
                    index: first + offset, id: id, kind: .gauge, quantity: .state, scale: 1,
                    scope: SourceLine.Scope(domain: "battery", device: device), interface: "power_supply",
                    intervalNanoseconds: 1_000_000_000))
        }
        let span = try #require(Timeline(trace).spans(of: .sustained).last)
        for second in 0...Int(span.seconds) {
            trace.samples.append(
                SampleLine(
                    time: span.begin + Nanoseconds(Int64(second) * 1_000_000_000),
                    sources: [first, first + 1, first + 2], deltas: [1, 1, 1],
                    values: [80 - Int64(second / 60), 1, 120]))
        }
        let metrics = Analyze.record(from: trace).metrics
        let perMinute = try #require(metrics.cycle.tokensPerSecond.number) * 60
        let figure = try #require(metrics.tokensPerBatteryPercent)
        #expect(abs(try #require(figure.number) / perMinute - 1) < 0.02, "\(figure)")
        trace.sources.append(trace.sources[trace.sources.count - 3])
        trace.sources[trace.sources.count - 1].index = first + 3
        trace.sources[trace.sources.count - 1].id = "battery:BAT1/percent"
        trace.samples.append(SampleLine(time: span.begin, sources: [first + 3], deltas: [1], values: [50]))
        #expect(
            Analyze.record(from: trace).metrics.tokensPerBatteryPercent?.reason?.hasPrefix("2 batteries")
                == true)
    }
}
