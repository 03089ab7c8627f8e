import Testing

@testable import Analysis

@Suite struct MeasureTests {
    private func isNear(_ figure: Figure, _ truth: Double, within share: Double) -> Bool {
        figure.number.map { abs($0 / truth - 1) <= share } ?? false
    }

    private func holds(_ figure: Figure, _ truth: Double) -> Bool {
        intervalBounds(figure).map { $0.low <= truth && truth <= $0.high } ?? false
    }

    private func method(_ figure: Figure) -> String {
        if case .value(_, _, let method) = figure { method } else { "" }
    }

    @Test func grossAndNetOfOneRun() throws {
        let record = try #require(MeasureRecord(MeasuredMachine().facts().facts))
        #expect(record.schema == "sustain.measure/1")
        #expect(abs(record.seconds - 10) < 1e-9 && record.exitCode == 0)
        #expect(record.provisional)
        #expect(isNear(record.total.gross.joules, 850, within: 0.0005), "\(record.total.gross.joules)")
        #expect(isNear(record.total.gross.watts, 85, within: 0.0005))
        #expect(isNear(record.total.net.joules, 650, within: 0.001))
        #expect(isNear(record.total.net.watts, 65, within: 0.001))
        #expect(isNear(record.idle.watts, 20, within: 0.001))
        for (figure, truth) in [
            (record.total.gross.joules, 850.0), (record.total.gross.watts, 85),
            (record.total.net.joules, 650), (record.total.net.watts, 65),
        ] {
            #expect(holds(figure, truth))
        }
        #expect(record.total.scopes.includes == ["rapl:package-0"])
        #expect(record.sources.map(\.source.id) == ["rapl:package-0"])
        #expect(record.sources[0].joules == record.total.gross.joules)
        #expect(record.runs.map(\.joules) == [record.total.gross.joules])
        #expect(abs(record.userSeconds - 5) < 1e-9 && abs(record.systemSeconds - 2.5) < 1e-9)
        #expect(record.elapsedSeconds.number == record.seconds)
        #expect(record.warnings.isEmpty)
    }

    @Test func theIntervalOverRunsIsStudents() throws {
        let watts = [80.0, 90, 85, 95, 75]
        let record = try #require(MeasureRecord(MeasuredMachine(watts: watts, seconds: 4).facts().facts))
        #expect(isNear(record.total.gross.joules, 340, within: 0.001))
        // Standard deviation 4 x 7.9057, t(4) = 2.7764: the counter's own bounds add little.
        let half = 2.776445 * 4 * 7.905694 / 5.0.squareRoot()
        let found = try #require(intervalBounds(record.total.gross.joules))
        #expect(abs((found.high - found.low) / 2 / half - 1) < 0.02)
        let power = try #require(intervalBounds(record.total.gross.watts))
        #expect(abs((power.high - power.low) / 2 / (half / 4) - 1) < 0.02)
        #expect(method(record.total.gross.joules).contains("t interval over 5 runs"))
        #expect(!record.provisional)
        #expect(record.runs.count == 5)
        for (run, power) in zip(record.runs, watts) { #expect(isNear(run.joules, 4 * power, within: 0.002)) }
    }

    @Test func twoRunsAreProvisional() throws {
        let record = try #require(MeasureRecord(MeasuredMachine(watts: [80, 90], seconds: 4).facts().facts))
        #expect(record.provisional)
        #expect(isNear(record.total.gross.joules, 340, within: 0.001))
        #expect(method(record.total.gross.joules).contains("provisional"))
        #expect(record.elapsedSeconds.number != nil && intervalBounds(record.elapsedSeconds) == nil)
    }

    @Test func withoutIdleThereIsNoNet() throws {
        let record = try #require(MeasureRecord(MeasuredMachine(idleSeconds: 0).facts().facts))
        #expect(isNear(record.total.gross.joules, 850, within: 0.0005))
        for figure in [record.total.net.joules, record.total.net.watts, record.idle.watts] {
            #expect(figure.reason == "--idle 0: no idle window")
        }
        #expect(record.idle.beforeSeconds.reason == "--idle 0: no idle window")
    }

    @Test func idleBeforeAloneIsSaid() throws {
        var facts = MeasuredMachine().facts().facts
        facts.idleAfter = nil
        facts.disturbance = "power had not settled"
        let record = try #require(MeasureRecord(facts))
        #expect(
            method(record.total.net.joules)
                == "counter at edges, less idle_before only, unreliable: power had not settled")
        #expect(record.idle.afterSeconds.reason == "interrupted")
        #expect(isNear(record.total.net.joules, 650, within: 0.001))
    }

