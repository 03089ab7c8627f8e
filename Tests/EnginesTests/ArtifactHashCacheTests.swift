import Analysis
import Glibc
import Testing

@testable import Engines

@Suite("Hash cache")
struct ArtifactHashCacheTests {
    let scratch = ArtifactScratch()
    var cache: HashCache { HashCache(path: scratch.path + "/sustain/sha256.json") }

    static func digest(_ number: Int) -> String {
        let hex = String(number, radix: 16)
        return String(repeating: "0", count: 64 - hex.count) + hex
    }

    @Test("stores and finds; the last word counts")
    func stores() {
        #expect(cache.hash(for: "a") == nil)
        cache.store(Self.digest(1), for: "a")
        cache.store(Self.digest(2), for: "b")
        #expect(cache.hash(for: "a") == Self.digest(1))
        cache.store(Self.digest(3), for: "a")
        #expect(cache.hash(for: "a") == Self.digest(3))
        #expect(cache.hash(for: "b") == Self.digest(2))
        #expect(ArtifactScratch.names(in: scratch.path + "/sustain") == ["sha256.json"])
    }

    @Test("the key tells apart what identifies a file")
    func key() throws {
        let one = try OpenFile(scratch.file("a", [1])).identity
        let other = try OpenFile(scratch.file("b", [1])).identity
        #expect(HashCache.key([one]) != HashCache.key([other]))
        #expect(HashCache.key([one, other]) != HashCache.key([other, one]))
        #expect(HashCache.key([one]) == HashCache.key([try OpenFile(scratch.path + "/a").identity]))
    }

    @Test(
        "a damaged cache is an empty one",
        arguments: [
            "", "{", "[]", "{\"schema\":\"sustain.sha256/9\",\"entries\":[]}",
            "{\"schema\":\"sustain.sha256/1\",\"entries\":[{\"key\":\"a\",\"sha256\":\"XYZ\"}]}",
        ])
    func damaged(text: String) {
        #expect(mkdir(scratch.path + "/sustain", 0o700) == 0)
        _ = scratch.file("sustain/sha256.json", Array(text.utf8))
        #expect(cache.hash(for: "a") == nil)
        cache.store(Self.digest(7), for: "a")
        #expect(cache.hash(for: "a") == Self.digest(7))
    }

    @Test("a cache that cannot be written or read is ignored")
    func unwritable() {
        let blocked = HashCache(path: scratch.file("file") + "/sha256.json")
        blocked.store(Self.digest(1), for: "a")
        #expect(blocked.hash(for: "a") == nil)
        let fifo = scratch.path + "/fifo"
        #expect(mkfifo(fifo, 0o600) == 0)
        #expect(HashCache(path: fifo).hash(for: "a") == nil)
    }

    @Test("it keeps the newest thousand")
    func bounded() {
        let entries = (0..<1_000).map { "{\"key\":\"k\($0)\",\"sha256\":\"\(Self.digest($0))\"}" }
        #expect(mkdir(scratch.path + "/sustain", 0o700) == 0)
        let text = "{\"schema\":\"sustain.sha256/1\",\"entries\":[\(entries.joined(separator: ","))]}"
        _ = scratch.file("sustain/sha256.json", Array(text.utf8))
        #expect(cache.hash(for: "k0") == Self.digest(0))
        cache.store(Self.digest(5_000), for: "new")
        #expect(cache.hash(for: "k0") == nil)
        #expect(cache.hash(for: "k1") == Self.digest(1))
        #expect(cache.hash(for: "new") == Self.digest(5_000))
    }

    @Test("several writers at once never leave it damaged")
    func concurrent() async {
        let cache = cache
        let sound = await withTaskGroup(of: Bool.self) { group in
            for writer in 0..<4 {
                group.addTask { Self.writesAndFinds(cache, (0..<25).map { writer * 100 + $0 }) }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(sound)
        #expect(ArtifactScratch.names(in: scratch.path + "/sustain") == ["sha256.json"])
        let survivors = (0..<400).filter { cache.hash(for: "k\($0)") == Self.digest($0) }
        #expect(!survivors.isEmpty)
    }

    /// What is found is right; it may have been lost to another writer.
    static func writesAndFinds(_ cache: HashCache, _ numbers: [Int]) -> Bool {
        numbers.allSatisfy { number in
            cache.store(Self.digest(number), for: "k\(number)")
            return cache.hash(for: "k\(number)").map { $0 == Self.digest(number) } ?? true
        }
    }

    @Test("where it lies")
    func place() {
        func path(_ environment: [String: String]) -> String? {
            HashCache.user { environment[$0] }?.path
        }
        #expect(path(["XDG_CACHE_HOME": "/x", "HOME": "/h"]) == "/x/sustain/sha256.json")
        #expect(path(["HOME": "/h"]) == "/h/.cache/sustain/sha256.json")
        // The XDG base directory specification: relative paths are to be ignored.
        #expect(path(["XDG_CACHE_HOME": "x", "HOME": "/h"]) == "/h/.cache/sustain/sha256.json")
        #expect(path(["XDG_CACHE_HOME": ""]) == nil)
        #expect(path([:]) == nil)
    }
}
