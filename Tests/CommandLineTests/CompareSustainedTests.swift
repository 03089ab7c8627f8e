import Analysis
import Foundation
import TestSupport
import Testing

/// `sustain compare --sustained`: whole runs in turns, as a user would run them.
@Suite struct CompareSustainedTests {
    private struct Comparison {
        let workplace: Workplace
        let engines: [String]

        init(_ scripts: [String]) throws {
            let place = try Workplace()
            workplace = place
            engines = try scripts.enumerated().flatMap { index, script in
                let path = try place.file("engine-\(index).json", script)
                return ["--exec", "\(Program.path("scripted-engine")) \(path)"]
            }
        }

        static let quick = [
            "--sustained", "--seconds", "0.3", "--idle", "0.2", "--cool-down", "0.1", "-p", "8", "-n", "5",
            "--power",
            "none", "--no-parity",
        ]

        func start(rounds: Int = 2, _ more: [String] = []) throws -> Program {
            try Program(
                "sustain", ["compare"] + engines + Self.quick + ["-r", String(rounds)] + more, in: workplace)
        }

        func run(_ more: [String] = []) throws -> Program.Ended { try start(more).wait() }

        /// The session's directory, which is the one that has a session.json.
        func session() throws -> URL {
            let reports = workplace.url.appending(path: "reports")
            let found = try FileManager.default.contentsOfDirectory(
                at: reports, includingPropertiesForKeys: nil
            )
            .filter { FileManager.default.fileExists(atPath: $0.appending(path: "session.json").path) }
            return try #require(found.first)
        }

        func document() throws -> SessionDocument {
            let data = try Data(contentsOf: try session().appending(path: "session.json"))
            return try JSONDecoder().decode(SessionDocument.self, from: data)
        }
    }

    private static let steady =
        #"{"load": {"cold_ns": 1000000, "warm_ns": 1000000}, "prefill": {"ns": 2000000}, "decode": {"ns": 1000000}}"#
    private static let slow =
        #"{"load": {"cold_ns": 1000000, "warm_ns": 1000000}, "prefill": {"ns": 2000000}, "decode": {"ns": 20000000}}"#
    private static let crashing =
        #"{"load": {"cold_ns": 1000000}, "prefill": {"ns": 2000000}, "decode": {"ns": 1000000}, "#
        + #""faults": [{"at": "decode", "cycle": 4, "step": 2, "kind": "crash"}]}"#

    @Test func runsTakeTurnsAndHaveRecordsOfTheirOwn() throws {
        let comparison = try Comparison([Self.steady, Self.slow])
        let ended = try comparison.run(["--json", "--label", "turns"])
        #expect(ended.status == 0, "\(ended.errors)")
        let document = try comparison.document()
        let runs = try #require(document.runs)
        #expect(runs.map(\.variant) == [0, 1, 1, 0].map { "engine-\($0).json" })
        #expect(runs.map(\.round) == [0, 0, 1, 1] && runs.map(\.place) == [0, 1, 0, 1])
        #expect(runs[0].cooling == .first && runs.dropFirst().allSatisfy { $0.cooling != .first })
        let found = try #require(document.comparisons.first)
        #expect(found.quads == 2 && found.quadsPlanned == 2)
        let rate = try #require(
            found.effects["decode.tokens_per_second"]?.value,
            "\(String(describing: found.effects["decode.tokens_per_second"]))")
        #expect(rate.ratio.number ?? 2 < 0.7, "\(rate)")
        // 0.3 s hold neither a burst nor what is sustained, and say so.
        #expect(found.effects["sustained"]?.reason != nil)

