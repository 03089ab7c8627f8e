import Analysis
import Foundation
import Session
import TestSupport
import Testing

@testable import sustain

/// `sustain run` over lists of values, on the scripted engine.
@Suite struct SweepTests {
    private func sweep(_ script: String = "{}") throws -> ScriptedRun {
        var run = try ScriptedRun(script)
        run.arguments = [
            "--seconds", "0.4", "--idle", "0", "-p", "4", "-n", "6", "--warmup", "0", "--power", "none",
        ]
        run.script = script == "{}" ? #"{"prefill": {"ns": 1000000}, "decode": {"ns": 1000000}}"# : script
        return run
    }

    private func records(_ run: ScriptedRun) throws -> [Record] {
        let reports = run.workplace.url.appending(path: "reports")
        // Ids of one second are in no order.
        return try FileManager.default.contentsOfDirectory(atPath: reports.path).map { name in
            let file = reports.appending(path: name).appending(path: "run.json")
            return try JSONDecoder().decode(Record.self, from: Data(contentsOf: file))
        }.sorted { $0.started < $1.started }
    }

    private func threads(_ record: Record) -> String? { record.options["threads"]?.text }

    @Test func everyCombinationIsARunOfItsOwn() throws {
        let run = try sweep()
        let ended = try run.run(["-t", "1,2", "-ctk", "f16", "-ctk", "q8_0", "-o", "csv"])
        #expect(ended.status == 0, "\(ended.errors)")
        let found = try records(run)
        #expect(
            Set(found.map { "\(threads($0) ?? "") \($0.options["cache-type-k"]?.text ?? "")" })
                == ["1 f16", "1 q8_0", "2 f16", "2 q8_0"])
        #expect(found.allSatisfy { $0.outcome.status == .completed })
        // A heading, and the two rows that `report` prints of each run.
        let lines = ended.text.split(whereSeparator: \.isNewline)
        #expect(lines.count == 1 + 2 * 4)
        #expect(ended.errors.contains("sweep: 4 points, 4 to measure in about"))
        #expect(ended.errors.contains("point 2 of 4: -t 1 -ctk q8_0"))
        for record in found {
            let trace = run.workplace.url.appending(path: "reports/\(record.id)/trace.jsonl")
            #expect(FileManager.default.fileExists(atPath: trace.path))
        }
    }

    @Test func theRowsAreThoseOfReport() throws {
        let run = try sweep()
        let swept = try run.run(["-t", "2,1", "-o", "csv"])
        let ids = try records(run).map { "reports/" + $0.id }
        let reported = try Program.run(["report", "-o", "csv"] + ids, in: run.workplace)
        let rows = swept.text.split(whereSeparator: \.isNewline).sorted()
        #expect(rows == reported.text.split(whereSeparator: \.isNewline).sorted() && rows.count > 2)
        #expect(try run.run(["-t", "2,1"]).text.contains("threads"))
        let array = try JSONDecoder().decode(
            [Record].self, from: try run.run(["-t", "2,1", "--json"]).output)
        #expect(array.map(threads) == ["2", "1"])
    }

    @Test func aPointThatFailsIsARowAndStopsNothing() throws {
        let run = try sweep(
            #"{"prefill": {"ns": 1000000}, "decode": {"ns": 1000000}, "faults": [{"at": "load", "threads": 2, "kind": "crash"}]}"#
        )
        let ended = try run.run(["-t", "1,2,3", "-o", "csv"])
        #expect(ended.status == 5)
        let found = try records(run)
        #expect(found.map(\.outcome.status) == [.completed, .engineFailed, .completed])
        #expect(found.map(threads) == ["1", "2", "3"])
        #expect(ended.text.contains("engine_failed"))
        #expect(ended.errors.contains("sustain: -t 2: engine: ended unasked"))
        #expect(try run.strayProcesses() == [])

        // Again: what was measured is not measured again, what failed is.
        let resumed = try run.run(["-t", "1,2,3", "-o", "csv"])
        #expect(resumed.status == 5)
        #expect(try records(run).count == 4)
        #expect(resumed.errors.contains("measured already: -t 1: reports/"))
        #expect(resumed.errors.contains("sweep: 3 points, 1 to measure"))
        #expect(
            resumed.text.split(whereSeparator: \.isNewline).count
                == ended.text.split(whereSeparator: \.isNewline).count)
    }

    @Test func whatMakesItAnotherMeasurementIsMeasured() throws {
        let run = try sweep()
        #expect(try run.run(["-t", "1,2"]).status == 0)
        #expect(try run.run(["-t", "2,1", "--quiet", "-o", "md"]).status == 0)
        #expect(try records(run).count == 2)
        _ = try run.run(["-t", "1,2", "--again"])
        #expect(try records(run).count == 4)
        _ = try run.run(["-t", "1,2", "--seed", "3"])
        #expect(try records(run).count == 6)
        _ = try run.run(["-t", "1,2", "--label", "other"])
        #expect(try records(run).count == 8)
        // One combination is a run, and always made.
        _ = try run.run(["-t", "1"])
        #expect(try records(run).count == 9)
    }

    @Test func modelsAreKnownByTheirBytes() throws {
        let run = try sweep()
        for (name, context) in [("a.gguf", 200), ("b.gguf", 300)] as [(String, UInt32)] {
            try TinyModel.bytes(trainedContext: context).write(to: run.workplace.url.appending(path: name))
        }
        let first = try run.run(["-m", "a.gguf,b.gguf"])
        #expect(first.status == 0, "\(first.errors)")
        try FileManager.default.moveItem(
            at: run.workplace.url.appending(path: "a.gguf"), to: run.workplace.url.appending(path: "c.gguf"))
        try TinyModel.bytes(trainedContext: 400).write(to: run.workplace.url.appending(path: "b.gguf"))
        let second = try run.run(["-m", "c.gguf,b.gguf"])
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.errors.contains("measured already: -m c.gguf"))
        #expect(try records(run).count == 3)
    }

    @Test func aModelThatCannotBeReadIsAFailedRow() throws {
        let run = try sweep()
        try TinyModel.bytes().write(to: run.workplace.url.appending(path: "a.gguf"))
        let ended = try run.run(["-m", "a.gguf,gone.gguf", "-o", "csv"])
        #expect(ended.status == 1)
        #expect(ended.errors.contains("will be a failed row: -m gone.gguf: no such file"))
        #expect(try records(run).map(\.outcome.status) == [.completed, .failed])
        #expect(ended.text.split(whereSeparator: \.isNewline).count == 5)
        // Where no point can be measured nothing is begun.
        let none = try run.run(["-m", "gone.gguf,lost.gguf", "--output", "other"])
        #expect(none.status == 1 && none.text.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: run.workplace.url.path + "/other"))
    }

    @Test func aPointThatDoesNotFitIsARefusedRow() throws {
        let run = try sweep()
        let meminfo = "MemTotal: 2097152 kB\nMemFree: 1048576 kB\nMemAvailable: 1048576 kB\n"
        let procfs = run.workplace.url.appending(path: "proc")
        try FileManager.default.createDirectory(at: procfs, withIntermediateDirectories: true)
        try Data(meminfo.utf8).write(to: procfs.appending(path: "meminfo"))
        try TinyModel.bytes().write(to: run.workplace.url.appending(path: "a.gguf"))
        let large = try SparseModel.write("large.gguf", mebibytes: 4096, in: run.workplace)
        let ended = try run.run(["-m", "\(large),a.gguf", "-ngl", "0", "--path.procfs", procfs.path])
        #expect(ended.status == 4, "\(ended.errors)")
        #expect(try records(run).map(\.outcome.status) == [.refused, .completed])
    }

    @Test func anInterruptKeepsWhatIsFinished() throws {
        let run = try sweep(
            #"{"prefill": {"ns": 1000000}, "decode": {"ns": 1000000}, "faults": [{"at": "load", "threads": 2, "kind": "hang"}]}"#
        )
        let program = try run.start(["-t", "1,2,3", "-o", "csv"])
        try program.wait { program.errorsSoFar().contains("point 2 of 3") }
        try program.wait {
            program.errorsSoFar().split(separator: "point 2 of 3").last?.contains("load_cold") ?? false
        }
        program.signal(SIGINT)
        let ended = try program.wait()
        #expect(ended.status == 130)
        #expect(try records(run).map(\.outcome.status) == [.completed, .interrupted])
        #expect(ended.text.split(whereSeparator: \.isNewline).count == 5)
        #expect(ended.errors.contains("the same command goes on with what is left"))
        #expect(!ended.errors.contains("point 3 of 3"))
        #expect(try run.strayProcesses() == [])
    }

    @Test func mistakesAreToldBeforeTheFirstRun() throws {
        let run = try sweep()
        for words in [["-t", "1,0"], ["-c", "64,4"], ["-fa", "on,perhaps"], ["-m", ".,a.gguf"]] {
            let ended = try run.run(words)
            #expect(ended.status == 2, "\(words): \(ended.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: run.workplace.url.path + "/reports"))
    }

    /// The columns show what the engine reported: nothing, where it never loaded.
    @Test func aFailedRowSaysWhatItWasAskedFor() throws {
        let run = try sweep(
            #"{"prefill": {"ns": 1000000}, "decode": {"ns": 1000000}, "faults": [{"at": "load", "threads": 64, "kind": "crash"}]}"#
        )
        for format in ["text", "md"] {
            let ended = try run.run(["-t", "1,64", "-ctk", "f16,q8_0", "-c", "10,20", "-o", format])
            #expect(ended.status == 5)
            for (type, context) in [("f16", 10), ("f16", 20), ("q8_0", 10), ("q8_0", 20)] {
                let asked = "with --threads 64 --cache-type-k \(type) --ctx-size \(context) (in load_cold: "
                // Lines are wrapped.
                let text = ended.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                #expect(text.contains("engine failed " + asked), "\(ended.text)")
            }
        }
    }
}

