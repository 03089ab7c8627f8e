import FoundationEssentials
import Testing

/// Golden files: the expected text of a table, kept under Tests/Fixtures so that a change shows in review.
///
/// `SUSTAIN_UPDATE_GOLDEN=1 swift test --filter ReportsTests` writes them anew; read the difference before
/// you commit it. Without the variable a missing file is a failure.
enum Golden {
    static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures")

    static var isUpdating: Bool { ProcessInfo.processInfo.environment["SUSTAIN_UPDATE_GOLDEN"] == "1" }

    /// Compares `text` with the fixture `name` ("tables/two-runs.md").
    static func expect(_ text: String, _ name: String, _ location: SourceLocation = #_sourceLocation) throws {
        let file = fixtures.appending(path: name)
        if isUpdating {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(text == expected, "differs from \(name)", sourceLocation: location)
    }
}
