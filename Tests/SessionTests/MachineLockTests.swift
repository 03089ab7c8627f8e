import Analysis
import FoundationEssentials
import Glibc
import Testing

@testable import Session

@Suite struct MachineLockTests {
    private let facts = HostFacts(sysfs: "/sys", procfs: "/proc")

    private func place() throws -> MachineTree { try MachineTree() }

    @Test func oneHoldsItAndTheOtherKnowsWho() throws {
        let tree = try place()
        var first: MachineLock? = MachineLock(directory: tree.root)
        #expect(first?.condition(facts).verdict == .pass)
        let second = MachineLock(directory: tree.root).condition(facts)
        #expect(second.verdict == .fail)
        // proc_locks(5) shows it under the id of this process, where it is shown at all.
        let path = "\(tree.root)/sustain.lock"
        #expect(
            second.seen == "process \(getpid()) holds \(path)"
                || second.seen == "a process that is not shown here holds \(path)", "\(second.seen)")
        // The holder learns of it too, and does not forget.
        for _ in 0..<2 {
            let after = first?.condition(facts)
            #expect(after?.verdict == .fail && after?.seen == "another one was started meanwhile")
        }
        first = nil
        #expect(MachineLock(directory: tree.root).condition(facts).verdict == .pass)
    }

    /// In a directory where everybody may write anything can lie in the file's place.
    @Test func tricksAreNotFollowed() throws {
        let tree = try place()
        let path = "\(tree.root)/sustain.lock"
        let target = "\(tree.root)/target"
        try AtomicFile.write(Array("keep".utf8), to: target)
        try #require(symlink(target, path) == 0)
        #expect(MachineLock(directory: tree.root).condition(facts).verdict == .cannotTell)
        unlink(path)
        try #require(link(target, path) == 0)
        #expect(MachineLock(directory: tree.root).condition(facts).verdict == .cannotTell)
        unlink(path)
        try #require(mkfifo(path, 0o600) == 0)
        #expect(MachineLock(directory: tree.root).condition(facts).verdict == .cannotTell)
        unlink(path)
        try #require(mkdir(path, 0o700) == 0)
        #expect(MachineLock(directory: tree.root).condition(facts).verdict == .cannotTell)
        #expect(try BoundedFile.read(target, limit: 10) == Array("keep".utf8))
    }

    @Test func withoutADirectoryNothingIsClaimed() {
        let seen = MachineLock(directory: "/nonexistent").condition(facts)
        #expect(seen.verdict == .cannotTell)
        #expect(seen.seen.contains("/nonexistent/sustain.lock"))
    }

    /// Another user must be able to open it: reading is all that a lock needs.
    @Test func theFileIsReadableForAll() throws {
        let tree = try place()
        let before = umask(0o077)
        let lock = MachineLock(directory: tree.root)
        umask(before)
        var status = stat()
        try #require(stat("\(tree.root)/sustain.lock", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o644)
        #expect(status.st_size == 0)
        withExtendedLifetime(lock) {}
    }
}
