import Foundation
import TestSupport
import Testing

/// `sustain report` as a user calls it: wrong options, what the terminal can do, the index, and thousands of records
/// in small.
@Suite struct ReportCommandTests {
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures")

    private func report(
        _ arguments: [String], in workplace: Workplace, environment: [String: String] = [:]
    ) throws -> Program.Ended {
        let own = ["XDG_CACHE_HOME": workplace.url.appending(path: "cache").path]
        return try Program.run(
            ["report"] + arguments, in: workplace, environment: own.merging(environment) { _, new in new })
    }

    private static let records = fixtures.appending(path: "records/full.json").path

    @Test(arguments: [
        (["--sort", "nope"], "--sort nope", "columns:"), (["--axes", "burst"], "--axes burst", "X,Y of:"),
        (["--filter", "nope=1"], "--filter nope=1", "keys of"),
        (["--filter", "x"], "--filter x", "KEY OP VALUE"),
        (["--filter", "sustained>fast"], "sustained>fast", "compares numbers"),
        (["--since", "yesterday"], "--since yesterday", "7d"),
        (["--checklist", "--pareto"], "--checklist", "leave one of them out"),
        (["--checklist", "-o", "html"], "--checklist -o html", "without --checklist"),
        (["--chart", "rate"], "--chart", "add -o svg"), (["-o", "xml"], "xml", "not one of"),
    ])
    func wrongOptions(arguments: [String], thing: String, remedy: String) throws {
        let workplace = try Workplace()
        let ended = try report(arguments + [Self.records], in: workplace)
        #expect(ended.status == 2 && ended.text.isEmpty)
        #expect(ended.errors.contains(thing) && ended.errors.contains(remedy), "\(ended.errors)")
        withExtendedLifetime(workplace) {}
    }

    @Test func everyFormatTellsOfTheSameRun() throws {
        let workplace = try Workplace()
        for format in ["md", "text", "csv", "json", "jsonl", "html"] {
            let ended = try report(["-o", format, Self.records], in: workplace)
            #expect(ended.status == 0 && ended.errors.isEmpty, "\(format): \(ended.errors)")
            #expect(ended.text.contains("128.9"), "\(format)")
        }
        #expect(try report(["-o", "svg", Self.records], in: workplace).text.hasPrefix("<svg"))
        withExtendedLifetime(workplace) {}
    }

    /// Comparisons are none of the runs: a line says that they are there, where a person reads.
    @Test func comparisonsAreCountedWhereAPersonReads() throws {
        let workplace = try Workplace()
        let files = FileManager.default
        for name in ["b", "a", "empty"] {
            let place = workplace.url.appending(path: "runs/\(name)")
            try files.createDirectory(at: place, withIntermediateDirectories: true)
            guard name != "empty" else { continue }
            let source = Self.fixtures.appending(path: "records/session.json")
            try files.copyItem(at: source, to: place.appending(path: "session.json"))
        }
        try files.createDirectory(
            at: workplace.url.appending(path: "runs/run"), withIntermediateDirectories: true)
        try files.copyItem(
            at: URL(filePath: Self.records), to: workplace.url.appending(path: "runs/run/run.json"))
        for format in ["md", "text"] {
            let ended = try report(["-o", format, "runs"], in: workplace)
            #expect(ended.status == 0)
            #expect(
                ended.errors
                    == "sustain: 2 comparisons are not shown here: `sustain analyze DIR` prints one (the last is runs/b)\n"
            )
        }
        #expect(
            try report(["-o", "md", "runs/a"], in: workplace).errors.contains(
                "`sustain analyze runs/a` prints it"))
        for format in ["csv", "json", "html", "llama-bench"] {
            #expect(try report(["-o", format, "runs"], in: workplace).errors.isEmpty, "\(format)")
        }
        withExtendedLifetime(workplace) {}
    }

    @Test func charactersFollowTheLocale() throws {
        let workplace = try Workplace()
        // The same run twice would count once.
        let text = try String(contentsOfFile: Self.records, encoding: .utf8)
        let copy = try workplace.file("other.json", text.replacingOccurrences(of: "a1b2c3", with: "000001"))
        let others = [Self.records, copy]
        for (locale, isPlain) in [("C", true), ("C.UTF-8", false), ("en_US.utf8", false)] {
            let ended = try report(
                ["--axes", "burst,t/s", "-o", "text", "--runs"] + others, in: workplace,
                environment: ["LC_ALL": locale])
            #expect(ended.text.contains("│") != isPlain, "\(locale): \(ended.text)")
            #expect(!ended.text.contains("\u{1B}"), "no colours in a file")
        }
        withExtendedLifetime(workplace) {}
    }

    @Test func withoutRunsThereIsAHelpfulMessage() throws {
        let workplace = try Workplace()
        for arguments in [["-o", "svg", "--chart", "power"], ["--pareto"], ["-o", "csv"], ["--checklist"]] {
            let ended = try report(arguments + [workplace.url.path], in: workplace)
            #expect(ended.status == 1, "\(arguments): \(ended.errors)")
            #expect(ended.errors.contains("`sustain run --model FILE` makes one"))
        }
        let filtered = try report(["--filter", "sustained>1e9", Self.records], in: workplace)
        #expect(filtered.status == 0 && filtered.text.isEmpty)
        #expect(filtered.errors.contains("1 of 1 runs left out by --filter"))
        withExtendedLifetime(workplace) {}
    }

    /// The bench of thousands of records, in small: it fails where a broken, foreign or half-written one is not named.
    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["SUSTAIN_TEST_PYTHON"] != nil, "no SUSTAIN_TEST_PYTHON"))
    func theBenchInSmall() throws {
        let workplace = try Workplace()
        let bench = Self.fixtures.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "scripts/benches/report").path
        let ended = try Program(
            at: "/usr/bin/env",
            ["python3", bench, "--records", "60", "--turns", "1", "--seconds", "600", "--doubling", "1000"],
            in: workplace,
            environment: ["SUSTAIN_BINARY": Program.path("sustain"), "TMPDIR": workplace.url.path]
        ).wait()
        #expect(ended.status == 0, "\(ended.text)\(ended.errors)")
        #expect(ended.text.contains("60 records") && ended.text.contains("first call, no index"))
        withExtendedLifetime(workplace) {}
    }
}
