import Foundation

/// The JSON documents that the program made in tests, kept for a real validator: `scripts/test` holds each against
/// its schema when the tests are over (scripts/lib/check_documents.py).
enum Documents {
    /// `SUSTAIN_TEST_DOCUMENTS`; nil keeps nothing.
    private static let folder = ProcessInfo.processInfo.environment["SUSTAIN_TEST_DOCUMENTS"].map {
        URL(filePath: $0)
    }

    /// Keeps what a program printed if it is one of sustain's documents.
    static func keep(_ output: Data) {
        guard let folder, output.first == UInt8(ascii: "{"),
            let object = try? JSONSerialization.jsonObject(with: output) as? [String: Any],
            let schema = object["schema"] as? String, schema.hasPrefix("sustain.")
        else { return }
        try? output.write(to: folder.appending(path: "\(UUID().uuidString).json"))
    }

    /// Keeps every record below a directory: those that a run wrote, beside their traces. A test that breaks a
    /// record does so where there is no trace, or breaks its JSON.
    static func keepRecords(below directory: URL) {
        guard folder != nil,
            let found = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil)
        else { return }
        for case let file as URL in found where file.lastPathComponent == "run.json" {
            let trace = file.deletingLastPathComponent().appending(path: "trace.jsonl")
            guard FileManager.default.fileExists(atPath: trace.path), let data = try? Data(contentsOf: file)
            else { continue }
            keep(data)
        }
    }
}