        // Every run is one that `report` knows, and the session is a function of them.
        let report = try Program.run(["report", "-o", "json", "--runs"], in: comparison.workplace)
        #expect(report.status == 0 && runs.allSatisfy { report.text.contains($0.id) }, "\(report.errors)")
        let directory = try comparison.session()
        #expect(try Data(contentsOf: directory.appending(path: "session.json")) == ended.output)
        let analyzed = try Program.run(["analyze", directory.path, "--json"], in: comparison.workplace)
        #expect(analyzed.output == ended.output, "\(analyzed.errors)")
        // A run's record names its own engine alone, so that it can be repeated.
        let file = directory.deletingLastPathComponent().appending(path: "\(runs[1].id)/run.json")
        let record = try JSONDecoder().decode(Record.self, from: try Data(contentsOf: file))
        #expect(record.options["exec"] == .string(comparison.engines[3]), "\(record.options)")
        #expect(record.label == "turns" && record.options["seconds"] == .string("0.3"))
    }

    /// A session that somebody sent without its runs loses nothing by being looked at.
    @Test func aRunThatIsGoneIsMissedAndNothingLost() throws {
        let comparison = try Comparison([Self.steady, Self.steady])
        #expect(try comparison.run().status == 0)
        let directory = try comparison.session()
        let file = directory.appending(path: "session.json")
        let kept = try Data(contentsOf: file)
        let id = try #require(comparison.document().runs?.last?.id)
        try FileManager.default.removeItem(at: directory.deletingLastPathComponent().appending(path: id))
        let analyzed = try Program.run(["analyze", directory.path, "--json"], in: comparison.workplace)
        #expect(analyzed.status == 0 && analyzed.output == kept)
        #expect(analyzed.errors.contains("is kept as it is: of 1 run"), "\(analyzed.errors)")
        #expect(try Data(contentsOf: file) == kept)
        // Without a document to keep it is made of what is left.
        try FileManager.default.removeItem(at: file)
        let anew = try Program.run(["analyze", directory.path], in: comparison.workplace)
        #expect(anew.status == 0 && anew.text.contains("run \(id): its trace is not beside the session"))
        #expect(try comparison.document().comparisons.first?.quads == 1)
    }

    @Test func aVariantThatDiesLeavesTheOthers() throws {
        let comparison = try Comparison([Self.steady, Self.crashing, Self.steady])
        let ended = try comparison.run()
        #expect(ended.status == 5, "\(ended.errors)")
        let document = try comparison.document()
        #expect(document.variants.map(\.outcome.status) == [.completed, .engineFailed, .completed])
        #expect(document.comparisons.map(\.quads) == [0, 2])
        #expect(document.runs?.count == 5)
        #expect(ended.errors.contains("engine-1.json failed"), "\(ended.errors)")
    }

    @Test func aReferenceThatDiesEndsTheSession() throws {
        let comparison = try Comparison([Self.crashing, Self.steady])
        let ended = try comparison.run()
        #expect(ended.status == 5, "\(ended.errors)")
        #expect(try comparison.document().runs?.count == 1)
    }

    @Test func anAbortKeepsTheRunsThatAreComplete() throws {
        let comparison = try Comparison([Self.steady, Self.slow])
        let program = try comparison.start(rounds: 1000)
        try program.wait { program.errorsSoFar().contains("round 3/1000") }
        program.signal(SIGINT)
        let ended = try program.wait()
        #expect(ended.status == 130, "\(ended.errors)")
        let document = try comparison.document()
        #expect(document.outcome.status == .interrupted)
        #expect(document.comparisons.first?.quads ?? 0 >= 2)
    }

    @Test func aKilledSessionHasItsRuns() throws {
        let comparison = try Comparison([Self.steady, Self.slow])
        let program = try comparison.start(rounds: 1000)
        try program.wait { program.errorsSoFar().contains("round 3/1000") }
        program.signal(SIGKILL)
        _ = try program.wait()
        #expect(try comparison.document().comparisons.first?.quads ?? 0 >= 2)
    }

    @Test func aBudgetMakesTheRounds() throws {
        let comparison = try Comparison([Self.steady, Self.steady])
        let options = Comparison.quick + ["--budget", "1"]
        let ended = try Program.run(
            ["compare"] + comparison.engines + options, in: comparison.workplace)
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.errors.contains("--budget 1 holds no 2 rounds"), "\(ended.errors)")
        #expect(ended.errors.contains("--budget holds fewer than 2 rounds"), "\(ended.errors)")
        #expect(ended.errors.contains("may have no sustained rate"), "\(ended.errors)")
        #expect(try comparison.document().comparisons.first?.quads == 2)
    }

    @Test(arguments: [
        (["--sustained", "-r", "1"], "2 to"), (["--sustained", "--reload"], "loaded one by one anyway"),
        (["--seconds", "10"], "add --sustained"), (["--cool-down", "10"], "add --sustained"),
        (["--fail-if", "retained < -3%"], "--sustained compares whole runs"),
        (["--sustained", "--cool-down", "-1"], "--cool-down -1"),
    ])
    func wrongOptionsAreRefusedBeforeAnythingRuns(options: [String], cause: String) throws {
        let comparison = try Comparison([Self.steady, Self.steady])
        let ended = try Program.run(["compare"] + comparison.engines + options, in: comparison.workplace)
        #expect(ended.status == 2)
        #expect(ended.errors.contains(cause), "\(ended.errors)")
        #expect(!FileManager.default.fileExists(atPath: comparison.workplace.url.path + "/reports"))
    }
}
