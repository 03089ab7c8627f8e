import Analysis
import FoundationEssentials
import Replay
import Testing

@testable import Reports

/// Comparisons of whole runs: their documents out of a trace and records of a known truth, and how they are printed.
@Suite(.serialized) struct WholeRunsReportTests {
    private static let schemaFile = SchemaCheck.file("session.schema.json")

    private struct Session {
        var trace: Trace
        var records: [String: Record] = [:]

        var document: SessionDocument {
            SessionDocument(trace) { id in
                records[id].map(Result.success)
                    ?? .failure(Unavailable("its trace is not beside the session"))
            }
        }
    }

    /// Two builds, three rounds in turned order: b is 10 % slower in the end, keeps 81 % instead of 90 %, and takes
    /// 5 % less energy a token.
    private static func session(gates: [String] = []) -> Session {
        var plan = SimulatedSession.Plan([.init("a"), .init("b")])
        plan.gates = gates
        var trace = SimulatedSession(plan, seed: 3).trace
        let start = trace.header.start
        trace.blocks = []
        trace.session?.wholeRuns = true
        trace.session?.quads = 3
        trace.session?.residency = "each run loads its variant alone"
        trace.marks = []
        trace.done = []
        trace.sources = [
            SourceLine(
                index: 0, id: "hwmon:k10temp-0/temp1", kind: .gauge, quantity: .temperature, scale: 1e-3,
                scope: SourceLine.Scope(domain: "zone", device: "k10temp"), interface: "hwmon:temp1_input",
                intervalNanoseconds: 0)
        ]
        trace.samples = []
        var session = Session(trace: trace)
        for round in 0..<3 {
            let order = round == 1 ? [1, 0] : [0, 1]
            for (place, variant) in order.enumerated() {
                let begin = start + Nanoseconds(Int64(2 * round + place + 1) * 700_000_000_000)
                let id = "20261130T0\(round)\(place)600Z-run-a1b2c\(variant)"
                session.trace.samples.append(
                    SampleLine(
                        time: begin + Nanoseconds(-1_000_000), sources: [0], deltas: [0],
                        values: [40_000 + Int64(500 * place)]))
                session.trace.runs.append(
                    RunLine(
                        variant: variant, round: round, place: place, id: id, begin: begin,
                        cooling: round + place == 0 ? .first : .reached))
                session.records[id] = record(id, variant, drift: 1 + 0.001 * Double(2 * round + place))
            }
        }
        return session
    }

    private static func record(_ id: String, _ variant: Int, drift: Double) -> Record {
        var builder = RecordBuilder()
        builder.id = id
        builder.joulesPerToken = 0.4 * (variant == 0 ? 1 : 0.95) * drift
        var record = builder.build()
        func once(_ value: Double) -> Figure { .once(value * drift, method: "test") }
        record.metrics.burst = once(100)
        record.metrics.sustained = once(variant == 0 ? 90 : 81)
        record.metrics.retained = once((variant == 0 ? 0.9 : 0.81) / drift)
        return record
    }

    private func effect(
        _ metric: ComparedMetric, _ document: SessionDocument
    ) throws -> SessionDocument.Effect {
        let found = try #require(document.comparisons.first?.effects[metric.rawValue])
        return try #require(found.value, "\(metric.rawValue): \(found.reason ?? "")")
    }

