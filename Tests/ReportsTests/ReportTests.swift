import Analysis
import Testing

@testable import Reports

@Suite struct ReportTests {
    @Test(arguments: [
        ("t/s", ["a", "b", "c"]), ("sustained", ["b", "c", "a"]), ("-sustained", ["c", "b", "a"]),
        ("J/tok gross", ["c", "b", "a"]), ("JOULES_PER_TOKEN_GROSS", ["c", "b", "a"]),
        ("threads", ["a", "c", "b"]),
        ("run", ["a", "b", "c"]),
    ])
    func sorting(name: String, expected: [String]) throws {
        let runs = [
            RecordBuilder(id: "a", joulesPerToken: nil, sustained: nil),
            RecordBuilder(id: "b", parameters: ["threads": .integer(8)], joulesPerToken: 0.5, sustained: 150),
            RecordBuilder(id: "c", joulesPerToken: 0.4, sustained: 140),
        ].map { Run($0.build(), path: "") }
        #expect(try RunOrder(name, for: runs).sorted(runs).map(\.digest.id) == expected)
    }

    @Test func unknownColumnIsAUsageError() {
        let failure = #expect(throws: Failure.self) {
            try Report.render(ReportOptions(sort: "nope"), [.record(RecordBuilder().build(), path: "")])
        }
        #expect(failure?.exit == .usage)
        #expect(failure?.remedy?.contains("J/tok gross") == true)
    }

    @Test func labelFilter() throws {
        let stored = ["Fan On", nil, "fan off"].enumerated().map { index, label in
            StoredRun.record(RecordBuilder(id: "run\(index)", label: label).build(), path: "")
        }
        let on = try Report.render(ReportOptions(format: .jsonl, label: "fan ON"), stored)
        #expect(on.text.split(separator: "\n").count == 2)
        #expect(on.notes == ["2 of 3 runs left out by --label"])
    }

    @Test func nothingFound() throws {
        let options = ReportOptions(directories: ["re\u{1B}ports"])
        let result = try Report.render(options, [.problem(path: "x\u{7}", reason: "broken JSON")])
        #expect(result.text.isEmpty)
        #expect(result.notes.count == 2)
        #expect(result.notes[0] == "x\\u{7}: broken JSON")
        #expect(result.notes[1].contains("sustain run --model"))
        #expect(try Report.render(ReportOptions(format: .json), []).text == "[\n\n]\n")
        #expect(try Report.render(ReportOptions(format: .csv), []).text.split(separator: "\r\n").count == 1)
    }

    @Test func columnsFollowLlamaBench() throws {
        func titles(_ builders: [RecordBuilder]) -> [String] {
            RunTable(builders.map { Run($0.build(), path: "") }).columns.map(\.title)
        }
        let ours = ["W", "J/tok gross", "net", "burst", "sustained", "kept", "peak mem"]
        let usual = ["model", "size", "params", "backend", "threads", "test", "t/s"]
        #expect(titles([RecordBuilder()]) == usual + ours)
        var gpu = RecordBuilder(backends: ["CUDA", "CPU"])
        #expect(titles([gpu]) == ["model", "size", "params", "backend", "ngl", "test", "t/s"] + ours)
        gpu.parameters["batch_tokens"] = .integer(1024)
        gpu.parameters["cache_type_k"] = .string("q8_0")
        gpu.parameters["flash_attention"] = .string("on")
        gpu.parameters["load_mode"] = .string("mmap")
        #expect(
            titles([gpu]) == [
                "model", "size", "params", "backend", "ngl", "n_batch", "type_k", "fa", "lm", "test", "t/s",
            ]
                + ours)
        // What was asked for decides, not what the engine made of it; but what tells runs apart is shown.
        var clamped = RecordBuilder(id: "clamped").build()
        clamped.options = .object([
            "batch-size": .array([.string("2048")]), "flash-attn": .array([.string("auto")]),
        ])
        var parameters = RecordBuilder.usualParameters
        parameters["batch_tokens"] = .integer(384)
        parameters["flash_attention"] = .string("on")
        if case .known(var engine) = clamped.engine {
            engine.parameters = .object(parameters)
            clamped.engine = .known(engine)
        }
        let plain = Run(clamped, path: "")
        #expect(RunTable([plain]).columns.map(\.title) == usual + ours)
        let both = RunTable([plain, Run(RecordBuilder().build(), path: "")]).columns.map(\.title)
        #expect(both.contains("n_batch") && both.contains("fa"))
        // A build on the GPU beside one on the CPU: both parameters stand.
        gpu.id = "other"
        #expect(titles([RecordBuilder(), gpu]).contains("threads"))
        #expect(titles([RecordBuilder(), gpu]).last == "run")
    }

    @Test func absenceIsNeverZero() throws {
        var record = RecordBuilder(joulesPerToken: nil, sustained: nil, status: .refused).build()
        record.artifact = .unavailable("no such file")
        record.engine = .unavailable("never started")
        let text = try Report.render(ReportOptions(format: .text), [.record(record, path: "")]).text
        for reason in ["no such file", "never started", "no energy source", "short run"] {
            #expect(text.contains(reason))
        }
        let rows = text.split(separator: "\n").filter { $0.contains("tg256") }
        #expect(rows.count == 1)
        #expect(rows.allSatisfy { !$0.contains(" 0 ") && !$0.contains("0.00") && !$0.contains("nan") })
        let csv = try Report.render(ReportOptions(format: .csv), [.record(record, path: "")]).text
        #expect(csv.contains("never started"))
    }

    @Test func gpuOnlyIsSaid() throws {
        let gpu = RecordBuilder(includes: ["nvml:0"], scope: "GPU only")
        let text = try Report.render(ReportOptions(format: .text), [.record(gpu.build(), path: "")]).text
        #expect(text.contains("energy covers GPU only (nvml:0)"))
    }

    @Test func shortRunsAreMarked() throws {
        var record = RecordBuilder().build()
        record.metrics.sustained = .once(120, method: "short run: decode steps / decode seconds")
        let text = try Report.render(ReportOptions(format: .text), [.record(record, path: "")]).text
        #expect(text.contains("sustained is that of a short run"))
        #expect(RunSummary.text(record).contains("sustained 120.0 t/s (short run)"))
    }

    @Test func oneReasonIsSaidOnce() {
        var record = RecordBuilder().build()
        let none = Figure.unavailable("no whole cycle")
        record.metrics.burst = none
        record.metrics.sustained = none
        record.metrics.retained = none
        let text = RunSummary.text(record)
        #expect(text.contains("burst, sustained, kept n/a (no whole cycle), droop onset n/a"))
    }

    @Test func colourAddsNothingButColour() {
        let record = RecordBuilder(status: .engineFailed, failedCheck: "other_load").build()
        let plain = RunSummary.text(record)
        var stripped = RunSummary.text(record, colour: true)
        #expect(stripped != plain)
        for code in ["1", "31", "33", "0"] { stripped = stripped.replacing("\u{1B}[\(code)m", with: "") }
        #expect(stripped == plain)
    }

    @Test(arguments: [nil, 0.3731, 12345.678])
    func summaryStaysWithinItsWidth(joules: Double?) {
        let text = RunSummary.text(RecordBuilder(joulesPerToken: joules).build())
        for line in text.split(separator: "\n") { #expect(line.displayWidth <= 120, "\(line)") }
    }

    @Test func memoryOfAnotherKindIsNamed() throws {
        var other = RecordBuilder(id: "other").build()
        other.memory.accounting = "gpu"
        let stored = [StoredRun.record(RecordBuilder(id: "one").build(), path: ""), .record(other, path: "")]
        let text = try Report.render(ReportOptions(format: .text), stored).text
        #expect(
            text.contains(
                "peak mem is not counted alike and not to be ranked: mapped (run one); gpu (run other)"))
    }

    @Test func samplesAsInLlamaBench() throws {
        let rows = RunRow.rows(of: Run(RecordBuilder().build(), path: ""))
        let decode = Samples(rows[1])
        // 255 steps in 2.00, 2.05 and 2.10 s; the generation that the deadline cut is not among them.
        #expect(decode.nanoseconds == [2_000_000_000, 2_050_000_000, 2_100_000_000])
        let mean = (255 / 2.0 + 255 / 2.05 + 255 / 2.1) / 3
        guard case .number(let average) = Samples.mean(decode.rates) else {
            Issue.record("no average")
            return
        }
        #expect(abs(average - mean) < 1e-9)
        #expect(Samples.deviation([3]).reason == "one observation")
        guard case .number(let deviation) = Samples.deviation([1, 2, 3, 4]) else {
            Issue.record("no deviation")
            return
        }
        #expect(abs(deviation - 1.2909944487358056) < 1e-12)
    }
}
