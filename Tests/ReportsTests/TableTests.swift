import Analysis
import Testing

@testable import Reports

@Suite struct TableTests {
    @Test func oneRunWithEnergy() throws {
        try Golden.expect(markdown([RecordBuilder()]), "tables/one-run.md")
    }

    @Test func oneRunWithoutEnergy() throws {
        try Golden.expect(markdown([RecordBuilder(joulesPerToken: nil)]), "tables/no-energy.md")
    }

    @Test func mixedRuns() throws {
        try Golden.expect(markdown(mixed), "tables/mixed.md")
        try Golden.expect(render(mixed, .text), "tables/mixed.txt")
    }

    @Test func summaries() throws {
        try Golden.expect(RunSummary.text(RecordBuilder().build()), "tables/summary.txt")
        try Golden.expect(
            RunSummary.text(RecordBuilder(joulesPerToken: nil).build()), "tables/summary-no-energy.txt")
        let failed = RecordBuilder(sustained: nil, status: .engineFailed, failedCheck: "other_load")
        try Golden.expect(RunSummary.text(failed.build()), "tables/summary-failed.txt")
    }

    /// Where a package is dead the energy is not that of the machine: said at the number, and below.
    @Test func deadPackagesAreMarked() throws {
        var record = RecordBuilder(includes: ["rapl:package-1/dram"], scope: "dram only").build()
        record.sources.append(
            SourceSummary(
                id: "rapl:package-1", kind: .known(.counter),
                scope: .known(.init(domain: "package", device: "package-1")), status: .dead,
                reason: "never moved in 6000 reads",
                updatePeriodSeconds: .unavailable("the value never moved"), voidIntervals: []))
        let note = "† energy without rapl:package-1, which is dead: never moved in 6000 reads"
        func table(_ record: Record, _ format: ReportFormat) throws -> String {
            try Report.render(ReportOptions(pareto: false, format: format), [.record(record, path: "x")]).text
        }
        for text in [RunSummary.text(record), try table(record, .text)] {
            #expect(text.contains(note), "\(text)")
            #expect(text.split(separator: "\n").filter { $0.contains(" †") }.count >= 2, "\(text)")
        }
        // One that something else tells in its place, or that no total would have, is missed by nobody.
        for scope in [
            SourceLine.Scope(domain: "dram", device: "package-0"),
            SourceLine.Scope(domain: "psys", device: "psys"),
        ] {
            record.sources[record.sources.count - 1].scope = .known(scope)
            #expect(!(try table(record, .text)).contains("†"))
        }
    }

    /// A summary has every ± that there is, and no line of its tables is too wide.
    @Test func intervalsStandWithTheirNumbers() throws {
        let lines = RunSummary.text(RecordBuilder().build()).split(separator: "\n")
        let row = lines.filter { $0.hasPrefix("| tg256") }.joined()
        #expect(row.split(separator: "|").count { $0.contains("±") } == 6, "\(row)")
        #expect(lines.filter { $0.hasPrefix("|") }.allSatisfy { $0.count <= 110 })
    }

