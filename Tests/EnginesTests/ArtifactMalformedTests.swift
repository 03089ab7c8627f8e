import Analysis
import Testing

@testable import Engines

@Suite("GGUF header, malformed")
struct ArtifactMalformedTests {
    /// The refusal of some bytes; an issue is recorded when they are taken.
    func refusal(_ bytes: [UInt8], claimed: UInt64? = nil) -> Failure? {
        do throws(Failure) {
            _ = try GGUFHeader.parse(MemoryBytes(bytes: bytes, claimed: claimed), thing: "m.gguf")
            return nil
        } catch {
            return error
        }
    }

    func expectRefusal(
        _ bytes: [UInt8], claimed: UInt64? = nil, at offset: Int, _ cause: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let failure = refusal(bytes, claimed: claimed)
        #expect(failure?.thing == "m.gguf", sourceLocation: sourceLocation)
        #expect(failure?.exit == .failed, sourceLocation: sourceLocation)
        #expect(failure?.remedy != nil, sourceLocation: sourceLocation)
        let text = failure?.cause ?? "taken"
        #expect(text.contains("at byte \(offset),"), "\(text)", sourceLocation: sourceLocation)
        #expect(text.contains(cause), "\(text)", sourceLocation: sourceLocation)
    }

    @Test("37 bytes")
    func tiny() {
        var writer = GGUFWriter.model
        writer.tensorCount = 0
        writer.entryCount = 1
        let bytes = Array(writer.bytes.prefix(37))
        expectRefusal(bytes, at: 24, "its name has 20 bytes, but the file ends at byte 37")
        expectRefusal(Array(bytes.prefix(20)), at: 16, "the number of keys takes 8 bytes")
    }

    @Test("a file that ends anywhere in its header or data is refused")
    func truncated() {
        let whole = GGUFWriter.model.bytes
        #expect(refusal(whole) == nil)
        for count in 0..<whole.count {
            #expect(refusal(Array(whole.prefix(count))) != nil, "\(count) bytes")
        }
    }

    @Test("unfinished download")
    func unfinished() {
        let writer = GGUFWriter.model
        let bytes = Array(writer.bytes.dropLast())
        let failure = refusal(bytes)
        #expect(failure?.cause.contains("its data end at byte \(writer.bytes.count)") == true)
        #expect(failure?.remedy?.contains("download") == true)
    }

    @Test("a file that shrinks while it is read")
    func shrinking() {
        let header = GGUFWriter.model.header
        expectRefusal(Array(header.prefix(100)), claimed: 10_000, at: 93, "become shorter")
    }

    @Test("tensor count 2^63", arguments: [UInt64(1) << 63, .max, 1 << 32, 100])
    func tensorCount(count: UInt64) {
        var writer = GGUFWriter()
        writer.tensorCount = count
        expectRefusal(writer.header, at: 8, "\(count) tensors do not fit")
    }

    @Test("more tensors than supported in a file with room for them")
    func tooManyTensors() {
        var writer = GGUFWriter()
        writer.tensorCount = 1 << 32
        expectRefusal(writer.header, claimed: 1 << 60, at: 8, "more than the 65536 supported")
    }

    @Test("key count", arguments: [UInt64(1) << 63, .max, 1 << 32, 1])
    func entryCount(count: UInt64) {
        var writer = GGUFWriter()
        writer.entryCount = count
        expectRefusal(writer.header, at: 16, "\(count) keys do not fit")
    }

    @Test("lengths past the end of the file", arguments: [UInt64(1) << 63, .max, .max - 8, 1 << 30, 1_000])
    func lengths(length: UInt64) {
        let start = GGUFWriter(tensorCount: 0, entryCount: 1).header
        let rest = [UInt8](repeating: 0x61, count: 100)
        expectRefusal(start + little(length) + rest, at: 24, "its name has \(length) bytes")

        let value = GGUFWriter.Value.raw(type: 8, little(length) + rest)
        expectRefusal(GGUFWriter(entries: [("k", value)]).header, at: 37, "its value has \(length) bytes")

        let words = GGUFWriter.Value.raw(
            type: 9, little(UInt32(8)) + little(UInt64(1)) + little(length) + rest)
        expectRefusal(
            GGUFWriter(entries: [("k", words)]).header, at: 49, "one of its strings has \(length) bytes")
    }

    @Test("array counts past the end of the file", arguments: [UInt32(0), 4, 8, 9, 10])
    func arrayCounts(type: UInt32) {
        for count in [UInt64(1) << 63, .max, .max / 8 + 1, 1 << 61, 1_000] {
            let value = GGUFWriter.Value.raw(
                type: 9, little(type) + little(count) + [UInt8](repeating: 0, count: 100))
            expectRefusal(GGUFWriter(entries: [("k", value)]).header, at: 37, "it claims \(count) elements")
        }
    }

