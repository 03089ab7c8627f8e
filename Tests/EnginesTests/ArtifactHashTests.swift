import Analysis
import Glibc
import Testing

@testable import Engines

@Suite("SHA-256 of a model")
struct ArtifactHashTests {
    let scratch = ArtifactScratch()

    static let hasLibrary = ArtifactHash.libraries.contains { dlopen($0, RTLD_NOW) != nil }

    func part(_ name: String, _ bytes: [UInt8]) throws -> ModelFile.Part {
        let path = scratch.file(name, bytes)
        return ModelFile.Part(path: path, identity: try OpenFile(path).identity)
    }

    func hash(_ parts: [ModelFile.Part]) throws -> Maybe<String> {
        try ArtifactHash.sha256(parts, libraries: ArtifactHash.libraries) { _ in true }
    }

    /// FIPS 180-2, appendix B.1; the others by coreutils' sha256sum.
    @Test(
        "known answers", .enabled(if: hasLibrary),
        arguments: [
            (Array("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (
                [UInt8](repeating: 0, count: 1 << 20),
                "30e14955ebf1352266dc2ff8067e68104607e750abb9d3b36582b8af909fcb58"
            ),
            (
                [UInt8](repeating: 0, count: (1 << 20) + 1),
                "2cb74edba754a81d121c9db6833704a8e7d417e5b13d1a19f4a52f007d644264"
            ),
        ] as [([UInt8], String)])
    func knownAnswers(bytes: [UInt8], digest: String) throws {
        #expect(try hash([part("f", bytes)]) == .known(digest))
    }

    @Test("without libcrypto the hash is unavailable, with the remedy")
    func absent() throws {
        let part = try part("f", Array("abc".utf8))
        let hash = try ArtifactHash.sha256([part], libraries: ["libnothing.so.9"]) { _ in true }
        #expect(hash.reason?.contains("libnothing.so.9") == true)
        #expect(hash.reason?.contains("apt-get install libssl3") == true)
        // A library that is there but is not OpenSSL.
        let other = try ArtifactHash.sha256([part], libraries: ["libc.so.6"]) { _ in true }
        #expect(other.reason?.contains("libcrypto has no EVP_MD_CTX_new") == true)
    }

    @Test("it can be stopped between pieces", .enabled(if: hasLibrary))
    func stopped() throws {
        let part = try part("f", [UInt8](repeating: 1, count: 3 << 20))
        var seen: [UInt64] = []
        do throws(Failure) {
            _ = try ArtifactHash.sha256([part], libraries: ArtifactHash.libraries) { done in
                seen.append(done)
                return done < 2 << 20
            }
            Issue.record("it went on")
        } catch {
            #expect(error.exit == .interrupted)
        }
        #expect(seen == [0, 1 << 20, 2 << 20])
    }

    @Test("a file that changed since it was inspected", .enabled(if: hasLibrary))
    func changed() throws {
        let before = try part("f", [1, 2, 3])
        _ = scratch.file("f", [1, 2, 3, 4])
        #expect(throws: Failure.self) { try hash([before]) }
    }

    @Test("a file that changes meanwhile", .enabled(if: hasLibrary))
    func changing() throws {
        let part = try part("f", [UInt8](repeating: 1, count: 2 << 20))
        do throws(Failure) {
            _ = try ArtifactHash.sha256([part], libraries: ArtifactHash.libraries) { done in
                if done > 0 { _ = truncate(part.path, 1 << 20) }
                return true
            }
            Issue.record("not noticed")
        } catch {
            #expect(error.cause == "changed while it was being read")
        }
    }

    @Test("a known hash is not computed again; a changed file's is", .enabled(if: hasLibrary))
    func cached() throws {
        let path = scratch.file("m.gguf", GGUFWriter.model.bytes)
        age(path)
        let cache = HashCache(path: scratch.path + "/deep/er/sha256.json")
        let file = try ModelFile.inspect(path: path)
        // The inode's own time cannot be set back, so that the entry is put in by hand.
        cache.store(String(repeating: "a", count: 64), for: HashCache.key(file.parts.map(\.identity)))
        #expect(try ArtifactHash.sha256(of: file, cache: cache) == .known(String(repeating: "a", count: 64)))
        let direct = try ArtifactHash.sha256(of: file, cache: nil)
        #expect(direct.value?.hasPrefix("aaaa") == false)
        _ = scratch.file("m.gguf", GGUFWriter.model.bytes)
        #expect(try ArtifactHash.sha256(of: ModelFile.inspect(path: path), cache: cache) == direct)
    }

    @Test("a file changed a moment ago is not remembered", .enabled(if: hasLibrary))
    func fresh() throws {
        let path = scratch.file("m.gguf", GGUFWriter.model.bytes)
        let cache = HashCache(path: scratch.path + "/sha256.json")
        _ = try ArtifactHash.sha256(of: ModelFile.inspect(path: path), cache: cache)
        #expect(ArtifactScratch.names(in: scratch.path) == ["m.gguf"])
    }

    func age(_ path: String) {
        let times = [timespec(tv_sec: 1_000_000, tv_nsec: 5), timespec(tv_sec: 1_000_000, tv_nsec: 5)]
        #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
    }
}
