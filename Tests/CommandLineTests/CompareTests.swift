import Analysis
import Foundation
import TestSupport
import Testing

/// `sustain compare` with scripted engines, as a user would run it. How long sleeps really take depends on the machine:
/// figures are judged where their truth is known, in MachineTests.
@Suite struct CompareTests {
    private struct Comparison {
        let workplace: Workplace
        /// Options that name the scripts as engines.
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
            "--idle", "0.2", "-p", "8", "-n", "5", "--power", "none", "--no-parity", "--fail-if",
            "cycle.tokens_per_second < -99%",
        ]

        func start(_ more: [String] = []) throws -> Program {
            try Program("sustain", ["compare"] + engines + Self.quick + more, in: workplace)
        }

        func run(_ more: [String] = []) throws -> Program.Ended { try start(more).wait() }

        func document() throws -> SessionDocument {
            let data = try Data(contentsOf: try workplace.runDirectory().appending(path: "session.json"))
            return try JSONDecoder().decode(SessionDocument.self, from: data)
        }

        func strayProcesses() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { entry in
                guard Int(entry) != nil,
                    let line = FileManager.default.contents(atPath: "/proc/\(entry)/cmdline")
                else { return false }
                return String(decoding: line, as: UTF8.self).contains(workplace.url.path)
            }
        }
    }

    private static let steady =
        #"{"load": {"cold_ns": 1000000, "warm_ns": 1000000}, "prefill": {"ns": 2000000}, "decode": {"ns": 1000000}}"#
    private static let slow =
        #"{"load": {"cold_ns": 1000000, "warm_ns": 1000000}, "prefill": {"ns": 2000000}, "decode": {"ns": 20000000}}"#
    /// - Parameter cycle: one that the engine gets: numbers are those of the session.
    private static func crashing(in cycle: Int) -> String {
        #"{"load": {"cold_ns": 1000000}, "prefill": {"ns": 2000000}, "decode": {"ns": 1000000}, "#
            + #""faults": [{"at": "decode", "cycle": \#(cycle), "step": 2, "kind": "crash"}]}"#
    }

    @Test func aSessionIsAFunctionOfItsTrace() throws {
        let comparison = try Comparison([Self.steady, Self.slow])
        let ended = try comparison.run(["--json", "--label", "first"])
        #expect(ended.status == 0, "\(ended.errors)")
        let directory = try comparison.workplace.runDirectory()
        #expect(try Data(contentsOf: directory.appending(path: "session.json")) == ended.output)
        let analyzed = try Program.run(["analyze", directory.path, "--json"], in: comparison.workplace)
        #expect(analyzed.output == ended.output)

        let document = try comparison.document()
        #expect(document.outcome.status == .completed && document.label == "first")
        #expect(document.variants.map(\.name) == ["engine-0.json", "engine-1.json"])
        #expect(document.reference == "engine-0.json")
        let found = try #require(document.comparisons.first)
        #expect(found.quads == 8 && found.quadsPlanned == 8)
        #expect(document.blocks.count == 32 && document.blocks.allSatisfy { $0.cycles >= 3 })
        #expect(document.blocks.prefix(4).map(\.variant) == [0, 1, 1, 0].map { "engine-\($0).json" })
        let rate = try #require(found.effects["decode.tokens_per_second"]?.value)
        #expect(rate.ratio.number ?? 2 < 0.7, "\(rate)")
        #expect(found.effects["cycle.gross.joules_per_token"]?.reason == "no energy source")
        #expect(found.effects["peak_rss_bytes"]?.value != nil, "\(found.effects)")
        #expect(document.residency.mode == "resident")
        #expect(document.variants.allSatisfy { $0.idleCores.value != nil })
        #expect(found.sentence.contains("parity: not checked"), "\(found.sentence)")
        #expect(document.gates.map(\.verdict) == [.passed])
        #expect(try comparison.strayProcesses() == [])
        // A comparison is none of the runs.
        let report = try Program.run(["report"], in: comparison.workplace)
        #expect(report.status == 0 && !report.text.contains("first"), "\(report.text)\(report.errors)")
        #expect(report.errors.contains("1 comparison is not shown here: `sustain analyze reports/"))
    }

    @Test func oneThatIsLoadedAtATime() throws {
        let comparison = try Comparison([Self.steady, Self.steady])
        let ended = try comparison.run(["--reload", "-o", "md"])
        #expect(ended.status == 0, "\(ended.errors)")
        let document = try comparison.document()
        #expect(document.residency.mode == "reloaded")
        #expect(document.comparisons.first?.quads == 8)
        #expect(document.variants.allSatisfy { $0.idleCores.value == nil })
        #expect(ended.text.contains("| variant") && ended.text.contains("--reload"))
        #expect(try comparison.strayProcesses() == [])
    }

    @Test func aVariantThatDiesLeavesTheOthers() throws {
        // Six generations of acquaintance, 15 for each quad; the second one of this variant begins with 36.
        let comparison = try Comparison([Self.steady, Self.crashing(in: 42), Self.steady])
        let ended = try comparison.run()
        #expect(ended.status == 5, "\(ended.errors)")
        let document = try comparison.document()
        #expect(document.variants.map(\.outcome.status) == [.completed, .engineFailed, .completed])
        #expect(document.comparisons[0].quads == 1)
        #expect(document.comparisons[1].quads == 8)
        #expect(ended.text.contains("engine-1.json failed: ended unasked: SIGSEGV"), "\(ended.text)")
        #expect(ended.errors.contains("engine-1.json failed"))
        #expect(try comparison.strayProcesses() == [])
    }

    @Test func aReferenceThatDiesEndsTheSession() throws {
        let comparison = try Comparison([Self.crashing(in: 30), Self.steady])
        let ended = try comparison.run()
        #expect(ended.status == 5, "\(ended.errors)")
        #expect(try comparison.document().outcome.status == .engineFailed)
        #expect(try comparison.strayProcesses() == [])
    }

    /// Nobody gave a gate, and yet a session that compared nothing is no success.
    @Test func anEngineThatFinishesNoGenerationIsAFailure() throws {
        let truncating =
            #"{"load": {"cold_ns": 1000000}, "prefill": {"ns": 2000000}, "decode": {"ns": 1000000}, "#
            + #""faults": [{"at": "decode", "step": 2, "kind": "truncated"}]}"#
        let comparison = try Comparison([Self.steady, truncating])
        let words = ["--idle", "0", "-p", "8", "-n", "5", "--power", "none", "--no-parity", "-o", "junit"]
        let ended = try Program.run(["compare"] + comparison.engines + words, in: comparison.workplace)
        #expect(ended.status == 5, "\(ended.errors)")
        #expect(ended.errors.contains("sustain: engine-1.json: finished no block of whole generations"))
        #expect(ended.text.contains("errors=\"1\"") && ended.text.contains("name=\"speed\"><error"))
        #expect(try comparison.document().outcome.status == .completed)
    }

    @Test func anAbortLosesNothingThatIsComplete() throws {
        let comparison = try Comparison([Self.steady, Self.slow])
        let program = try comparison.start(["-r", "1000"])
        try program.wait { program.errorsSoFar().contains("quad 3/1000") }
        program.signal(SIGINT)
        let ended = try program.wait()
        #expect(ended.status == 130)
        let document = try comparison.document()
        #expect(document.outcome.status == .interrupted)
        #expect(document.comparisons.first?.quads ?? 0 >= 2)
        #expect(ended.text.contains("interrupted"))
        #expect(try comparison.strayProcesses() == [])
    }

    @Test func aKilledSessionHasItsQuads() throws {
        let comparison = try Comparison([Self.steady, Self.slow])
        let program = try comparison.start(["-r", "1000"])
        try program.wait { program.errorsSoFar().contains("quad 3/1000") }
        program.signal(SIGKILL)
        _ = try program.wait()
        #expect(try comparison.document().comparisons.first?.quads ?? 0 >= 2)
        for _ in 0..<200 where try !comparison.strayProcesses().isEmpty { usleep(10_000) }
        #expect(try comparison.strayProcesses() == [])
    }

    @Test func gatesMakeTheExitCode() throws {
        let gate = "decode.tokens_per_second < -20%"
        let comparison = try Comparison([Self.steady, Self.slow])
        let ended = try comparison.run(["--fail-if", gate, "-o", "junit"])
        #expect(ended.status == 3, "\(ended.errors)")
        #expect(ended.text.contains("<failure message=\"decode.tokens_per_second &lt; -20%: failed\"/>"))
        // Energy that cannot be had never passes, and says why.
        let energy = try Comparison([Self.steady, Self.steady])
        let unmeasured = try energy.run(["--fail-if", "cycle.gross.joules_per_token > +3%"])
        #expect(unmeasured.status == 6)
        #expect(unmeasured.text.contains("unavailable: no energy source"))
    }

    @Test(arguments: [
        (["--fail-if", "speed > +3%"], "no comparison gives \"speed\""), (["-r", "4"], "8 to"),
        (["--budget", "10m", "-r", "9"], "-r names the number of quads"),
        (["--inconclusive", "maybe"], "not one of pass, fail"), (["--reference", "9"], "names no variant"),
        (["-o", "xml"], "not one of text, md"), (["--sustaned"], "no such option"),
    ])
    func wrongOptionsAreRefusedBeforeAnythingRuns(options: [String], cause: String) throws {
        let comparison = try Comparison([Self.steady, Self.steady])
        let ended = try comparison.run(options)
        #expect(ended.status == 2)
        #expect(ended.errors.contains(cause), "\(ended.errors)")
        #expect(!FileManager.default.fileExists(atPath: comparison.workplace.url.path + "/reports"))
    }

    @Test(arguments: ["pb-random-v1", "until-failure-v1"]) func protocolsWithoutBlocks(name: String) throws {
        let comparison = try Comparison([Self.steady, Self.steady])
        let ended = try Program.run(
            ["compare"] + comparison.engines + ["--protocol", name], in: comparison.workplace)
        #expect(ended.status == 2 && ended.errors.contains("--protocol \(name)"), "\(ended.errors)")
    }

    @Test func oneVariantIsNone() throws {
        let ended = try Comparison([Self.steady]).run()
        #expect(ended.status == 2 && ended.errors.contains("has 1 variant, and it takes two"))
    }

    @Test func listsAreMultiplied() throws {
        let comparison = try Comparison([Self.steady])
        let ended = try comparison.run([
            "-t", "1,2", "-ctk", "f16,q8_0", "--reference", "engine-0.json -t 2 -ctk f16", "-o", "csv",
        ])
        let document = try comparison.document()
        #expect(
            document.variants.map(\.name) == [
                "engine-0.json -t 1 -ctk f16", "engine-0.json -t 1 -ctk q8_0", "engine-0.json -t 2 -ctk f16",
                "engine-0.json -t 2 -ctk q8_0",
            ], "\(ended.errors)")
        #expect(document.reference == "engine-0.json -t 2 -ctk f16")
        #expect(document.comparisons.count == 3)
        #expect(ended.text.split(separator: "\n").count == 1 + 3 * ComparedMetric.ofBlocks.count)
    }

    @Test func aBudgetPlansTheQuads() throws {
        let comparison = try Comparison([Self.steady, Self.steady])
        let ended = try comparison.run(["--budget", "5"])
        #expect(ended.status == 0, "\(ended.errors)")
        let planned = try #require(try comparison.document().comparisons.first?.quadsPlanned)
        #expect(planned >= 8)
        let tight = try Comparison([Self.slow, Self.slow])
        let warned = try tight.run(["--budget", "1"])
        #expect(warned.errors.contains("--budget holds fewer than 8 quads"))
        #expect(try tight.document().comparisons.first?.quads == 8)
    }

    /// A python3 with the jsonschema package, named by SUSTAIN_TEST_PYTHON.
    private static let python = ProcessInfo.processInfo.environment["SUSTAIN_TEST_PYTHON"]

    @Test(.enabled(if: python != nil, "SUSTAIN_TEST_PYTHON names no python3"))
    func theDocumentIsAsDescribed() throws {
        let schema = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/session.schema.json").path
        let comparison = try Comparison([Self.steady, Self.crashing(in: 42), Self.steady])
        _ = try comparison.run()
        let document = try comparison.workplace.runDirectory().appending(path: "session.json").path
        let program = """
            import json, sys, jsonschema
            schema = json.load(open(sys.argv[1]))
            jsonschema.Draft202012Validator.check_schema(schema)
            session = json.load(open(sys.argv[2]))
            validator = jsonschema.Draft202012Validator(schema)
            bad = [error.json_path + ": " + error.message for error in validator.iter_errors(session)]
            session["comparisons"][0]["effects"]["peak_rss_bytes"] = {"ratio": {"value": 1}}
            assert list(validator.iter_errors(session)), "an effect without verdict passed"
            sys.exit("\\n".join(bad) or 0)
            """
        let process = Process()
        process.executableURL = URL(filePath: try #require(Self.python))
        process.arguments = ["-c", program, schema, document]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
