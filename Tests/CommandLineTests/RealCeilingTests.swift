import Analysis
import Foundation
import TestSupport
import Testing

/// The ceiling of a real engine and model: what decode reads is known, and what memory gives is measured or said why
/// not.
@Suite struct RealCeilingTests {
    private static let model = ProcessInfo.processInfo.environment["SUSTAIN_TEST_MODEL"]

    @Test(.enabled(if: model != nil, "SUSTAIN_TEST_MODEL names no model"))
    func decodeIsHeldAgainstWhatMemoryGives() throws {
        let workplace = try Workplace()
        let ended = try Program.run(
            [
                "run", "--model", try #require(Self.model), "--seconds", "60", "-r", "1", "-p", "8", "-n",
                "8",
                "--idle", "0", "--warmup", "0", "--power", "none",
            ], in: workplace)
        #expect(ended.status == 0, "\(ended.errors)")
        let data = try Data(contentsOf: try workplace.runDirectory().appending(path: "run.json"))
        let record = try JSONDecoder().decode(Record.self, from: data)
        let ceiling = try #require(record.metrics.ceiling)
        let artifact = try #require(record.artifact.value)
        let bytes = try #require(ceiling.bytesPerToken.number)
        #expect(bytes > 0 && bytes < 1.1 * Double(artifact.sizeBytes))
        #expect(ceiling.impliedBytesPerSecond.number != nil)
        if record.tool.buildType == "release" {
            #expect(ceiling.measuredBytesPerSecond.number ?? 0 > 1e8)
            #expect(ceiling.share.number ?? 0 > 0)
        } else {
            #expect(
                ceiling.measuredBytesPerSecond.reason
                    == "a debug build of sustain does not keep up with memory")
        }
        let built = record.environment.filter.verdicts.first { $0.name == "engine_build" }
        #expect(built?.seen == (record.tool.buildType == "release" ? "release" : "debug"))
    }
}