/// Values of engine options that are told at once, not when their point comes.
@Suite struct EngineValueTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace()
        try TinyModel.bytes().write(to: workplace.url.appending(path: "tiny.gguf"))
    }

    @Test(arguments: ["run", "compare", "fit"]) func llamaKnowsItsTypes(command: String) throws {
        let more = command == "fit" ? ["--ctx", "64", "-ctk", "f17"] : ["-ctk", "f16,f17"]
        let ended = try Program.run([command, "-m", "tiny.gguf"] + more, in: workplace)
        #expect(ended.status == 2, "\(ended.errors)")
        #expect(
            ended.errors.hasPrefix(
                "sustain: --cache-type-k f17: not one of f16, bf16, q8_0, q4_0, q4_1, q5_0, q5_1, iq4_nl"))
        #expect(ended.errors.contains("did you mean f16?"))
        #expect(!FileManager.default.fileExists(atPath: workplace.url.path + "/reports"))
    }

    @Test func anotherEngineMayKnowOthers() throws {
        let words = ["--exec", "worker", "-ctk", "tq2_0"]
        let parsed = try OptionParser.parse(words, for: RunOptionTable.spec)
        #expect(try RunOptions(parsed).load.cacheTypeK == "tq2_0")
    }

    private static let model = ProcessInfo.processInfo.environment["SUSTAIN_TEST_MODEL"]

    /// The worker has the last word: its list is this one.
    @Test(.enabled(if: model != nil, "SUSTAIN_TEST_MODEL names no model"))
    func theListIsTheWorkers() throws {
        let ended = try Program.run(
            [
                "run", "--exec", Program.path("sustain-llama"), "--model", try #require(Self.model), "-ctk",
                "f17", "--idle", "0", "--power", "none", "--quiet",
            ], in: workplace)
        #expect(ended.status != 0)
        #expect(ended.errors.contains("\"f17\" is none of \(LlamaCacheType.words)"), "\(ended.errors)")
    }
}

