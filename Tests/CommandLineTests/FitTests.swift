import Analysis
import Foundation
import TestSupport
import Testing

@Suite struct FitTests {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// A procfs of a machine with so much memory available.
    private func machine(mebibytes: Int) throws -> String {
        let root = workplace.url.appending(path: "proc-\(mebibytes)")
        try FileManager.default.createDirectory(
            at: root.appending(path: "self"), withIntermediateDirectories: true)
        let text = "MemTotal: 33554432 kB\nMemAvailable: \(mebibytes * 1024) kB\n"
        try Data(text.utf8).write(to: root.appending(path: "meminfo"))
        try Data("0::/\n".utf8).write(to: root.appending(path: "self/cgroup"))
        return root.path
    }

    private func fit(
        _ models: [String], mebibytes: Int = 65_536, _ more: [String] = []
    ) throws -> (ended: Program.Ended, document: FitDocument?) {
        let ended = try Program.run(
            ["fit", "--model"] + models + ["--ctx", "4096", "--json", "--exec", "none", "-ngl", "0"] + more
                + ["--path.procfs", try machine(mebibytes: mebibytes)], in: workplace)
        return (ended, try? JSONDecoder().decode(FitDocument.self, from: ended.output))
    }

    @Test func aModelThatFits() throws {
        let model = try SparseModel.write("m.gguf", mebibytes: 4096, in: workplace)
        let (ended, document) = try fit([model])
        #expect(ended.status == 0, "\(ended.errors)")
        let report = try #require(document?.models.first?.fit)
        #expect(report.status == .fits)
        #expect(report.bytes(.kv) == 512 << 20)
        #expect(report.limit?.availableBytes == 64 << 30)
        #expect(document?.firstFitting == model)
        #expect(document?.schema == "sustain.fit/1")
    }

    @Test func bothNumbersAndAllTermsArePrinted() throws {
        let model = try SparseModel.write("m.gguf", mebibytes: 4096, in: workplace)
        let ended = try Program.run(
            [
                "fit", model, "-c", "4096", "--exec", "none", "-ngl", "0", "--path.procfs",
                try machine(mebibytes: 1024),
            ],
            in: workplace)
        #expect(ended.status == 3)
        #expect(ended.text.contains("m.gguf: does_not_fit"))
        for term in ["weights", "kv", "compute", "fixed", "transient", "new allocation", "whole set"] {
            #expect(ended.text.contains(term), "no \(term)")
        }
        // 512 MiB x 1.11, and what the whole set needs.
        #expect(ended.text.contains("568.32 MiB"))
        #expect(ended.text.contains("1.00 GiB available (live: MemAvailable)"))
    }

    @Test func ofSeveralModelsTheFirstThatFits() throws {
        let models = try [8192, 4096, 512].map {
            try SparseModel.write("m\($0).gguf", mebibytes: UInt64($0), in: workplace)
        }
        let (ended, document) = try fit(models, mebibytes: 6144)
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(document?.firstFitting == models[1])
        #expect(document?.models.map(\.fit.status) == [.doesNotFit, .fits, .fits])
        let (none, nothing) = try fit(models, mebibytes: 800)
        #expect(none.status == 3)
        #expect(nothing?.firstFitting == nil)
    }

    @Test func aLimitOfTheUsers() throws {
        let model = try SparseModel.write("m.gguf", mebibytes: 4096, in: workplace)
        let (ended, document) = try fit([model], ["--limit", "4GiB"])
        #expect(ended.status == 3)
        #expect(document?.models.first?.fit.limit?.origin == .static)
        #expect(document?.models.first?.fit.limit?.availableBytes == 4 << 30)
    }

    @Test func whatCannotBeRead() throws {
        let (missing, document) = try fit([workplace.url.path + "/none.gguf"])
        #expect(missing.status == 1)
        #expect(document?.models.first?.fit.code == .metadataNotReady)
        #expect(try fit([workplace.url.path]).ended.status == 2)
        #expect(try Program.run(["fit", "--model", "m.gguf"], in: workplace).status == 2)
        #expect(try Program.run(["fit", "--ctx", "8"], in: workplace).status == 2)
        #expect(try fit(["m.gguf"], ["--limit", "much"]).ended.status == 2)
    }

    /// Nobody waits at a FIFO, and what can be read is told of.
    @Test func ofSeveralOneThatIsNoModel() throws {
        let fifo = workplace.url.appending(path: "pipe.gguf").path
        try #require(mkfifo(fifo, 0o600) == 0)
        let model = try SparseModel.write("m.gguf", mebibytes: 64, in: workplace)
        let missing = workplace.url.path + "/none.gguf"
        let (ended, document) = try fit([fifo, workplace.url.path, missing, model])
        #expect(ended.status == 0, "\(ended.errors)")
        let models = try #require(document?.models)
        #expect(models.map(\.fit.status) == [.cannotTell, .cannotTell, .cannotTell, .fits])
        #expect(models.prefix(3).allSatisfy { $0.fit.code == .metadataNotReady })
        #expect(models[0].fit.reason.contains("FIFO") && models[1].fit.reason.contains("directory"))
        #expect(document?.firstFitting == model)
        // The only one is an argument that cannot be meant.
        #expect(try fit([fifo]).ended.status == 2)
    }

