import FoundationEssentials
import Testing

@testable import Analysis

/// A trace and a record of the first versions (Tests/Fixtures/v1) stay readable, and the trace keeps its figures.
@Suite struct CompatibilityTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/v1")

    private func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: Self.folder.appending(path: name)))
    }

    @Test func theRecordIsReadable() throws {
        let record = try CanonicalJSON.decode(Record.self, from: bytes("run.json"))
        #expect(record.schema == "sustain.run/1")
        let written = try CanonicalJSON.decode(JSONValue.self, from: bytes("run.json"))
        let sustained = try #require(record.metrics.sustained.number)
        #expect(written["metrics"]?["sustained"]?["value"] == .number(sustained))
        // What it is read as can be written, and read again.
        let again = try CanonicalJSON.decode(Record.self, from: CanonicalJSON.document(record))
        #expect(again == record)
    }

    @Test func theTraceGivesTheSameFigures() throws {
        let trace = try Trace.parse(bytes("trace.jsonl"), name: "v1")
        #expect(trace.notes == TraceNotes())
        let record = try CanonicalJSON.decode(
            JSONValue.self, from: CanonicalJSON.line(Analyze.record(from: trace)))
        var figures: [String: Double] = [:]
        for key in ["metrics", "memory", "windows", "sources", "total"] {
            if let part = record[key] { collect(part, key, &figures) }
        }
        let file = Self.folder.appending(path: "figures.json")
        if ProcessInfo.processInfo.environment["SUSTAIN_UPDATE_GOLDEN"] == "1",
            !FileManager.default.fileExists(atPath: file.path)
        {
            try Data(try CanonicalJSON.document(figures)).write(to: file)
        }
        let kept = try CanonicalJSON.decode([String: Double].self, from: bytes("figures.json"))
        #expect(kept.count > 300)
        for (path, value) in kept.sorted(by: { $0.key < $1.key }) {
            guard let now = figures[path] else {
                Issue.record("\(path) is gone: it was \(value)")
                continue
            }
            #expect(abs(now - value) <= 1e-9 * max(abs(value), 1e-3), "\(path)")
        }
    }

    /// Every number by its path; keys may be added, and reasons worded anew.
    private func collect(_ value: JSONValue, _ path: String, _ figures: inout [String: Double]) {
        switch value {
        case .integer(let number): figures[path] = Double(number)
        case .number(let number): figures[path] = number
        case .object(let members):
            for (key, member) in members { collect(member, path + "." + key, &figures) }
        case .array(let items):
            for (index, item) in items.enumerated() { collect(item, path + "[\(index)]", &figures) }
        case .null, .bool, .string: break
        }
    }
}
