import Analysis
import Testing

@testable import Engines

@Suite("Split models")
struct ArtifactSplitTests {
    let scratch = ArtifactScratch()

    /// The writer of one part of the tiny model in three.
    func part(_ number: UInt16, of count: UInt16 = 3, tensors: Int32 = 3) -> GGUFWriter {
        var writer = GGUFWriter.model
        let split: [(String, GGUFWriter.Value)] = [
            ("split.no", .u16(number)), ("split.count", .u16(count)), ("split.tensors.count", .i32(tensors)),
        ]
        writer.entries = number == 0 ? writer.entries + split : split
        writer.tensors = [writer.tensors[Int(number)]]
        return writer
    }

    func name(_ number: Int) -> String { "tiny-0000\(number)-of-00003.gguf" }

    func refusal(_ path: String) -> Failure? {
        do throws(Failure) {
            _ = try ModelFile.inspect(path: path)
            return nil
        } catch {
            return error
        }
    }

    @Test("the first part stands for all")
    func whole() throws {
        let parts = (0..<3).map { part($0).bytes }
        let paths = parts.enumerated().map { scratch.file(name($0 + 1), $1) }
        let file = try ModelFile.inspect(path: paths[0])
        #expect(file.path == paths[0])
        #expect(file.parts.map(\.path) == paths)
        #expect(file.sizeBytes == UInt64(parts.map(\.count).reduce(0, +)))
        #expect(file.tensors.count == 3)
        #expect(file.summary.parameters == 8384)
        #expect(file.shape.layers == 2)
        #expect(file.warnings.isEmpty)
        #expect(file.artifactLine(sha256: .unavailable("not asked for")).parts == 3)

        let joined = scratch.file("joined", parts.flatMap { $0 })
        let one = ModelFile.Part(path: joined, identity: try OpenFile(joined).identity)
        let hash = try ArtifactHash.sha256(of: file, cache: nil)
        #expect(hash.value != nil)
        #expect(try ArtifactHash.sha256([one], libraries: ArtifactHash.libraries) { _ in true } == hash)
    }

    @Test("a later part names the first")
    func later() {
        let path = scratch.file(name(2), part(1).bytes)
        #expect(refusal(path)?.cause == "is part 2 of 3 of a split model")
        #expect(refusal(path)?.remedy == "Give the first part: \(scratch.path)/\(name(1))")
        #expect(refusal(path)?.exit == .usage)
        let renamed = scratch.file("second.gguf", part(1).bytes)
        #expect(refusal(renamed)?.remedy?.contains("-00001-of-") == true)
    }

    @Test("a missing part is named")
    func missing() {
        let first = scratch.file(name(1), part(0).bytes)
        _ = scratch.file(name(2), part(1).bytes)
        #expect(refusal(first)?.thing == "\(scratch.path)/\(name(3))")
        #expect(refusal(first)?.cause == "no such file")
    }

    @Test("a first part under another name")
    func renamed() {
        let path = scratch.file("tiny.gguf", part(0).bytes)
        #expect(refusal(path)?.cause.contains("does not end in -00001-of-00003.gguf") == true)
    }

    @Test("parts that do not belong together")
    func mixed() {
        let first = scratch.file(name(1), part(0).bytes)
        _ = scratch.file(name(2), part(2).bytes)
        _ = scratch.file(name(3), part(2).bytes)
        #expect(refusal(first)?.cause == "is not part 2 of 3, as its name says")
        _ = scratch.file(name(2), GGUFWriter.model.bytes)
        #expect(refusal(first)?.cause == "is not part 2 of 3, as its name says")
        _ = scratch.file(name(2), part(1).bytes)
        _ = scratch.file(name(1), part(0, tensors: 4).bytes)
        #expect(refusal(first)?.cause == "its 3 parts hold 3 tensors instead of 4")
        var twice = part(1)
        twice.tensors = part(0).tensors
        _ = scratch.file(name(1), part(0).bytes)
        _ = scratch.file(name(2), twice.bytes)
        #expect(refusal(first)?.cause == "tensor \"token_embd.weight\" is in two of its parts")
    }

    @Test("counts that cannot be", arguments: [(UInt64(3), UInt64(3)), (.max, 3), (0, .max), (0, 1 << 40)])
    func counts(number: UInt64, count: UInt64) {
        var writer = GGUFWriter.model
        writer.entries += [("split.no", .u64(number)), ("split.count", .u64(count))]
        let path = scratch.file(name(1), writer.bytes)
        #expect(refusal(path)?.cause.contains("claims to be part") == true)
    }
}
