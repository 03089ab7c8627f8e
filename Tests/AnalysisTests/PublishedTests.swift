import FoundationEssentials
import Testing

@testable import Analysis

/// What was published stays true: a kept trace gives the figures that its record was published with. A later
/// version may add keys; it may not lose or change one.
@Suite struct PublishedTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "reports/published")

    private static let runs: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { name in
            FileManager.default.fileExists(atPath: folder.appending(path: "\(name)/trace.jsonl").path)
        }.sorted()

    @Test(arguments: runs)
    func theTraceGivesThePublishedFigures(name: String) throws {
        let run = Self.folder.appending(path: name)
        let bytes = Array(try Data(contentsOf: run.appending(path: "trace.jsonl")))
        let record = Analyze.record(from: try Trace.parse(bytes, name: name))
        let now = try CanonicalJSON.decode(JSONValue.self, from: Data(try CanonicalJSON.document(record)))
        let kept = try CanonicalJSON.decode(
            JSONValue.self, from: try Data(contentsOf: run.appending(path: "run.json")))
        #expect(Self.difference(kept, now, at: "") == nil)
    }

    @Test func aDifferenceIsFound() {
        let kept = JSONValue.object(["a": .array([.integer(1), .object(["b": .string("x")])])])
        #expect(Self.difference(kept, kept, at: "") == nil)
        let more = JSONValue.object([
            "a": .array([.integer(1), .object(["b": .string("x"), "c": .bool(true)])])
        ])
        #expect(Self.difference(kept, more, at: "") == nil)
        #expect(Self.difference(more, kept, at: "") == ".a[1].c is gone")
        let other = JSONValue.object(["a": .array([.integer(1), .object(["b": .string("y")])])])
        #expect(Self.difference(kept, other, at: "")?.hasPrefix(".a[1].b was ") == true)
    }

    /// The first thing that `kept` says and `now` does not.
    private static func difference(_ kept: JSONValue, _ now: JSONValue, at path: String) -> String? {
        switch (kept, now) {
        case (.object(let members), .object(let others)):
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                guard let other = others[key] else { return "\(path).\(key) is gone" }
                if let found = difference(member, other, at: "\(path).\(key)") { return found }
            }
            return nil
        case (.array(let items), .array(let others)):
            guard items.count == others.count else {
                return "\(path) had \(items.count) items, has \(others.count)"
            }
            for (index, item) in items.enumerated() {
                if let found = difference(item, others[index], at: "\(path)[\(index)]") { return found }
            }
            return nil
        default: return kept == now ? nil : "\(path) was \(kept), is \(now)"
        }
    }
}
