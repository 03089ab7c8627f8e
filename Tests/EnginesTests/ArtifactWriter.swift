import Glibc

@testable import Engines

/// Builds the bytes of a GGUF file, well-formed or not.
struct GGUFWriter {
    struct Tensor {
        var name: String
        var dimensions: [UInt64]
        var type: UInt32
        /// Overrides of what the writer would compute.
        var offset: UInt64?
        var dataBytes: Int?
    }

    indirect enum Value {
        case u8(UInt8)
        case i8(Int8)
        case u16(UInt16)
        case i16(Int16)
        case u32(UInt32)
        case i32(Int32)
        case u64(UInt64)
        case i64(Int64)
        case f32(Float)
        case f64(Double)
        case bool(Bool)
        case string(String)
        case bytes([UInt8])
        case array(type: UInt32, [Value])
        /// Bytes as they are, behind a type code of one's own.
        case raw(type: UInt32, [UInt8])

        var type: UInt32 {
            switch self {
            case .u8: 0
            case .i8: 1
            case .u16: 2
            case .i16: 3
            case .u32: 4
            case .i32: 5
            case .f32: 6
            case .bool: 7
            case .string, .bytes: 8
            case .array: 9
            case .u64: 10
            case .i64: 11
            case .f64: 12
            case .raw(let type, _): type
            }
        }

        var encoded: [UInt8] {
            switch self {
            case .u8(let value): [value]
            case .i8(let value): [UInt8(bitPattern: value)]
            case .u16(let value): little(value)
            case .i16(let value): little(value)
            case .u32(let value): little(value)
            case .i32(let value): little(value)
            case .u64(let value): little(value)
            case .i64(let value): little(value)
            case .f32(let value): little(value.bitPattern)
            case .f64(let value): little(value.bitPattern)
            case .bool(let value): [value ? 1 : 0]
            case .string(let value): little(UInt64(value.utf8.count)) + Array(value.utf8)
            case .bytes(let value): little(UInt64(value.count)) + value
            case .array(let type, let values):
                little(type) + little(UInt64(values.count)) + values.flatMap(\.encoded)
            case .raw(_, let bytes): bytes
            }
        }
    }

    var magic: [UInt8] = Array("GGUF".utf8)
    var version: UInt32 = 3
    var entries: [(String, Value)] = []
    var tensors: [Tensor] = []
    var alignment: UInt64 = 32
    var tensorCount: UInt64?
    var entryCount: UInt64?

    /// A tiny complete model: two layers, two tensor types, a vocabulary of three.
    static var model: GGUFWriter {
        var writer = GGUFWriter()
        writer.entries = [
            ("general.architecture", .string("llama")),
            ("general.name", .string("Tiny")),
            ("general.file_type", .u32(3)),
            ("general.quantization_version", .u32(2)),
            ("llama.context_length", .u32(2048)),
            ("llama.block_count", .u32(2)),
            ("llama.embedding_length", .u32(64)),
            ("llama.feed_forward_length", .u32(128)),
            ("llama.attention.head_count", .u32(4)),
            ("llama.attention.head_count_kv", .array(type: 5, [.i32(2), .i32(1)])),
            ("tokenizer.ggml.tokens", .array(type: 8, ["<s>", "a", "b"].map(Value.string))),
            ("tokenizer.ggml.scores", .array(type: 6, [.f32(0), .f32(-1), .f32(-2)])),
        ]
        writer.tensors = [
            Tensor(name: "token_embd.weight", dimensions: [64, 3], type: 0),
            Tensor(name: "blk.0.attn_q.weight", dimensions: [64, 64], type: 3),
            Tensor(name: "blk.1.attn_q.weight", dimensions: [64, 64], type: 3),
        ]
        return writer
    }

    /// Header and data.
    var bytes: [UInt8] { header + [UInt8](repeating: 7, count: dataBytes) }

    var header: [UInt8] {
        var out = magic + little(version)
        out += little(tensorCount ?? UInt64(tensors.count)) + little(entryCount ?? UInt64(entries.count))
        for (key, value) in entries {
            out += Value.string(key).encoded + little(value.type) + value.encoded
        }
        var offset: UInt64 = 0
        for tensor in tensors {
            out += Value.string(tensor.name).encoded + little(UInt32(tensor.dimensions.count))
            for dimension in tensor.dimensions { out += little(dimension) }
            out += little(tensor.type) + little(tensor.offset ?? offset)
            offset += padded(UInt64(size(of: tensor)))
        }
        if !tensors.isEmpty {
            out += [UInt8](repeating: 0, count: Int(padded(UInt64(out.count))) - out.count)
        }
        return out
    }

    private var dataBytes: Int {
        tensors.reduce(0) { Int(padded(UInt64($0))) + size(of: $1) }
    }

    private func size(of tensor: Tensor) -> Int {
        if let bytes = tensor.dataBytes { return bytes }
        guard let block = TensorType(code: tensor.type).block else { return 0 }
        return Int(tensor.dimensions.reduce(1, *) / block.elements * block.bytes)
    }

    private func padded(_ count: UInt64) -> UInt64 { (count + alignment - 1) / alignment * alignment }
}

func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
}

/// Bytes in memory as a file; it may claim to be larger than it is, like a file that shrinks.
struct MemoryBytes: ByteSource {
    let bytes: [UInt8]
    var claimed: UInt64?

    var sizeBytes: UInt64 { claimed ?? UInt64(bytes.count) }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset < UInt64(bytes.count) else { return 0 }
        let rest = bytes[Int(offset)...].prefix(buffer.count)
        buffer.copyBytes(from: rest)
        return rest.count
    }
}

/// A fresh directory, removed with everything in it.
final class ArtifactScratch {
    let path: String

    init() {
        var template = Array("/tmp/sustain-test-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
        }
        precondition(!path.isEmpty, "mkdtemp failed")
    }

    deinit { Self.removeTree(path) }

    /// A file of text below the scratch directory, with the directories on its way.
    func tree(_ name: String, _ text: String) {
        var place = path
        for part in name.split(separator: "/").dropLast() {
            place += "/" + part
            mkdir(place, 0o755)
        }
        _ = file(name, Array(text.utf8))
    }

    private static func removeTree(_ path: String) {
        for name in names(in: path) { removeTree(path + "/" + name) }
        _ = remove(path)
    }

    /// The names in a directory; none for anything else, a link to a directory included.
    static func names(in path: String) -> [String] {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0, let directory = fdopendir(descriptor) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    func file(_ name: String, _ bytes: [UInt8] = []) -> String {
        let path = self.path + "/" + name
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        precondition(descriptor >= 0, "cannot create \(path)")
        defer { close(descriptor) }
        precondition(write(descriptor, bytes, bytes.count) == bytes.count, "short write to \(path)")
        return path
    }
}
