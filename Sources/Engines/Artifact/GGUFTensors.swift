import Analysis

/// One tensor of a model file.
public struct GGUFTensor: Sendable, Hashable {
    public let name: String
    /// Elements by dimension, the fastest first; empty for a scalar.
    public let dimensions: [UInt64]
    public let type: TensorType
    /// Where its data start, from the beginning of the data section.
    public let offset: UInt64
    /// Number of elements: the product of the dimensions.
    public let elements: UInt64
    /// Bytes of its data; nil when the type's block size is not known.
    public let bytes: UInt64?
    /// Where it is described in the file, for messages.
    let describedAt: UInt64
}

/// Reads the tensor descriptions of a header (ggml/docs/gguf.md, "gguf_tensor_info_t").
extension GGUFReader {
    /// `GGML_MAX_DIMS` of ggml.h.
    private static let dimensionLimit: UInt32 = 4
    /// llama.cpp refuses names of 64 bytes and more (`GGML_MAX_NAME`); builds of it with a larger limit exist.
    private static let nameLimit = 255
    /// The largest model known has about 50,000 (256 unmerged experts in 61 layers).
    static let tensorLimit: UInt64 = 65_536

    func tensors(count: UInt64) throws(Failure) -> [GGUFTensor] {
        var names: Set<String> = []
        var result: [GGUFTensor] = []
        for index in 0..<count {
            subject = "tensor \(index)"
            let start = offset
            let invalidBefore = invalidStrings
            let (text, bytes) = try string("its name", keepingUpTo: Self.nameLimit)
            guard let name = text else {
                throw refusal("its name has \(bytes) bytes, more than \(Self.nameLimit)", at: start)
            }
            guard invalidStrings == invalidBefore else { throw refusal("its name is not UTF-8", at: start) }
            subject = "tensor \"\(name.prefix(64))\""
            guard names.insert(name).inserted else { throw refusal("it is there twice", at: start) }
            try keep(name.utf8.count + 160)
            result.append(try tensor(name, describedAt: start))
        }
        return result
    }

    private func tensor(_ name: String, describedAt start: UInt64) throws(Failure) -> GGUFTensor {
        let dimensionsAt = offset
        let count = try integer(UInt32.self, "the number of its dimensions")
        guard count <= Self.dimensionLimit else {
            throw refusal("it has \(count) dimensions, more than \(Self.dimensionLimit)", at: dimensionsAt)
        }
        var dimensions: [UInt64] = []
        var elements: UInt64 = 1
        for _ in 0..<count {
            let at = offset
            let dimension = try integer(UInt64.self, "one of its dimensions")
            let (product, overflow) = elements.multipliedReportingOverflow(by: dimension)
            guard !overflow, product <= UInt64(Int64.max), dimension <= UInt64(Int64.max) else {
                throw refusal("a dimension of \(dimension) makes more than 2^63 elements", at: at)
            }
            elements = product
            dimensions.append(dimension)
        }
        let typeAt = offset
        let type = TensorType(code: try integer(UInt32.self, "its type"))
        let bytes = try byteCount(of: type, row: dimensions.first ?? 1, elements: elements, at: typeAt)
        let dataOffset = try integer(UInt64.self, "the offset of its data")
        return GGUFTensor(
            name: name, dimensions: dimensions, type: type, offset: dataOffset, elements: elements,
            bytes: bytes, describedAt: start)
    }

    private func byteCount(
        of type: TensorType, row: UInt64, elements: UInt64, at offset: UInt64
    ) throws(Failure) -> UInt64? {
        guard let block = type.block else { return nil }
        guard row % block.elements == 0 else {
            throw refusal(
                "a row of \(row) elements is no multiple of the \(block.elements) that \(type) stores together",
                at: offset)
        }
        let (bytes, overflow) = (elements / block.elements).multipliedReportingOverflow(by: block.bytes)
        guard !overflow else { throw refusal("its size in bytes overflows", at: offset) }
        return bytes
    }
}
