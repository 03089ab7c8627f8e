import Analysis
import Foundation
import TestSupport
import Testing

/// The cold load: cold only if its pages were seen to have left the page cache, else unavailable with the reason.
@Suite struct ColdLoadTests {
    private func load(of model: String?) throws -> Metrics {
        let run = try ScriptedRun(#"{"prefill": {"ns": 2000000}, "decode": {"ns": 100000}}"#)
        let ended = try run.run(
            model.map { ["-r", "1", "--idle", "0", "-m", $0] } ?? ["-r", "1", "--idle", "0"])
        #expect(ended.status == 0, "\(ended.errors)")
        return try run.record().metrics
    }

    @Test func aFileWhosePagesLeftIsCold() throws {
        let workplace = try Workplace()
        let model = workplace.url.appending(path: "m.gguf")
        try TinyModel.bytes().write(to: model)
        let metrics = try load(of: model.path)
        if let reason = metrics.loadCold.seconds.reason {
            // File systems of containers and of memory need not let pages go; then it says so.
            #expect(reason.hasPrefix("the load was not"))
        } else {
            #expect(try #require(metrics.loadCold.seconds.value) > 0.09)
            #expect(metrics.firstUse.seconds.number != nil)
        }
    }

    /// Another process has the model mapped: its pages stay.
    @Test func aFileInUseElsewhereIsNotCold() throws {
        let workplace = try Workplace()
        let model = workplace.url.appending(path: "m.gguf")
        let bytes = TinyModel.bytes()
        try bytes.write(to: model)
        let descriptor = open(model.path, O_RDONLY)
        defer { close(descriptor) }
        let mapping = mmap(nil, bytes.count, PROT_READ, MAP_SHARED | Int32(MAP_POPULATE), descriptor, 0)
        try #require(mapping != MAP_FAILED)
        defer { munmap(mapping, bytes.count) }
        let metrics = try load(of: model.path)
        let reason = try #require(metrics.loadCold.seconds.reason)
        #expect(reason.hasPrefix("the load was not"))
        #expect(metrics.firstUse.seconds.reason == "load_cold: " + reason)
    }

    static let hasMemoryFiles =
        ((try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? "").contains(
            " /dev/shm tmpfs ")
        && access("/dev/shm", W_OK) == 0

    @Test(.enabled(if: hasMemoryFiles, "/dev/shm is no file system in memory"))
    func aFileInMemoryIsNeverCold() throws {
        let model = "/dev/shm/sustain-test-\(getpid()).gguf"
        try TinyModel.bytes().write(to: URL(filePath: model))
        defer { unlink(model) }
        let reason = try #require(try load(of: model).loadCold.seconds.reason)
        #expect(
            reason
                == "the load was not cold: 100.0 % of the model stayed in memory: its file system keeps files in memory"
        )
    }

    @Test func withoutAFileItIsNotSeen() throws {
        let metrics = try load(of: nil)
        #expect(
            metrics.loadCold.seconds.reason
                == "the load was not seen to be cold: the engine loads no file whose pages could be dropped")
        #expect(metrics.loadWarm.seconds.value != nil)
        #expect(metrics.firstUse.seconds.reason?.hasPrefix("load_cold: the load was not seen") == true)
    }
}