    @Test("nested array depth")
    func depth() {
        // Twelve bytes a level, far more levels than a stack would bear.
        let level = little(UInt32(9)) + little(UInt64(1))
        let deep = GGUFWriter.Value.raw(type: 9, Array(repeatElement(level, count: 20_000).joined()))
        expectRefusal(GGUFWriter(entries: [("k", deep)]).header, at: 37 + 4 * 12, "nested more than 4 deep")
    }

    @Test("elements that take no memory but time")
    func walking() {
        let value = GGUFWriter.Value.raw(type: 9, little(UInt32(8)) + little(UInt64(1) << 40))
        expectRefusal(GGUFWriter(entries: [("k", value)]).header, claimed: 1 << 60, at: 49, "make more than")
    }

    @Test("keys that take memory")
    func keeping() {
        var writer = GGUFWriter()
        let long = String(repeating: "v", count: 4_000)
        writer.entries = (0..<5_000).map { ("key.\($0)", .string(long)) }
        #expect(refusal(writer.bytes)?.cause.contains("take more than 16 MiB") == true)
    }

    @Test("key names")
    func keyNames() {
        expectRefusal(GGUFWriter(entries: [("", .u8(1))]).header, at: 24, "its name is empty")
        expectRefusal(
            GGUFWriter(entries: [("a", .u8(1)), ("a", .u8(2))]).header, at: 38, "it is there twice")
        let start = GGUFWriter(tensorCount: 0, entryCount: 1).header
        expectRefusal(
            start + little(UInt64(2)) + [0xC3, 0x28] + little(UInt32(0)) + [1], at: 24, "not UTF-8")
        let long = String(repeating: "k", count: 65_536)
        expectRefusal(
            GGUFWriter(entries: [(long, .u8(1))]).header, at: 24, "65536 bytes, more than the 65535")
    }

    @Test("value types", arguments: [UInt32(13), 255, .max])
    func valueTypes(code: UInt32) {
        let value = GGUFWriter.Value.raw(type: code, [0, 0, 0, 0])
        expectRefusal(GGUFWriter(entries: [("k", value)]).header, at: 33, "\(code), which is no GGUF type")
        let array = GGUFWriter.Value.array(type: code, [.u64(0), .u64(0)])
        expectRefusal(GGUFWriter(entries: [("k", array)]).header, at: 37, "\(code), which is no GGUF type")
    }

    @Test("versions")
    func versions() {
        expectRefusal(GGUFWriter(version: 1).header, at: 4, "version 1 of the format is no longer read")
        expectRefusal(GGUFWriter(version: 0).header, at: 4, "version 0 of the format is not known")
        expectRefusal(GGUFWriter(version: 4).header, at: 4, "version 4 of the format is not known")
        let swapped = GGUFWriter(version: UInt32(3).byteSwapped)
        expectRefusal(swapped.header, at: 4, "big-endian (version 3)")
        #expect(refusal(swapped.header)?.remedy?.contains("gguf_convert_endian.py") == true)
        expectRefusal(GGUFWriter(magic: Array("GGUE".utf8)).header, at: 3, "does not begin with \"GGUF\"")
    }

    @Test("alignments")
    func alignments() {
        for value in [UInt32(0), 3, 48, .max] {
            expectRefusal(
                GGUFWriter(entries: [("general.alignment", .u32(value))]).header, at: 53,
                "\(value) is no power of two")
        }
        expectRefusal(
            GGUFWriter(entries: [("general.alignment", .u64(32))]).header, at: 53, "not a 32-bit unsigned")
        var writer = GGUFWriter.model
        writer.entries.append(("general.alignment", .u32(1 << 31)))
        #expect(refusal(writer.bytes)?.cause.contains("the padding before it takes") == true)
    }

    @Test("block_count", arguments: [UInt64(UInt32.max), .max, 65_537, 0])
    func layers(count: UInt64) {
        var writer = GGUFWriter.model
        writer.entries[5] = ("llama.block_count", .u64(count))
        let failure = refusal(writer.bytes)
        #expect(failure?.cause.contains("\(count) layers are not between 1 and 65536") == true)
        writer.entries[5] = ("llama.block_count", .i32(-1))
        #expect(refusal(writer.bytes)?.cause.contains("it is not a count") == true)
        writer.entries[5] = ("llama.block_count", .u64(2))
        #expect(refusal(writer.bytes) == nil)
    }
}
