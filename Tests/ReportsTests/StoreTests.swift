import Analysis
import FoundationEssentials
import Glibc
import Testing

@testable import Reports

@Suite struct StoreTests {
    @Test func findsRecordsAndNamesProblems() throws {
        try withDirectory { root in
            try write(RecordBuilder(id: "b"), to: root + "/second/run.json")
            try write(RecordBuilder(id: "a"), to: root + "/third/run.json")
            try write(text: "{", to: root + "/torn/run.json")
            try write(text: "", to: root + "/empty/run.json")
            try write(text: "{}\n", to: root + "/half/trace.jsonl")
            try write(text: "notes", to: root + "/other/notes.txt")
            try write(text: "{}", to: root + "/loose.json")
            let found = Store.find(in: [root])
            #expect(found.compactMap(\.record?.id) == ["a", "b"])
            #expect(
                reasons(found) == [
                    "empty": "empty file: half-written? `sustain analyze` writes it anew",
                    "half": "no record yet: run `sustain analyze \(root)/half`",
                    "torn": "broken JSON: half-written? `sustain analyze` writes it anew",
                ])
        }
    }

    @Test func aRunAFileOrNothingAsPlace() throws {
        try withDirectory { root in
            try write(RecordBuilder(id: "a"), to: root + "/one/run.json")
            try write(text: "{}\n", to: root + "/two/trace.jsonl")
            // The same file three ways counts once.
            let found = Store.find(in: [root + "/one", root + "/one/run.json", root + "/one/", root])
            #expect(found.compactMap(\.record?.id) == ["a"])
            #expect(Store.find(in: [root + "/one/run.json"]).compactMap(\.record?.id) == ["a"])
            let trace = Store.find(in: [root + "/two/trace.jsonl"])
            #expect(reasons(trace).values.first == "no record yet: run `sustain analyze \(root)/two`")
            let gone = root + "/gone"
            #expect(Store.find(in: [gone]) == [.problem(path: gone, reason: "no such file or directory")])
            #expect(Store.find(in: []).isEmpty)
        }
    }

    @Test func copiesCountOnce() throws {
        try withDirectory { root in
            try write(RecordBuilder(id: "a"), to: root + "/one/run.json")
            try write(RecordBuilder(id: "a"), to: root + "/two/run.json")
            let found = Store.find(in: [root])
            #expect(found.compactMap(\.record?.id) == ["a"])
            #expect(reasons(found)["run.json"] == "the same run id as \(root)/one/run.json: counted once")
        }
    }

    @Test func linksLoopsAndPipesDoNotHang() throws {
        try withDirectory { root in
            try write(RecordBuilder(id: "a"), to: root + "/real/run.json")
            #expect(symlink("real", root + "/link") == 0)
            #expect(symlink(root, root + "/loop") == 0)
            #expect(symlink("self", root + "/self") == 0)
            try FileManager.default.createDirectory(
                atPath: root + "/broken", withIntermediateDirectories: false)
            #expect(symlink("run.json", root + "/broken/run.json") == 0)
            try FileManager.default.createDirectory(
                atPath: root + "/pipe", withIntermediateDirectories: false)
            #expect(mkfifo(root + "/pipe/run.json", 0o600) == 0)
            let found = Store.find(in: [root])
            #expect(found.compactMap(\.record?.id) == ["a"])
            let why = "not a file: a dangling link, a loop of links or a device"
            #expect(
                found.filter { $0.record == nil } == [
                    .problem(path: root + "/broken/run.json", reason: why),
                    .problem(path: root + "/pipe/run.json", reason: why),
                ])
        }
    }

    @Test func tooManyEntriesAndTooLargeFiles() throws {
        try withDirectory { root in
            for name in ["a", "b", "c"] { try write(RecordBuilder(id: name), to: root + "/\(name)/run.json") }
            let found = Store.find(in: [root], maximumEntries: 2)
            #expect(found.compactMap(\.record?.id) == ["a", "b"])
            #expect(found.last == .problem(path: root, reason: "more than 2 entries: 1 were not looked at"))
        }
        try withDirectory { root in
            try write(text: "{", to: root + "/run.json")
            #expect(truncate(root + "/run.json", Store.maximumBytes + 1) == 0)
            #expect(reasons(Store.find(in: [root])).values.first == "larger than 64.00 MiB: not a record")
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func unreadable() throws {
        try withDirectory { root in
            try write(RecordBuilder(), to: root + "/run.json")
            #expect(chmod(root + "/run.json", 0) == 0)
            #expect(reasons(Store.find(in: [root])).values.first?.hasPrefix("permission denied") == true)
        }
    }

    @Test(
        arguments: [
            ("sustain.run/1", nil), ("sustain.run/1.7", nil),
            (
                "sustain.run/2",
                "schema sustain.run/2 is of a newer sustain; this one reads up to sustain.run/1"
            ),
            (
                "sustain.run/99999999999999999999",
                "not a record: schema sustain.run/99999999999999999999 instead of sustain.run/1"
            ),
            ("sustain.run/0", "not a record: schema sustain.run/0 instead of sustain.run/1"),
            ("sustain.trace/1", "not a record: schema sustain.trace/1 instead of sustain.run/1"),
            ("other\u{1B}[2J", "not a record: schema other\\u{1b}[2J instead of sustain.run/1"),
            (nil, "not a record: no `schema`"),
        ] as [(String?, String?)])
    func schemas(schema: String?, expected: String?) {
        #expect(RecordFile.refusal(of: schema) == expected)
    }

    @Test func faultsNameTheKey() throws {
        func reason(_ text: String) -> String? {
            guard case .failure(let why) = RecordFile.decode(Array(text.utf8)) else { return nil }
            return why.reason
        }
        #expect(reason("[1]")?.contains("wrong type at the top level") == true)
        #expect(reason("{\"schema\":\"sustain.run/1\"}") == "key missing: id")
        #expect(reason(String(repeating: "[", count: 100_000)) != nil)
        let whole = String(decoding: try CanonicalJSON.line(RecordBuilder().build()), as: UTF8.self)
        #expect(reason(whole) == nil)
        #expect(
            reason(whole.replacing("\"whole_cycles\":250", with: "\"whole_cycles\":\"x\""))
                == "wrong type at metrics.whole_cycles")
        // A later minor version may add keys.
        #expect(reason("{\"new_key\":1," + whole.dropFirst()) == nil)
    }

    /// The first versions' record (Tests/Fixtures/v1) is a row like any other.
    @Test func recordsOfTheFirstVersionAreRows() throws {
        let file = Golden.fixtures.appending(path: "v1/run.json").path
        let (stored, notes) = Store.runs(in: [file])
        #expect(notes.isEmpty && stored.count == 1)
        for format in [ReportFormat.markdown, .text, .csv, .jsonl, .html] {
            let source = ReportSource(record: { Store.record(at: $0.path) })
            let text = try Report.render(ReportOptions(format: format), stored, source: source).text
            #expect(
                text.contains("20261130T005600Z-synthetic-0a1b2c") || format == .markdown || format == .text)
            #expect(text.contains("tg4") || format == .html)
        }
    }

    private func reasons(_ found: [Stored]) -> [String: String] {
        var reasons: [String: String] = [:]
        for case .problem(let path, let reason) in found {
            let parts = path.split(separator: "/")
            let name =
                parts.last == "run.json" && reason.contains("half-written")
                ? parts[parts.count - 2] : parts.last
            reasons[name.map(String.init) ?? path] = reason
        }
        return reasons
    }

    private func write(_ builder: RecordBuilder, to path: String) throws {
        try write(
            text: String(decoding: try CanonicalJSON.document(builder.build()), as: UTF8.self), to: path)
    }

    private func write(text: String, to path: String) throws {
        let file = URL(filePath: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func withDirectory(_ body: (String) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "store-" + UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: root) }
        try body(root)
    }
}