    @Test func ratiosAreTheTruth() throws {
        let document = Self.session().document
        for (metric, truth) in [
            (ComparedMetric.sustained, 0.9), (.retained, 0.9), (.burst, 1), (.cycleEnergy, 0.95),
        ] {
            let effect = try effect(metric, document)
            #expect(abs((effect.ratio.number ?? 0) - truth) < 0.002, "\(metric.rawValue): \(effect)")
            #expect(
                effect.verdict
                    == (truth == 1 ? SessionDocument.Effect.noDifference : SessionDocument.Effect.different),
                "\(metric.rawValue): \(effect)")
        }
        let found = try #require(document.comparisons.first)
        #expect(found.quads == 3 && found.quadsPlanned == 3)
        #expect(found.sentence.contains("10.0 % fewer sustained tok/s ("), "\(found.sentence)")
        #expect(found.sentence.contains("10.0 % lower retained rate ("), "\(found.sentence)")
        #expect(document.residency.mode == "whole runs" && document.blocks.isEmpty)
        #expect(document.runs?.map(\.variant) == ["a", "b", "b", "a", "a", "b"])
        #expect(document.runs?[1].startedAt == ["hwmon:k10temp-0/temp1": 40.5])
        #expect(document.exitCode == .done && document.warnings.isEmpty, "\(document.warnings)")
    }

    @Test func gatesHoldWhatOnlyWholeRunsTell() {
        let document = Self.session(gates: ["retained < -5%", "sustained < -15%", "burst < -5%"]).document
        #expect(document.gates.map(\.verdict) == [.failed, .passed, .passed], "\(document.gates)")
        #expect(document.exitCode == .gateFailed)
    }

    @Test func aRunThatEndedEarlyOrIsGoneMakesNoPair() throws {
        var session = Self.session()
        let ids = session.trace.runs.map(\.id)
        session.records[ids[0]]?.outcome = OutcomeSummary(OutcomeLine(.interrupted))
        #expect(session.document.comparisons.first?.quads == 2)
        session.records[ids[2]] = nil
        let document = session.document
        #expect(document.comparisons.first?.quads == 1)
        let reason = document.comparisons.first?.effects["sustained"]?.reason
        #expect(reason == "insufficient: 1 pair of runs, under 2")
        #expect(
            document.warnings == [
                "run \(ids[0]) makes no pair: interrupted",
                "run \(ids[2]): its trace is not beside the session",
            ])
        #expect(document.runs?[2].outcome.status == .failed)
    }

    /// A run that is listed again is no further observation.
    @Test func aRunCountsOnce() {
        var session = Self.session()
        let lines = session.trace.runs
        for (round, line) in lines.enumerated() {
            var again = line
            again.round = 10 + round
            session.trace.runs.append(again)
        }
        var negative = lines[0]
        (negative.round, negative.id) = (-1, "other")
        session.trace.runs.append(negative)
        #expect(session.document.comparisons.first?.quads == 3)
        #expect(session.document.runs?.count == 6)
        #expect(session.document.warnings.first?.hasPrefix("7 lines of runs are left out") == true)
    }

    @Test func aTemperatureOfLongAgoIsNone() {
        var session = Self.session()
        session.trace.samples.removeLast()
        session.trace.samples[1].values = [Int64.max]
        let starts = session.document.runs?.map(\.startedAt.count)
        #expect(starts == [1, 0, 1, 1, 1, 0])
    }

    @Test func whatCannotBeHeldTogetherIsNot() {
        var session = Self.session()
        for run in session.trace.runs where run.variant == 1 {
            session.records[run.id]?.total.includes = ["nvml:0"]
            session.records[run.id]?.total.scope = "GPU only"
            session.records[run.id]?.memory.accounting = "gpu"
        }
        let effects = session.document.comparisons.first?.effects ?? [:]
        #expect(
            effects["cycle.gross.joules_per_token"]?.reason
                == "energy of another scope: GPU only against package + dram")
        #expect(effects["peak_rss_bytes"]?.reason == "memory of another kind: gpu against mapped")
        #expect(effects["sustained"]?.value != nil)
    }

    @Test func runsThatDidNotBeginAlikeAreSaidSo() {
        var session = Self.session()
        session.trace.runs[3].cooling = .timedOut
        session.trace.samples[3].values = [47_000]
        let warnings = session.document.warnings
        #expect(warnings.contains { $0.hasPrefix("1 of 6 runs began before the machine had cooled down") })
        #expect(warnings.contains("runs began at 40.0 to 47.0 C (hwmon:k10temp-0/temp1)"), "\(warnings)")
        let id = session.trace.runs[0].id
        session.records[id]?.environment.filter.excluded = true
        #expect(session.document.environment.filter.excluded)
        #expect(session.document.warnings.contains { $0.hasPrefix("run \(id) failed conditions") })
    }

    @Test func aVariantThatFailedIsSaidSo() {
        var session = Self.session(gates: ["sustained < -15%"])
        session.trace.variants[1].outcome = OutcomeLine(.engineFailed, cause: "ended unasked: SIGSEGV")
        session.trace.runs.removeAll { $0.variant == 1 && $0.round > 0 }
        let document = session.document
        #expect(
            document.comparisons.first?.effects["sustained"]?.reason == "b failed: ended unasked: SIGSEGV")
        #expect(document.exitCode == .engineFailed)
        #expect(document.gates.map(\.verdict) == [.unavailable])
    }

    @Test func documentAndTables() throws {
        let document = Self.session(gates: ["retained < -5%"]).document
        let bytes = try CanonicalJSON.document(document)
        try Golden.expect(String(decoding: bytes, as: UTF8.self), "records/session-sustained.json")
        #expect(try CanonicalJSON.decode(SessionDocument.self, from: bytes) == document)
        for format in [SessionFormat.text, .markdown, .csv, .junit] {
            try Golden.expect(
                try SessionReport.render(document, format, drift: nil, bytes: bytes),
                "tables/session-sustained.\(format.rawValue)")
        }
        let schema = try CanonicalJSON.decode(JSONValue.self, from: Data(contentsOf: Self.schemaFile))
        let value = try CanonicalJSON.decode(JSONValue.self, from: bytes)
        #expect(SchemaCheck.unknownKeys(value, schema, root: schema, at: "") == [])
    }

    @Test(.enabled(if: SchemaCheck.validator != nil, "SUSTAIN_TEST_PYTHON names no python3 with jsonschema"))
    func validates() throws {
        let document = Golden.fixtures.appending(path: "records/session-sustained.json")
        #expect(try SchemaCheck.validate(document, against: Self.schemaFile, figure: ["idle_watts"]) == 0)
    }
}