    @Test func aRunThatWasCutShortIsLeftOut() throws {
        var facts = MeasuredMachine(watts: [80, 80, 80, 40], seconds: 3).facts().facts
        facts.repetitions = 10
        facts.runs[3].signal = .init(
            name: "SIGINT", time: facts.runs[3].span.end + Nanoseconds(-10_000_000))
        facts.runs[3].exitCode = 130
        let record = try #require(MeasureRecord(facts))
        #expect(isNear(record.total.gross.joules, 240, within: 0.001))
        #expect(record.exitCode == 130 && record.runs.count == 3)
        #expect(
            record.warnings == [
                "stopped by SIGINT after 4 of 10 runs", "the run that was interrupted is left out",
            ])
        facts.runs = [facts.runs[3]]
        facts.repetitions = 1
        let only = try #require(MeasureRecord(facts))
        #expect(isNear(only.total.gross.joules, 120, within: 0.001))
        #expect(only.warnings.count == 1)
        facts.runs = []
        #expect(MeasureRecord(facts) == nil)
    }

    /// A command that took ^C and went on has done its work.
    @Test func aRunThatWentOnIsWhole() throws {
        var facts = MeasuredMachine(watts: [80], seconds: 3).facts().facts
        facts.runs[0].signal = .init(
            name: "SIGINT", time: facts.runs[0].span.end + Nanoseconds(-2_000_000_000))
        for code in [0, 9, 128] {
            facts.runs[0].exitCode = code
            let record = try #require(MeasureRecord(facts))
            #expect(
                record.warnings
                    == ["SIGINT came while it ran, 2 s before it ended with exit code \(code)"])
            #expect(isNear(record.total.gross.joules, 240, within: 0.001))
        }
        facts.runs[0].exitCode = 130
        #expect(
            try #require(MeasureRecord(facts)).warnings
                == ["the run was interrupted: the figures are those of what it did until then"])
    }

    @Test func aResetTakesTheEnergy() throws {
        var facts = MeasuredMachine().facts().facts
        let middle = facts.runs[0].span.begin + Nanoseconds(5_000_000_000)
        for index in facts.samples.indices where facts.samples[index].time > middle {
            facts.samples[index].values[0] = facts.samples[index].values[0].map { $0 - 900_000_000 }
        }
        let record = try #require(MeasureRecord(facts))
        #expect(record.total.gross.joules.reason?.hasPrefix("rapl:package-0: void: reset") == true)
        #expect(record.total.net.joules.reason != nil)
        #expect(record.sources[0].source.resets == 1)
        #expect(record.sources[0].source.voidIntervals.count == 1)
    }

    @Test func theMachineSlept() throws {
        var facts = MeasuredMachine().facts().facts
        let run = facts.runs[0].span
        for (time, slept) in [(moment(0), 0), (run.begin, 700), (run.end, 60_000_000_000)]
            as [(Instant, Int64)]
        {
            facts.sleeps.note(slept: slept, at: time)
        }
        let record = try #require(MeasureRecord(facts))
        #expect(record.total.gross.joules.reason?.contains("the machine slept") == true)
    }

    @Test func withoutSourcesSecondsRemain() throws {
        var facts = MeasuredMachine().facts().facts
        facts.sources = []
        facts.capabilities = [
            CapabilitiesLine.Row(
                id: "rapl:package-0", status: .noPermission, reason: "energy_uj: Permission denied",
                remedy: "chmod")
        ]
        let record = try #require(MeasureRecord(facts))
        let why = "no energy source: rapl:package-0: no permission"
        #expect(record.total.scopes.unavailable == why)
        #expect(record.total.gross.joules.reason == why && record.runs[0].joules.reason == why)
        #expect(record.total.net.watts.reason != nil)
        #expect(abs(record.seconds - 10) < 1e-9)
        #expect(record.sources.map(\.source.status) == [.noPermission])
        #expect(record.sources[0].joules.reason == "energy_uj: Permission denied")
        #expect(record.sources[0].source.remedy == "chmod")
    }

    @Test func theKeysAreThose() throws {
        let record = try #require(MeasureRecord(MeasuredMachine().facts().facts))
        let bytes = try CanonicalJSON.document(record)
        #expect(try CanonicalJSON.decode(MeasureRecord.self, from: bytes) == record)
        let value = try CanonicalJSON.decode(JSONValue.self, from: bytes)
        #expect(value["schema"] == .string("sustain.measure/1"))
        #expect(value["exit_code"] == .integer(0))
        let total = value["total"]
        #expect(total?["includes"] == .array([.string("rapl:package-0")]))
        #expect(total?["excludes"] == .array([]))
        for part in ["gross", "net"] {
            for key in ["joules", "watts"] { #expect(total?[part]?[key]?["value"] != nil) }
        }
    }
}