    /// pb-random-v1 is labelled wherever its figures stand, and the varied gap where the protocol does.
    @Test func whatAProtocolSaysOfItselfIsShown() throws {
        var record = RecordBuilder().build()
        record.protocol.name = "pb-random-v1"
        record.protocol.prefillBatchTokens = 1
        record.protocol.variedGap = Seconds(0.5)
        let rates = ColdAndWarm.Rates(prefill: .once(31, method: "m"), decode: .once(70.7, method: "m"))
        record.metrics.coldAndWarm = ColdAndWarm(
            cold: rates, warm: [rates], medianWarmDecode: .once(68.41, method: "m"))
        let summary = RunSummary.text(record, width: 400)
        #expect(
            summary.contains(
                "median of warm decodes 68.41 t/s; prefill and decode cold 31.00 and 70.70, warm 31.00 and "
                    + "70.70; not a controlled environment"))
        #expect(summary.contains("600 s, prompt taken 1 token at a time, gap between cycles varied by 0 to "))
        let table = try Report.render(ReportOptions(format: .text), [.record(record, path: "")]).text
        #expect(table.contains("pb-random-v1 is not a controlled environment"))
        let usual = try Report.render(
            ReportOptions(format: .text), [.record(RecordBuilder().build(), path: "")])
        #expect(!usual.text.contains("controlled environment"))
    }

    @Test func pareto() throws {
        try Golden.expect(render(mixed, .markdown, pareto: true), "tables/pareto.md")
        try Golden.expect(render(mixed, .text, pareto: true), "tables/pareto.txt")
        let none = [RecordBuilder(joulesPerToken: nil)]
        try Golden.expect(render(none, .text, pareto: true), "tables/pareto-no-energy.txt")
    }

    /// The keys that llama.cpp's scripts/compare-llama-bench.py asks for and knows: it refuses others.
    @Test func llamaBenchHasItsOwnKeysAlone() throws {
        let text = try render([RecordBuilder()], .llamaBench)
        try Golden.expect(text, "tables/llama-bench.json")
        let rows = try CanonicalJSON.decode([[String: JSONValue]].self, from: Array(text.utf8))
        let known = """
            build_commit build_number cpu_info gpu_info backends model_filename model_type model_size model_n_params \
            n_batch n_ubatch n_threads cpu_mask cpu_strict poll type_k type_v n_gpu_layers split_mode main_gpu \
            no_kv_offload flash_attn tensor_split tensor_buft_overrides use_mmap embeddings no_op_offload n_prompt n_gen \
            n_depth test_time avg_ns stddev_ns avg_ts stddev_ts samples_ns samples_ts
            """
        #expect(rows.count == 2)
        for row in rows { #expect(Set(row.keys) == Set(known.split(separator: " ").map(String.init))) }
    }

    /// A commit where the engine tells one, and nothing that only looks like it.
    @Test(arguments: [
        ("0.5.0 (b1234)", ""),
        ("0.5.0-dev (llama 0.5.0-dev, ggml 0.25.3 (unknown), struct sizes checked)", ""),
        ("0.5.0 (llama 0.5.0, ggml 0.25.3 (6b74bab8), GCC: (Debian 12.2.0-14) 12.2.0)", "6b74bab8"),
        ("0.5.0 (ggml 0.25.3 (6b74bab-dirty))", "6b74bab-dirty"),
        (
            "1 (clang version 17.0.6 (https://github.com/llvm/llvm-project 6009708b4367171ccdbf4b5905cb6a803753fe18))",
            ""
        ),
        ("1 (gcc 13.2.1 (20231205))", ""), ("2.1, commit 0a1b2c3d4e, release", "0a1b2c3d4e"), ("b1234", ""),
    ])
    func theCommitIsTheEngines(build: String, commit: String) throws {
        let text = try render([RecordBuilder(engineBuild: build)], .llamaBench)
        let rows = try CanonicalJSON.decode([[String: JSONValue]].self, from: Array(text.utf8))
        #expect(rows.map { $0["build_commit"]?.string } == [commit, commit])
        #expect(!text.contains("abababab"))
        #expect(try render([RecordBuilder(engineBuild: build)], .csv).contains("abababab"))
    }

    /// What the engine of a failed run never reported stands with how it ended.
    @Test func failedRunsSayWhatTheyWereAskedFor() throws {
        let usual: [String: JSONValue] = [
            "cache-type-k": .array([.string("f16")]), "batch-size": .array([.string("2048")]),
        ]
        func run(_ id: String, _ threads: String, _ status: OutcomeLine.Status) -> RecordBuilder {
            RecordBuilder(
                id: "20261130T005600Z-m-\(id)",
                parameters: status == .completed ? RecordBuilder.usualParameters : [:],
                asked: usual.merging(["threads": .array([.string(threads)])]) { $1 }, status: status)
        }
        let text = try render(
            [run("000001", "2", .completed), run("000002", "64", .engineFailed)], .markdown)
        #expect(
            text.contains("run 000002 engine failed with --threads 64 (in sustained: SIGSEGV)"), "\(text)")
        // One that came to its end shows its values in its cells.
        #expect(!text.contains("--threads 2"))
    }

    @Test func exports() throws {
        try Golden.expect(render(mixed, .csv), "tables/mixed.csv")
        try Golden.expect(render([RecordBuilder(sustained: nil)], .json, pareto: true), "tables/one-run.json")
    }

    var mixed: [RecordBuilder] {
        var fast = RecordBuilder(
            id: "20261130T015600Z-fast-000001", label: "eight threads", joulesPerToken: 0.52, sustained: 190.1
        )
        fast.parameters["threads"] = .integer(8)
        fast.parameters["flash_attention"] = .string("on")
        var worse = RecordBuilder(id: "20261130T025600Z-worse-000002", joulesPerToken: 0.6, sustained: 120)
        worse.parameters["threads"] = .integer(1)
        return [
            RecordBuilder(),
            fast,
            worse,
            RecordBuilder(id: "20261130T035600Z-none-000003", joulesPerToken: nil, sustained: 200),
            RecordBuilder(id: "20261130T045600Z-cut-000004", sustained: nil, status: .interrupted),
            RecordBuilder(
                id: "20261130T055600Z-busy-000005", joulesPerToken: 0.1, sustained: 300,
                failedCheck: "other_load"),
        ]
    }

    func markdown(_ builders: [RecordBuilder]) throws -> String { try render(builders, .markdown) }

    func render(_ builders: [RecordBuilder], _ format: ReportFormat, pareto: Bool = false) throws -> String {
        let stored = builders.map { StoredRun.record($0.build(), path: "reports/\($0.id)/run.json") }
        return try Report.render(ReportOptions(pareto: pareto, format: format), stored).text
    }

    @Test func anUnreliableNetIsSaidBelowTheTable() throws {
        var record = RecordBuilder().build()
        func note(_ record: Record) throws -> Bool {
            try Report.render(ReportOptions(format: .text), [.record(record, path: "")]).text
                .contains("net is unreliable: other processes used 80 % of a core in idle_before\n")
        }
        #expect(!(try note(record)))
        record.metrics.decode.net.joules = .once(
            5,
            method:
                "counter at edges, less idle before and after, unreliable: other processes used 80 % of a "
                + "core in idle_before; t interval over 9 windows")
        #expect(try note(record))
    }
}