    @Test func recordsThatAreNotThere() throws {
        let model = try SparseModel.write("m.gguf", mebibytes: 64, in: workplace)
        for place in ["/nonexist", model] {
            let ended = try fit([model], ["--records", place]).ended
            #expect(ended.status == 2)
            #expect(
                ended.errors.contains("--records \(place): is no directory that can be read"),
                "\(ended.errors)")
        }
        // The usual place need not be there.
        #expect(try fit([model]).ended.status == 0)
        #expect(try fit([model], ["--records", workplace.url.path]).ended.status == 0)
    }

    @Test func aHeaderThatDoesNotTell() throws {
        let bare = workplace.url.appending(path: "bare.gguf")
        try TinyModel.bytes().write(to: bare)
        let (ended, document) = try fit([bare.path])
        #expect(ended.status == 3)
        let fit = try #require(document?.models.first?.fit)
        #expect(fit.status == .cannotTell && fit.code == .sizingUnavailable)
        #expect(fit.reason.hasPrefix("the header does not tell the size of the cache"), "\(fit.reason)")
    }

    /// A python3 with the jsonschema package, named by SUSTAIN_TEST_PYTHON.
    private static let python = ProcessInfo.processInfo.environment["SUSTAIN_TEST_PYTHON"]

    @Test(.enabled(if: python != nil, "SUSTAIN_TEST_PYTHON names no python3"))
    func theDocumentIsAsDescribed() throws {
        let model = try SparseModel.write("m.gguf", mebibytes: 64, in: workplace)
        let ended = try fit([model, workplace.url.path + "/none.gguf"], ["--mmproj", model]).ended
        let document = try workplace.file("fit.json", ended.text)
        let schema = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/fit.schema.json").path
        let program = """
            import json, sys, jsonschema
            schema, document = (json.load(open(name)) for name in sys.argv[1:])
            jsonschema.Draft202012Validator.check_schema(schema)
            validator = jsonschema.Draft202012Validator(schema)
            bad = [error.json_path + ": " + error.message for error in validator.iter_errors(document)]
            del document["models"][0]["fit"]["whole_set"]["need_bytes"]
            assert list(validator.iter_errors(document)), "a gate without its number passed"
            sys.exit("\\n".join(bad) or 0)
            """
        let checked = try Program(
            at: try #require(Self.python), ["-c", program, schema, document], in: workplace
        ).wait()
        #expect(checked.status == 0, "\(checked.errors)")
    }

    @Test func aRunIsRefusedBeforeAnythingIsLoaded() throws {
        let run = try ScriptedRun()
        let model = try SparseModel.write("m.gguf", mebibytes: 4096, in: run.workplace)
        let ended = try run.run(["-m", model, "-ngl", "0", "--path.procfs", try machine(mebibytes: 1024)])
        #expect(ended.status == 4, "\(ended.errors)")
        #expect(ended.errors.contains("569 MiB may be taken"))
        // Told at once: nothing was hashed for it.
        #expect(!ended.errors.contains("hashing"))
        let record = try run.record()
        #expect(record.artifact.value?.sha256.reason == "the run was refused before the model was hashed")
        #expect(record.outcome.status == .refused)
        let fit = try #require(record.memory.fit?.value)
        #expect(fit.status == .doesNotFit)
        #expect(fit.wholeSet?.needBytes ?? 0 > 4 << 30)
        let log = try run.workplace.runDirectory().appending(path: "worker.log")
        #expect(!FileManager.default.fileExists(atPath: log.path))
        #expect(record.engine.value == nil)
    }

    @Test func aRunKeepsItsEstimate() throws {
        let run = try ScriptedRun()
        let model = try SparseModel.write("m.gguf", mebibytes: 64, in: run.workplace)
        let ended = try run.run(["-m", model, "-ngl", "0", "-r", "1"])
        #expect(ended.status == 0, "\(ended.errors)")
        let fit = try #require(try run.record().memory.fit?.value)
        #expect(fit.status != .doesNotFit)
        #expect(fit.bytes(.weights) > 64 << 20)
        #expect(fit.parameters.stepTokens == 8)
        let estimate = try #require(try run.record().memory.estimatedPeak)
        #expect(estimate.bytes == fit.estimateBytes && estimate.origin == .reserve)
        #expect(estimate.overMeasured.number != nil)
        #expect(ended.text.contains("with reserves:"), "\(ended.text)")
        let without = try ScriptedRun()
        _ = try without.run(["-r", "1"])
        #expect(try without.record().memory.fit?.value?.code == .metadataNotReady)
    }
}

/// With the engine that has a dry run.
@Suite struct FitLlamaTests {
    private static let model = ProcessInfo.processInfo.environment["SUSTAIN_TEST_MODEL"]

