import Analysis
import FoundationEssentials
import Glibc
import Testing

@testable import Session

@Suite struct FileTests {
    private let place = FileManager.default.temporaryDirectory.path + "/sustain-session-\(UUID().uuidString)"

    private func clean() { try? FileManager.default.removeItem(atPath: place) }

    @Test(arguments: [
        ("SmolLM2-135M.Q4_1", "smollm2-135m.q4_1"), ("../../etc/passwd", "etc-passwd"), ("", "run"),
        ("名前", "run"), ("a  b\u{1B}[31m", "a-b-31m"),
        (String(repeating: "x", count: 300), String(repeating: "x", count: 40)),
    ])
    func slugsAreSafeNames(name: String, slug: String) {
        #expect(RunDirectory.slug(name) == slug)
    }

    @Test func everyClaimIsANewDirectory() throws {
        defer { clean() }
        let date = Date(timeIntervalSince1970: 1_796_000_000)
        let first = try RunDirectory.claim(in: place + "/deep/er", name: "q4", at: date)
        let second = try RunDirectory.claim(in: place + "/deep/er", name: "q4", at: date)
        #expect(first.id != second.id)
        #expect(first.id.hasPrefix("20261130T005320Z-"))
        #expect(first.id.contains("Z-q4-"))
        #expect(first.id.count == "20261130T005600Z-q4-000000".count)
    }

    @Test func aTraceIsNeverOverwritten() throws {
        defer { clean() }
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let path = place + "/trace.jsonl"
        let writer = try TraceWriter(path: path)
        try writer.append(.warning(WarningLine("one")))
        try writer.flush()
        #expect(throws: Failure.self) { try TraceWriter(path: path) }
        #expect(
            try BoundedFile.read(path, limit: 1000) == Array("{\"text\":\"one\",\"type\":\"warning\"}\n".utf8)
        )
    }

    @Test func aFullDiskIsAFailureThatNamesTheTrace() throws {
        // /dev/full refuses every write with ENOSPC, as a full disk does (full(4)).
        defer { clean() }
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let error = #expect(throws: Failure.self) {
            let descriptor = open("/dev/full", O_WRONLY)
            let writer = TraceWriter(descriptor: descriptor, path: "trace.jsonl")
            try writer.append(.warning(WarningLine("one")))
            try writer.flush()
        }
        #expect(error?.errno == ENOSPC)
        #expect(error?.thing == "trace.jsonl")
    }

    @Test func anAtomicFileIsTheOldOrTheNewOne() throws {
        defer { clean() }
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let path = place + "/run.json"
        try AtomicFile.write(Array("old".utf8), to: path)
        try AtomicFile.write(Array("new".utf8), to: path)
        #expect(try BoundedFile.read(path, limit: 10) == Array("new".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["run.json"])
        #expect(throws: Failure.self) { try AtomicFile.write([], to: place + "/missing/run.json") }
    }

    @Test func aFileAboveTheLimitIsRefused() throws {
        defer { clean() }
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let path = place + "/large"
        try AtomicFile.write([UInt8](repeating: 1, count: 1001), to: path)
        #expect(throws: Failure.self) { try BoundedFile.read(path, limit: 1000) }
    }
}
