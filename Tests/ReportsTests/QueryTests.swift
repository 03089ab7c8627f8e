import Analysis
import Testing

@testable import Reports

/// `--filter`, `--since` and `--checklist`, with all that may be wrong about them.
@Suite struct QueryTests {
    private var runs: [Run] {
        [
            RecordBuilder(id: "a", label: "Fan on", sustained: 100),
            RecordBuilder(id: "b", joulesPerToken: nil, sustained: 50),
            RecordBuilder(id: "c", sustained: nil, status: .engineFailed),
        ].map { Run($0.build(), path: "p") }
    }

    @Test(arguments: [
        ("sustained>60", ["a"]), ("sustained>=50", ["a", "b"]), ("sustained < 60", ["b"]),
        ("sustained<=100", ["a", "b"]), ("sustained=50", ["b"]), ("sustained!=50", ["a"]),
        ("status=engine_failed", ["c"]), ("STATUS!=completed", ["c"]), ("label~fan", ["a"]),
        ("label=FAN ON", ["a"]), ("joules_per_token_gross>0", ["a", "c"]), ("J/tok gross>0", ["a", "c"]),
        ("threads=2", ["a", "b", "c"]), ("n_threads>2", []), ("id!=b", ["a", "c"]),
        ("excluded=false", ["a", "b", "c"]),
        ("quantization=Q4_1", ["a", "b", "c"]), ("quantization=q4_0", []),
        ("model_type~135m", ["a", "b", "c"]),
        ("label=", []),
    ])
    func filters(text: String, expected: [String]) throws {
        #expect(try RunFilter(text).apply(runs).kept.map(\.digest.id) == expected)
    }

    /// What has no value is not meant by any comparison, and it is said how many had none.
    @Test func absenceMatchesNothing() throws {
        let (kept, note) = try RunFilter("joules_per_token_gross!=7").apply(runs)
        #expect(kept.map(\.digest.id) == ["a", "c"])
        #expect(
            note == "1 of 3 runs left out by --filter joules_per_token_gross!=7 (1 of them have no "
                + "joules_per_token_gross)")
        #expect(try RunFilter("id~").apply(runs).note == nil)
    }

    @Test(arguments: [
        "", "sustained", "nope=1", "=1", "sustained>fast", "samples_ts=1", ">5", "sus\u{1B}=1",
    ])
    func badFilters(text: String) {
        let failure = #expect(throws: Failure.self) { try RunFilter(text) }
        #expect(failure?.exit == .usage && failure?.remedy != nil)
    }

    @Test func filtersAddUp() throws {
        let stored = runs.map(StoredRun.run)
        let options = ReportOptions(format: .jsonl, filters: ["sustained>10", "label~fan"])
        let result = try Report.render(options, stored)
        #expect(result.text.split(separator: "\n").count == 2)
        #expect(result.notes.map { $0.prefix(1) } == ["1", "1"])
    }

    private static let now: Int64 = 1_797_000_000 * 1_000_000_000

    @Test(arguments: [
        ("2026-11-30", true), ("2026-12-01", false), ("2026-11-30T00:56:00Z", true),
        ("2026-11-30T00:56:01Z", false), ("2026-11-30T01:30:00+01:00", true), ("0m", false), ("1000w", true),
    ])
    func since(text: String, isMeant: Bool) throws {
        let kept = try Since(text, now: Self.now).apply(runs).kept
        #expect(kept.isEmpty != isMeant)
    }

    @Test(arguments: ["", "yesterday", "2026", "2026-13-01", "2026-11-31", "-3d", "d", "nand", "1e30d", "7D"])
    func badMoments(text: String) {
        let failure = #expect(throws: Failure.self) { try Since(text, now: Self.now) }
        #expect(failure?.exit == .usage && failure?.remedy?.contains("7d") == true)
    }

    @Test func aRunThatDoesNotSayWhenIsLeftOutAndCounted() throws {
        var record = RecordBuilder().build()
        record.started = "some time"
        let (kept, note) = try Since("2000-01-01", now: Self.now).apply([Run(record, path: "p")])
        #expect(kept.isEmpty && note?.contains("1 of them do not say when they began") == true)
    }

    @Test func checklist() throws {
        let stored = runs.map(StoredRun.run)
        for (format, name) in [(ReportFormat.markdown, "checklist.md"), (.csv, "checklist.csv")] {
            let options = ReportOptions(format: format, checklist: true)
            try Golden.expect(Report.render(options, stored).text, "tables/\(name)")
        }
        let json = try Report.render(ReportOptions(format: .jsonl, checklist: true), stored).text
        #expect(json.split(separator: "\n").count == 3)
        #expect(throws: Failure.self) {
            try Report.render(ReportOptions(format: .html, checklist: true), stored)
        }
    }

    /// Every answer is one that the record bears out: what is taken away is not met any more.
    @Test func whatIsLackingIsNotMet() throws {
        func status(_ key: String, _ change: (inout Record) -> Void) throws -> Checklist.Status {
            var record = RecordBuilder().build()
            change(&record)
            return try #require(Checklist(record: record).answers.first { $0.item.key == key }).answer.status
        }
        #expect(try status("release") { _ in } == .met)
        #expect(try status("release") { $0.tool.buildType = "debug" } == .notMet)
        #expect(try status("canary") { _ in } == .met)
        #expect(try status("canary") { $0.metrics.decodeCanary = nil } == .notMeasured)
        #expect(try status("cool") { _ in } == .notMeasured)
        #expect(
            try status("cool") {
                $0.environment.filter.verdicts.append(Condition("temperature", .pass, seen: "20 K under"))
            } == .met)
        #expect(
            try status("cool") {
                $0.environment.filter.verdicts.append(Condition("throttling", .fail, seen: "3 more"))
                $0.environment.filter.excluded = true
            } == .met, "excluded and counted")
        #expect(try status("memory") { _ in } == .met)
        #expect(try status("memory") { $0.memory.points["after_load"] = nil } == .notMet)
        #expect(try status("memory") { $0.memory.points = [:] } == .notMeasured)
        #expect(try status("budget") { _ in } == .met)
        #expect(try status("budget") { $0.metrics.truncated = 2 } == .notMet)
        #expect(
            try status("device") { $0.environment.identity["virtualization"] = .known("virtual machine") }
                == .notMet)
        #expect(try status("device") { $0.options = .object(["path.sysfs": .string("/tmp/x")]) } == .notMet)
        #expect(try status("entitlement") { _ in } == .notApplicable)
    }
}
