import Testing

@testable import Analysis

@Suite struct EnergyAccountTests {
    private struct Setup {
        var run: SimulatedRun
        var trace: Trace
        var ledger: EnergyLedger

        func account(
            before: Bool = true, after: Bool = true, contention: String? = nil
        ) -> EnergyAccount {
            EnergyAccount(
                ledger: ledger, idleBefore: before ? run.idleBefore : nil,
                idleAfter: after ? run.idleAfter : nil,
                loadedIdle: PhaseSpans(spans: [run.loadedIdle]), contention: contention)
        }
    }

    private func setup(
        watts: (idle: Double, loaded: Double, prefill: Double, decode: Double) = (20, 30, 140, 90),
        count: Int = 20
    ) -> Setup {
        var random = EnergyRandom(seed: 31)
        let run = SimulatedRun(count: count, prefill: 0.5, decode: 2, watts: watts, random: &random)
        let counter = SimulatedCounter(course: run.course, period: 0.001)
        var line = counter.line(0)
        line.updatePeriodNanoseconds = 1_000_000
        let sampler = SimulatedSampler()
        let samples = sampler.samples([counter], at: sampler.times(until: run.end, marks: run.markTimes))
        let trace = EnergyTraces.trace([line], samples, run.marks)
        return Setup(run: run, trace: trace, ledger: EnergyLedger(trace: trace))
    }

    private func isClose(_ figure: Figure, _ value: Double, within share: Double) -> Bool {
        figure.number.map { abs($0 / value - 1) <= share } ?? false
    }

    private func bounds(_ figure: Figure) -> (low: Double, high: Double)? {
        if case .value(_, .bounds(let low, let high), _) = figure { (low, high) } else { nil }
    }

