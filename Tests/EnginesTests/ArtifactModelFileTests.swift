import Analysis
import Glibc
import Testing

@testable import Engines

@Suite("Model file")
struct ArtifactModelFileTests {
    let scratch = ArtifactScratch()

    func refusal(_ path: String) -> Failure? {
        do throws(Failure) {
            _ = try ModelFile.inspect(path: path)
            return nil
        } catch {
            return error
        }
    }

    @Test("facts and artifact line")
    func facts() throws {
        var writer = GGUFWriter.model
        writer.entries += [
            ("sustain.weights", .string("random")), ("general.quantized_by", .string("someone")),
            ("general.url", .string("https://example.org")),
            ("general.source.repo_url", .string("https://example.org/source")),
        ]
        let path = scratch.file("tiny.gguf", writer.bytes)
        let file = try ModelFile.inspect(path: path)
        var info = stat()
        #expect(stat(path, &info) == 0)
        #expect(file.path == path)
        #expect(file.parts == [ModelFile.Part(path: path, identity: FileIdentity(info))])
        #expect(file.parts[0].identity.inode == UInt64(info.st_ino))
        #expect(file.sizeBytes == UInt64(writer.bytes.count))
        #expect(file.warnings.isEmpty)

        let line = file.artifactLine(sha256: .unavailable("not asked for"))
        #expect(line.path == path)
        #expect(line.sizeBytes == UInt64(writer.bytes.count))
        #expect(line.sha256 == .unavailable("not asked for"))
        #expect(line.format == "gguf v3")
        #expect(line.name == "Tiny")
        #expect(line.architecture == "llama")
        #expect(line.quantization == .known("Q4_1"))
        #expect(line.parameters == .known(8384))
        #expect(line.bitsPerWeight == Double(5888 * 8) / 8384)
        #expect(line.tensorTypes == ["F32": 192.0 / 8384, "Q4_1": 8192.0 / 8384])
        #expect(line.tensorBytes == 5888)
        #expect(
            line.tensorBlocks == [
                "F32": TensorBlock(weights: 1, bitsPerWeight: 32),
                "Q4_1": TensorBlock(weights: 32, bitsPerWeight: 5),
            ])
        #expect(line.quantizationVersion == 2)
        #expect(line.parts == nil)
        #expect(line.source == "https://example.org/source")
        #expect(line.producer == "someone")
        #expect(line.trainedContextTokens == 2048)
        #expect(line.layers == 2)
        #expect(line.weights == "random")
    }

    /// The embedding is the output matrix here, so that all 5888 bytes are read; 3 heads of 16 over two layers.
    @Test("what a decode step reads")
    func decodeReads() throws {
        func reads(_ name: String, _ change: (inout GGUFWriter) -> Void) throws -> DecodeReads {
            var writer = GGUFWriter.model
            change(&writer)
            let file = try ModelFile.inspect(path: scratch.file(name, writer.bytes))
            return try #require(file.artifactLine(sha256: .known("00")).decodeReads)
        }
        #expect(
            try reads("tied.gguf") { _ in }
                == DecodeReads(denseBytes: 5888, keyElements: .known(48), valueElements: .known(48)))
        let own = try reads("own.gguf") {
            $0.tensors.append(GGUFWriter.Tensor(name: "output.weight", dimensions: [64, 3], type: 0))
        }
        #expect(own.denseBytes == 5888)
        let mixture = try reads("mixture.gguf") {
            $0.entries += [
                ("llama.expert_count", .u32(4)), ("llama.expert_used_count", .u32(2)),
                ("llama.attention.sliding_window", .u32(512)),
            ]
            $0.tensors.append(
                GGUFWriter.Tensor(name: "blk.0.ffn_up_exps.weight", dimensions: [64, 8, 4], type: 0))
        }
        #expect(mixture.denseBytes == 5888 && mixture.expertBytes == 64 * 8 * 4 * 4)
        #expect(mixture.experts == 4 && mixture.expertsUsed == 2)
        #expect(mixture.keyElements == .unavailable("some layers keep a sliding window"))
    }

    @Test("what the header does not say is absent, with the reason")
    func absent() throws {
        var writer = GGUFWriter.model
        writer.entries.removeAll { $0.0.hasPrefix("general.") }
        let file = try ModelFile.inspect(path: scratch.file("bare.gguf", writer.bytes))
        let line = file.artifactLine(sha256: .known("00"))
        #expect(line.quantization == .unavailable("no general.file_type in the file's header"))
        #expect(line.name == nil)
        #expect(line.architecture == nil)
        #expect(line.layers == nil)
        #expect(line.weights == nil)
    }

    @Test("directories")
    func directory() {
        let empty = refusal(scratch.path)
        #expect(empty?.cause == "is a directory")
        #expect(empty?.exit == .usage)
        #expect(empty?.remedy?.contains("convert_hf_to_gguf.py") == true)
        _ = scratch.file("b.gguf")
        _ = scratch.file("a.gguf")
        _ = scratch.file("readme.md")
        #expect(refusal(scratch.path)?.remedy == "Give one of its files: a.gguf, b.gguf.")
    }

    @Test("symbolic links")
    func links() throws {
        let loop = scratch.path + "/loop"
        #expect(symlink("loop", loop) == 0)
        #expect(refusal(loop)?.errno == ELOOP)
        #expect(refusal(loop)?.cause.contains("round in a circle") == true)
        let dangling = scratch.path + "/dangling"
        #expect(symlink("nowhere.gguf", dangling) == 0)
        #expect(refusal(dangling)?.cause == "is a symbolic link to nowhere.gguf, which does not exist")
        let path = scratch.file("m.gguf", GGUFWriter.model.bytes)
        let good = scratch.path + "/good"
        #expect(symlink(path, good) == 0)
        #expect(try ModelFile.inspect(path: good).path == good)
    }

    @Test("missing files, empty paths and paths that are none")
    func missing() {
        let missing = refusal(scratch.path + "/none.gguf")
        #expect(missing?.cause == "no such file")
        #expect(missing?.errno == ENOENT)
        #expect(missing?.exit == .failed)
        #expect(refusal("")?.cause == "the path is empty")
        #expect(refusal("")?.exit == .usage)
        #expect(refusal("a\0b")?.cause.contains("NUL") == true)
        let path = scratch.file("file", [1])
        #expect(refusal(path + "/m.gguf")?.errno == ENOTDIR)
        #expect(refusal("/tmp/" + String(repeating: "n", count: 5_000))?.errno == ENAMETOOLONG)
    }

    @Test(
        "addresses",
        arguments: [
            ("https://example.org/m.gguf", "is a URL; sustain measures local files"),
            ("http://example.org/m.gguf", "is a URL; sustain measures local files"),
            ("s3://bucket/m.gguf", "is a URL; sustain measures local files"),
            ("file:///m.gguf", "is a URL, not a path"),
            ("hf:owner/model", "names a model on Hugging Face; sustain measures local files"),
            ("hf://owner/model", "names a model on Hugging Face; sustain measures local files"),
            ("huggingface.co/owner/model", "names a model on Hugging Face; sustain measures local files"),
        ])
    func addresses(path: String, cause: String) {
        #expect(refusal(path)?.cause == cause)
        #expect(refusal(path)?.exit == .usage)
        #expect(refusal(path)?.remedy != nil)
    }

    @Test("FIFOs, sockets and devices are refused without opening them")
    func kinds() {
        let fifo = scratch.path + "/fifo"
        #expect(mkfifo(fifo, 0o600) == 0)
        #expect(refusal(fifo)?.cause.hasPrefix("is a FIFO") == true)
        #expect(refusal(fifo)?.exit == .usage)
        #expect(refusal("/dev/zero")?.cause.hasPrefix("is a device") == true)
    }

    @Test("a file one may not read")
    func unreadable() throws {
        let path = scratch.file("m.gguf", GGUFWriter.model.bytes)
        #expect(chmod(scratch.path, 0o755) == 0)
        #expect(chmod(path, 0) == 0)
        let failure = try asNobody { refusal(path) }
        #expect(failure?.errno == EACCES)
        #expect(failure?.cause == "not allowed to read it")
        #expect(failure?.remedy?.contains("chmod") == true)
    }

    @Test(
        "other formats, by their first bytes",
        arguments: [
            (Array("PK\u{3}\u{4}archive/data.pkl".utf8), "a zip archive"),
            ([0x80, 0x02, 0x8A, 0x0A], "a Python pickle"),
            (Array("lmgg1234".utf8), "old ggml format"),
            (Array("tjgg1234".utf8), "old ggjt format"),
            (little(UInt64(58)) + Array("{\"__metadata__\":{\"format\":\"pt\"}}".utf8), "a safetensors file"),
            ([0x1F, 0x8B, 8, 0], "gzip data"),
            (Array("version https://git-lfs.github.com/spec/v1\noid sha256:1".utf8), "a Git LFS pointer"),
            (Array("\n<!DOCTYPE html><html>".utf8), "a web page"),
            (Array("FROM ./m.gguf\n# naïve".utf8), "a text file"),
            (Array("GGU".utf8), "a text file"),
            ([0xDE, 0xAD, 0xBE, 0x0F, 0], "something unknown (it begins with de ad be 0f)"),
        ] as [([UInt8], String)])
    func signatures(bytes: [UInt8], what: String) {
        let failure = refusal(scratch.file("m.gguf", bytes))
        #expect(failure?.cause.contains("is not a GGUF file but") == true)
        #expect(failure?.cause.contains(what) == true, "\(failure?.cause ?? "taken")")
        #expect(failure?.remedy != nil)
        #expect(failure?.exit == .failed)
    }

    @Test("empty and tiny files")
    func tiny() {
        #expect(refusal(scratch.file("empty.gguf"))?.cause == "is empty")
        #expect(refusal(scratch.file("magic.gguf", Array("GGUF".utf8)))?.cause.contains("at byte 4") == true)
        let bytes = Array(GGUFWriter.model.bytes.prefix(37))
        #expect(
            refusal(scratch.file("37.gguf", bytes))?.cause.contains("at byte 8, header: 3 tensors") == true)
    }

    @Test("a text cut within a character is text")
    func cutText() {
        let text = String(repeating: "é", count: 400)
        #expect(refusal(scratch.file("t", Array(("x" + text).utf8)))?.cause.contains("a text file") == true)
    }

    @Test(
        "GGUF files that are no models",
        arguments: [
            ("adapter", "is a LoRA adapter, not a model"),
            ("mmproj", "is a multimodal projector, not a model"),
            ("imatrix", "is an importance matrix, not a model"),
        ])
    func otherKinds(type: String, cause: String) {
        var writer = GGUFWriter.model
        writer.entries.append(("general.type", .string(type)))
        #expect(refusal(scratch.file("m.gguf", writer.bytes))?.cause == cause)
    }

    @Test("a projector from before general.type")
    func oldProjector() {
        var writer = GGUFWriter.model
        writer.entries[0] = ("general.architecture", .string("clip"))
        let failure = refusal(scratch.file("m.gguf", writer.bytes))
        #expect(failure?.cause == "is a multimodal projector, not a model")
    }

    @Test("a vocabulary alone")
    func vocabularyOnly() {
        var writer = GGUFWriter.model
        writer.tensors = []
        #expect(refusal(scratch.file("m.gguf", writer.bytes))?.cause.contains("holds no tensors") == true)
    }
}

/// Runs the body with the file rights of `nobody`, which binds this thread alone (setfsuid(2)).
///
/// The header of setfsuid is not in the Glibc module; where the tests do not run as root it changes nothing.
func asNobody<Result>(_ body: () throws -> Result) throws -> Result {
    typealias Call = @convention(c) (uid_t) -> Int32
    let symbol = try #require(dlsym(nil, "setfsuid"))
    let setfsuid = unsafeBitCast(symbol, to: Call.self)
    _ = setfsuid(65_534)
    defer { _ = setfsuid(geteuid()) }
    return try body()
}