@Suite struct CombinationTests {
    private func names(_ words: String) throws -> [String] {
        let parsed = try OptionParser.parse(
            words.split(separator: " ").map(String.init), for: RunOptionTable.spec)
        return try parsed.combinations().map(\.name)
    }

    @Test func theLastListChangesFastest() throws {
        #expect(
            try names("-t 1,2 -m a,b") == ["-m a -t 1", "-m a -t 2", "-m b -t 1", "-m b -t 2"])
        #expect(try names("-m a -t 4") == [""])
        #expect(try names("-t 1 -t 2 -ctk q8_0") == ["-t 1", "-t 2"])
    }

    @Test func aValueGivenTwiceCountsOnce() throws {
        #expect(try names("-t 2,2") == [""])
        #expect(try names("-t 2,1,2") == ["-t 2", "-t 1"])
        // However it is spelt.
        #expect(try names("-t 1,01,+1") == [""])
        #expect(try names("-t 01,2,1 -ngl -1,-01") == ["-t 01", "-t 2"])
        #expect(try names("-fa 1,on,0,off,auto") == ["-fa 1", "-fa 0", "-fa auto"])
        #expect(try names("-m 1,01") == ["-m 1", "-m 01"])
        let parsed = try OptionParser.parse(["-m", "a", "-t", "2,2"], for: RunOptionTable.spec)
        #expect(try RunOptions(try #require(parsed.combinations().first).options).load.threads == 2)
    }

    /// In a comparison the same value twice is a build held against itself.
    @Test func aComparisonKeepsThem() throws {
        let parsed = try OptionParser.parse(["-m", "a", "-t", "1,1,01"], for: CompareOptionTable.spec)
        #expect(try CompareOptions(parsed).variants.map(\.name) == ["a -t 1", "a -t 1 #2", "a -t 01"])
    }

    @Test func tooManyAreRefused() throws {
        let many = (1...101).map(String.init).joined(separator: ",")
        #expect(throws: Failure.self) { try names("-t \(many) -b \(many)") }
    }
}