    @Test func grossNetAndNetLoaded() throws {
        let made = setup()
        let figures = made.account().energyFigures(for: made.run.decode)
        let seconds = made.run.decode.seconds
        let tokens = Double(try #require(made.run.decode.tokens))
        #expect(isClose(figures.gross.joules, 90 * seconds, within: 0.005))
        #expect(isClose(figures.gross.watts, 90, within: 0.005))
        #expect(isClose(figures.net.joules, 70 * seconds, within: 0.005))
        #expect(isClose(figures.netLoaded.watts, 60, within: 0.005))
        #expect(isClose(figures.net.joulesPerToken, 70 * seconds / tokens, within: 0.005))
        #expect(isClose(figures.net.tokensPerJoule, tokens / 70 / seconds, within: 0.005))
        #expect(figures.gross.bySource.keys.sorted() == ["rapl:package-0"])
        #expect(figures.gross.bySource["rapl:package-0"] == figures.gross.joules)
        #expect(figures.net.bySource.isEmpty)
        for (part, truth) in [(figures.gross, 90.0), (figures.net, 70.0), (figures.netLoaded, 60.0)] {
            for (figure, value) in [(part.joules, truth * seconds), (part.watts, truth)] {
                let interval = try #require(bounds(figure))
                #expect(interval.low <= value && value <= interval.high)
                #expect(interval.high - interval.low < 0.05 * value)
            }
        }
        guard case .value(_, _, let method) = figures.net.joules else {
            Issue.record("no value")
            return
        }
        #expect(method == "counter at edges, less idle before and after")
    }

    /// J/token = W / (tokens/s).
    @Test func theFiguresAgreeWithEachOther() throws {
        let made = setup()
        for phase in [made.run.prefill, made.run.decode, made.run.cycles] {
            let figures = made.account().energyFigures(for: phase)
            for part in [figures.gross, figures.net, figures.netLoaded] {
                let watts = try #require(part.watts.number)
                let perToken = try #require(part.joulesPerToken.number)
                let rate = Double(try #require(phase.tokens)) / phase.seconds
                #expect(abs(perToken * rate / watts - 1) < 1e-9)
                #expect(abs(perToken * (part.tokensPerJoule.number ?? 0) - 1) < 1e-9)
            }
        }
    }

    @Test func theWallClockChangesNothing() throws {
        let made = setup(count: 4)
        var jumped = made.trace
        jumped.header.wallClock = "2026-11-30T01:00:00Z"
        let one = made.account().energyFigures(for: made.run.decode)
        let two = EnergyAccount(
            ledger: EnergyLedger(trace: jumped), idleBefore: made.run.idleBefore,
            idleAfter: made.run.idleAfter,
            loadedIdle: PhaseSpans(spans: [made.run.loadedIdle])
        ).energyFigures(for: made.run.decode)
        #expect(one.gross == two.gross && one.net == two.net && one.netLoaded == two.netLoaded)
    }

    @Test func idleRules() throws {
        let made = setup()
        let both = try made.account().idle.get()
        #expect(abs(both.watts - 20) < 0.1)
        let before = try made.account(after: false).idle.get()
        #expect(before.method == "idle_before only")
        #expect(try made.account(before: false).idle.get().method == "idle_after only")
        #expect(before.half > both.half)
        let none = made.account(before: false, after: false).energyFigures(for: made.run.decode)
        #expect(none.net.joules.reason == "no idle window")
        #expect(none.gross.joules.number != nil)
        #expect(none.netLoaded.joules.number != nil)
        let short = EnergyAccount(
            ledger: made.ledger, idleBefore: span(1, 1.01), idleAfter: nil, loadedIdle: PhaseSpans(spans: []))
        #expect(short.idle.reason?.contains("20 update periods") == true)
        #expect(short.loadedIdle.reason == "no loaded_idle window")
    }

    @Test func theBaselineIsSystematic() throws {
        let made = setup()
        let account = made.account()
        let idle = try account.idle.get()
        for phase in [made.run.decode, made.run.cycles] {
            let net = try #require(bounds(account.energyFigures(for: phase).net.joules))
            #expect((net.high - net.low) / 2 >= idle.half * phase.seconds * 0.999)
        }
    }

    /// The machine idles at 20 W before and 26 W after: half the difference is in the interval.
    @Test func driftOfIdleIsInItsInterval() throws {
        var course = PowerCourse(20)
        course.change(at: 30, to: 90)
        course.change(at: 60, to: 26)
        let counter = SimulatedCounter(course: course, period: 0.001)
        let samples = SimulatedSampler().samples([counter], at: SimulatedSampler().times(until: 90))
        let ledger = EnergyLedger(sources: [counter.line(0)], samples: samples, marks: [])
        let account = EnergyAccount(
            ledger: ledger, idleBefore: span(5, 25), idleAfter: span(65, 85),
            loadedIdle: PhaseSpans(spans: []))
        let idle = try account.idle.get()
        #expect(abs(idle.watts - 23) < 0.1)
        #expect(idle.half >= 3 && idle.half < 4)
    }

    @Test func aBusyIdleWindowMarksTheNetAsUnreliable() throws {
        let made = setup(count: 4)
        let seen = "other processes used 102 % of a core"
        let lines = [ConditionsLine(moment: .before, checks: [Condition("other_load", .fail, seen: seen)])]
        let found = try #require(EnergyAccount.contention(in: lines))
        let figures = made.account(contention: found).energyFigures(for: made.run.decode)
        guard case .value(_, _, let net) = figures.net.joules,
            case .value(_, _, let gross) = figures.gross.joules
        else {
            Issue.record("no value")
            return
        }
        #expect(net.contains("unreliable: \(seen)"))
        #expect(!gross.contains("unreliable"))
        #expect(
            EnergyAccount.contention(in: [
                ConditionsLine(moment: .before, checks: [Condition("other_load", .pass, seen: seen)])
            ]) == nil)
    }

    @Test func netMayBeNegativeAndItsRatioIsRefusedNearZero() throws {
        let made = setup(watts: (20, 30, 20, 20))
        let net = made.account().energyFigures(for: made.run.decode).net
        #expect(net.joules.number != nil)
        #expect(net.tokensPerJoule.reason == "the net energy cannot be told from 0")
        let under = made.account().energyFigures(for: made.run.decode).netLoaded
        #expect((under.joules.number ?? 0) < 0)
        #expect((under.joulesPerToken.number ?? 0) < 0)
        #expect(Figure.ratio(under.joules, to: net.joules).reason != nil)
        let ratio = Figure.ratio(net.joules, to: under.joules)
        #expect(abs(ratio.number ?? 1) < 0.1)
        let one = Figure(6, .bounds(low: 5, high: 7), method: "a")
        let two = Figure(2, .bounds(low: 1, high: 4), method: "b")
        #expect(Figure.ratio(one, to: two) == Figure(3, .bounds(low: 1.25, high: 7), method: "a"))
    }

    /// The load has a window of its own and is in no figure of the cycles.
    @Test func theLoadIsNotInJoulesPerToken() throws {
        var course = PowerCourse(20.31)
        course.change(at: 10, to: 200.77)
        course.change(at: 14, to: 90.13)
        course.change(at: 34, to: 20.31)
        let counter = SimulatedCounter(course: course, period: 0.001)
        let marks = [
            MarkLine(.begin, part: .loadCold, time: moment(10)),
            MarkLine(.loadBegin, part: .loadCold, time: moment(10)),
            MarkLine(.loadEnd, part: .loadCold, time: moment(14)),
            MarkLine(.end, part: .loadCold, time: moment(14)),
            MarkLine(.begin, part: .sustained, time: moment(14)),
            MarkLine(.submit, part: .sustained, time: moment(14)),
            MarkLine(.firstToken, part: .sustained, time: moment(16)),
            MarkLine(.lastToken, part: .sustained, time: moment(34)),
            MarkLine(.end, part: .sustained, time: moment(34)),
        ]
        let times = SimulatedSampler().times(until: 50, marks: [10, 14, 16, 34])
        var line = counter.line(0)
        line.updatePeriodNanoseconds = 1_000_000
        let ledger = EnergyLedger(
            sources: [line], samples: SimulatedSampler().samples([counter], at: times), marks: marks)
        let account = EnergyAccount(
            ledger: ledger, idleBefore: span(1, 9), idleAfter: span(36, 49), loadedIdle: PhaseSpans(spans: [])
        )
        let decode = PhaseSpans(spans: [span(16, 34)], tokens: 255)
        let cycle = PhaseSpans(spans: [span(14, 34)], tokens: 256)
        let load = PhaseSpans(spans: [span(10, 14)])
        let figures = account.energyFigures(for: decode)
        #expect(isClose(figures.gross.joulesPerToken, 18 * 90.13 / 255, within: 0.005))
        #expect(
            isClose(
                account.energyFigures(for: load).gross
                    .joules, 4 * 200.77, within: 0.005))
        #expect(account.energyFigures(for: load).gross.joulesPerToken.reason == "no tokens in this phase")
        guard case .value(_, .unavailable(let why), _) = figures.gross.joulesPerToken else {
            Issue.record("an interval from one window")
            return
        }
        #expect(why.reason == "one observation")

        let first = account.firstUse(
            loadCold: load, firstToken: PhaseSpans(spans: [span(14, 16)]), cycle: cycle)
        #expect(isClose(first.joules, 4 * 200.77 + 22 * 90.13, within: 0.005))
        #expect(isClose(first.seconds, 26, within: 1e-9))
        let none = account.firstUse(loadCold: PhaseSpans(spans: []), firstToken: cycle, cycle: cycle)
        #expect(none.joules.reason == "no load_cold window")

        let closure = try account.closure(
            parts: [load, PhaseSpans(spans: [span(14, 16)]), decode], whole: span(10, 34)
        ).get()
        #expect(closure.holds)
        #expect(abs(closure.wholeJoules / (4 * 200.77 + 20 * 90.13) - 1) < 0.005)
        let open = try account.closure(parts: [load, decode], whole: span(10, 34)).get()
        #expect(!open.holds)
        #expect(abs(open.difference + 180.26 / (4 * 200.77 + 20 * 90.13)) < 0.005)
    }
}