    @Test(.enabled(if: model != nil, "SUSTAIN_TEST_MODEL names no model"))
    func theDryRunComesFirst() throws {
        let place = try Workplace()
        let model = try #require(Self.model)
        let ended = try Program.run(["fit", "-m", model, "-c", "640", "--json"], in: place)
        let document = try JSONDecoder().decode(FitDocument.self, from: ended.output)
        let fit = try #require(document.models.first?.fit)
        #expect(fit.status == .fits, "\(fit.reason)")
        let kv = try #require(fit.terms.first { $0.name == .kv })
        #expect(kv.origin == .engine)
        // 768 cells of 30 layers; the log has two decimals of a MiB.
        #expect(abs(Double(kv.bytes) - 16.875 * 1_048_576) < 6000)
        #expect(fit.terms.first { $0.name == .compute }?.origin == .engine)
        #expect(fit.warnings.allSatisfy { !$0.contains("dry run") })
    }

    @Test(.enabled(if: model != nil, "SUSTAIN_TEST_MODEL names no model"))
    func aModelThatTheEngineRefusesIsSizedByFormula() throws {
        let place = try Workplace()
        let model = try SparseModel.write("m.gguf", mebibytes: 64, in: place)
        let ended = try Program.run(["fit", "-m", model, "-c", "640", "--json"], in: place)
        let document = try JSONDecoder().decode(FitDocument.self, from: ended.output)
        let fit = try #require(document.models.first?.fit)
        #expect(fit.terms.first { $0.name == .kv }?.origin == .formula)
        #expect(fit.warnings.contains { $0.contains("dry run failed") })
    }

    /// Three real runs: the third has learnt from the two before it.
    @Test(.enabled(if: model != nil, "SUSTAIN_TEST_MODEL names no model"))
    func theEstimateHoldsAgainstTheMeasuredPeak() throws {
        let place = try Workplace()
        let model = try #require(Self.model)
        for (number, context) in [512, 2048, 1024].enumerated() {
            let ended = try Program.run(
                [
                    "run", "-m", model, "-c", "\(context)", "-p", "64", "-n", "4", "-r", "1", "--warmup", "0",
                    "--idle", "0", "--power", "none", "--label", "r\(number)", "--json", "--quiet",
                ], in: place)
            #expect(ended.status == 0, "\(ended.errors)")
            let memory = try JSONDecoder().decode(Record.self, from: ended.output).memory
            let peak = try #require(memory.peakRSSBytes.number)
            let fit = try #require(memory.fit?.value)
            let estimate = Double(try #require(fit.estimateBytes))
            #expect(estimate >= 0.95 * peak, "context \(context): \(estimate) for \(peak)")
            #expect(fit.learntFrom == (number == 0 ? nil : number))
            let told = try #require(memory.estimatedPeak)
            #expect(told.origin == (number == 0 ? .reserve : .learnt) && told.runs == fit.learntFrom)
            #expect(told.overMeasured.number.map { abs(($0 + 1) * peak - estimate) < 1 } == true)
            if number == 2 { #expect(estimate <= 1.1 * peak, "\(estimate) for \(peak)") }
        }
    }
}

/// In a control group of the real kernel.
@Suite(.serialized) struct FitControlGroupTests {
    private func inGroup(_ arguments: [String], in place: Workplace) throws -> Program.Ended {
        try #require(MemoryGroup(limit: 1 << 30)).run(arguments, in: place)
    }

    @Test(.enabled(if: MemoryGroup.isPossible, "no control group with a memory limit can be made here"))
    func oneGibibyteFreeAndAModelOfFour() throws {
        let place = try Workplace()
        let model = try SparseModel.write("m.gguf", mebibytes: 4096, in: place)
        let ended = try inGroup(
            ["fit", "-m", model, "-c", "4096", "--exec", "none", "--json", "-ngl", "0"], in: place)
        #expect(ended.status == 3, "\(ended.errors)")
        let fit = try #require(
            try JSONDecoder().decode(FitDocument.self, from: ended.output).models.first?.fit)
        #expect(fit.status == .doesNotFit)
        #expect(fit.limit?.origin == .cgroup)
        #expect(fit.limit?.availableBytes ?? 0 <= 1 << 30)
        #expect(fit.wholeSet?.needBytes ?? 0 > 4 << 30)
    }

    @Test(.enabled(if: MemoryGroup.isPossible, "no control group with a memory limit can be made here"))
    func aRunThereIsRefused() throws {
        let run = try ScriptedRun()
        let model = try SparseModel.write("m.gguf", mebibytes: 4096, in: run.workplace)
        let script = try run.workplace.file("script.json", "{}")
        let ended = try inGroup(
            ["run", "--exec", "\(Program.path("scripted-engine")) \(script)", "-m", model, "-ngl", "0"]
                + run.arguments, in: run.workplace)
        #expect(ended.status == 4, "\(ended.errors)")
        // Both numbers: what it needs and what may be taken.
        let words = try #require(ended.errors.split(separator: "\n").first { $0.contains("does not fit") })
        #expect(
            words.firstMatch(of: /needs \d{4,} MiB where only \d{1,3} MiB may be taken/) != nil, "\(words)")
        #expect(words.contains("available, cgroup"))
        let record = try run.record()
        #expect(record.memory.fit?.value?.limit?.origin == .cgroup)
        #expect(record.engine.value == nil)
    }
}
