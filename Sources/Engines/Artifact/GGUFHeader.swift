import Analysis

/// The header of a GGUF file, versions 2 and 3, little-endian (ggml/docs/gguf.md).
///
/// Parsing costs at most a second and 64 MiB whatever the file says: no length is trusted before it was held
/// against the file's size, long arrays are walked or stepped over but not stored.
public struct GGUFHeader: Sendable, Hashable {
    /// Version of the format: 2 or 3.
    public let version: UInt32
    public let metadata: [String: GGUFEntry]
    /// In the order of the file.
    public let tensors: [GGUFTensor]
    /// The data of each tensor start at a multiple of this many bytes.
    public let alignment: UInt64
    /// Offset in the file of the data section.
    public let dataOffset: UInt64
    /// What is odd but does not stop the file from being used, in plain words.
    public let warnings: [String]

    /// "GGUF" as the file has it.
    static let magic: [UInt8] = [0x47, 0x47, 0x55, 0x46]

    /// Reads a header.
    ///
    /// - Parameters:
    ///   - source: The file.
    ///   - thing: Its name, for messages.
    /// - Throws: A `Failure` that names the file, the byte offset and what is wrong there.
    public static func parse(_ source: any ByteSource, thing: String) throws(Failure) -> GGUFHeader {
        let reader = GGUFReader(source, thing: thing)
        let version = try reader.preamble()
        let (tensorCount, entryCount) = try reader.counts()
        let metadata = try reader.metadata(count: entryCount)
        let alignment = try reader.alignment(metadata)
        try reader.checkLayers(metadata)
        let tensors = try reader.tensors(count: tensorCount)
        let dataOffset = try reader.dataOffset(alignment: alignment, hasTensors: !tensors.isEmpty)
        let layout = TensorLayout(
            tensors: tensors, alignment: alignment, dataOffset: dataOffset, fileBytes: source.sizeBytes)
        let layoutWarnings = try layout.check(reader)
        return GGUFHeader(
            version: version, metadata: metadata, tensors: tensors, alignment: alignment,
            dataOffset: dataOffset,
            warnings: warnings(metadata, invalidStrings: reader.invalidStrings) + layoutWarnings)
    }

    private static func warnings(_ metadata: [String: GGUFEntry], invalidStrings: UInt64) -> [String] {
        var result: [String] = []
        if invalidStrings > 0 {
            result.append("\(invalidStrings) strings of the header are not UTF-8")
        }
        for (key, entry) in metadata.sorted(by: { $0.key < $1.key }) {
            guard let array = entry.array else { continue }
            if array.elementType == .array {
                result.append("\(key) is an array of arrays, which llama.cpp refuses")
            }
            // llama.cpp warns and calls such a token "[EMPTY_n]" (src/llama-vocab.cpp); older versions abort.
            if key == "tokenizer.ggml.tokens", let first = array.firstEmptyString {
                result.append(
                    "\(array.emptyStrings) tokens of the vocabulary are empty, the first is number \(first)")
            }
        }
        return result
    }
}

extension GGUFReader {
    /// Magic and version.
    fileprivate func preamble() throws(Failure) -> UInt32 {
        for (place, expected) in GGUFHeader.magic.enumerated() {
            guard try integer(UInt8.self, "the magic number") == expected else {
                throw refusal("the file does not begin with \"GGUF\"", at: UInt64(place))
            }
        }
        let start = offset
        let version = try integer(UInt32.self, "the version")
        switch version {
        case 2, 3: return version
        case 1:
            throw refusal(
                "version 1 of the format is no longer read by llama.cpp", at: start,
                remedy: "Convert the original model again with a current convert_hf_to_gguf.py.")
        case let swapped where (1...3).contains(swapped.byteSwapped):
            throw refusal(
                "the file is big-endian (version \(swapped.byteSwapped))", at: start,
                remedy: "Convert it with gguf_convert_endian.py, or get the little-endian file.")
        default:
            throw refusal(
                "version \(version) of the format is not known here (2 and 3 are)", at: start,
                remedy: "Update sustain, or convert the model with a tool that writes version 3.")
        }
    }

    /// The numbers of tensors and of keys, held against the least space that each takes in the file.
    fileprivate func counts() throws(Failure) -> (tensors: UInt64, entries: UInt64) {
        // A tensor: name length 8, dimension count 4, type 4, offset 8. A key: length 8, type 4, value 1.
        let tensorsAt = offset
        let tensors = try integer(UInt64.self, "the number of tensors")
        let entriesAt = offset
        let entries = try integer(UInt64.self, "the number of keys")
        guard tensors <= remaining / 24 else {
            throw refusal("\(tensors) tensors do not fit into a file of \(sizeBytes) bytes", at: tensorsAt)
        }
        guard tensors <= Self.tensorLimit else {
            throw refusal("\(tensors) tensors are more than the \(Self.tensorLimit) supported", at: tensorsAt)
        }
        guard entries <= remaining / 13 else {
            throw refusal("\(entries) keys do not fit into a file of \(sizeBytes) bytes", at: entriesAt)
        }
        return (tensors, entries)
    }

    /// Refuses a number of layers that no model can have, before anything is sized by it.
    fileprivate func checkLayers(_ metadata: [String: GGUFEntry]) throws(Failure) {
        guard let architecture = metadata["general.architecture"]?.string,
            let entry = metadata["\(architecture).block_count"]
        else { return }
        subject = "key \"\(architecture.prefix(48)).block_count\""
        guard let layers = entry.count else { throw refusal("it is not a count", at: entry.offset) }
        // A layer has at least one tensor.
        guard (1...Self.tensorLimit).contains(layers) else {
            throw refusal("\(layers) layers are not between 1 and \(Self.tensorLimit)", at: entry.offset)
        }
    }

    fileprivate func alignment(_ metadata: [String: GGUFEntry]) throws(Failure) -> UInt64 {
        guard let entry = metadata["general.alignment"] else { return 32 }
        subject = "key \"general.alignment\""
        guard entry.type == .uint32, let value = entry.count else {
            throw refusal("it is not a 32-bit unsigned integer", at: entry.offset)
        }
        guard value > 0, value & (value - 1) == 0 else {
            throw refusal("\(value) is no power of two", at: entry.offset)
        }
        return value
    }

    /// Where the data section starts: the end of the header, padded. `alignment` is a power of two under 2^32.
    fileprivate func dataOffset(alignment: UInt64, hasTensors: Bool) throws(Failure) -> UInt64 {
        guard hasTensors else { return offset }
        subject = "data section"
        let padding = (alignment - offset % alignment) % alignment
        try skip(padding, "the padding before it")
        return offset
    }
}