@Suite struct EnergySpreadTests {
    @Test func knownAnswer() throws {
        // Residuals +-1 about a mean of 10 over 16 windows of one token: t(15) x s / 4.
        let values = (0..<16).map { 10 + ($0 % 2 == 0 ? 1.0 : -1.0) }
        let half = try WindowSpread(values: values).half(per: values.map { _ in 1 }).get()
        #expect(abs(half - 2.131450 * (16.0 / 15).squareRoot() / 4) < 1e-9)
    }

    @Test func longWindowsWeighMore() throws {
        // All windows at exactly 7 a unit: no spread at all.
        let lengths = (1...10).map(Double.init)
        #expect(try WindowSpread(values: lengths.map { 7 * $0 }).half(per: lengths).get() < 1e-9)
    }

    @Test func fewAndDependentWindowsGiveNone() {
        #expect(WindowSpread(values: [1]).half(per: [1]).reason == "one observation")
        #expect(
            WindowSpread(values: [1, 2, 3]).half(per: [1, 1, 1]).reason?.hasPrefix("insufficient") == true)
        #expect(WindowSpread(values: []).half(per: []).reason != nil)
        let drift = (0..<40).map { 100 + Double($0) }
        #expect(
            WindowSpread(values: drift).half(per: drift.map { _ in 1 }).reason?.hasPrefix("insufficient")
                == true)
    }

    /// 95 % of the intervals hold the truth, also when neighbours resemble each other.
    @Test(arguments: [0.0, 0.4])
    func coverage(correlation: Double) throws {
        var random = EnergyRandom(seed: 77)
        var held = 0
        var tried = 0
        for _ in 0..<400 {
            var state = 0.0
            let values = (0..<240).map { _ in
                let noise = (0..<12).reduce(-6.0) { sum, _ in sum + random.uniform(0...1) }
                state = correlation * state + noise
                return 100 + state
            }
            guard let half = WindowSpread(values: values).half(per: values.map { _ in 1 }).value else {
                continue
            }
            tried += 1
            if abs(values.reduce(0, +) / 240 - 100) <= half { held += 1 }
        }
        #expect(tried > 350)
        #expect(Double(held) / Double(tried) > 0.91)
        #expect(Double(held) / Double(tried) < 0.99)
    }
}
