import FoundationEssentials
import Testing

@testable import Analysis

/// The record of a kept trace, byte for byte: a figure that changes without being meant to is seen here.
///
/// After a change that is meant, `SUSTAIN_UPDATE_GOLDEN=1 swift test --filter GoldenTests` writes both files
/// anew; the difference in `git diff` is then to be read and explained.
@Suite struct GoldenTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/analysis")

    /// 100 s of 4-token cycles, every other one 4 % slower, with a temperature that rises.
    private static var run: SyntheticRun {
        var run = SyntheticRun()
        run.seconds = 100
        run.generated = 4
        run.shape.prefill = 2
        run.step = { position, time in
            (1 + 0.1 * Double(position)) * (Int(time / 5.5).isMultiple(of: 2) ? 0.98 : 1.02)
        }
        run.temperature = { time in 40 + min(20, time / 5) }
        return run
    }

    @Test func theKeptTraceGivesTheKeptRecord() throws {
        let trace = Self.folder.appending(path: "trace.jsonl")
        let record = Self.folder.appending(path: "run.json")
        if ProcessInfo.processInfo.environment["SUSTAIN_UPDATE_GOLDEN"] == "1" {
            try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
            try Data(try Self.run.bytes).write(to: trace)
            let parsed = try Trace.parse(Array(try Data(contentsOf: trace)), name: "golden")
            try Data(try CanonicalJSON.document(Analyze.record(from: parsed))).write(to: record)
        }
        let parsed = try Trace.parse(Array(try Data(contentsOf: trace)), name: "golden")
        #expect(parsed.notes == TraceNotes())
        let bytes = try CanonicalJSON.document(Analyze.record(from: parsed))
        let kept = Array(try Data(contentsOf: record))
        let line = zip(bytes.split(separator: 0x0A), kept.split(separator: 0x0A)).first { $0 != $1 }
        let same = bytes == kept
        #expect(
            same,
            "first difference: \(line.map { String(decoding: $0.0, as: UTF8.self) } ?? "the length")")
    }
}
