import Analysis

/// Where the tensors' data lie in the file.
struct TensorLayout {
    let tensors: [GGUFTensor]
    let alignment: UInt64
    /// Offset in the file of the data section; at most `fileBytes`.
    let dataOffset: UInt64
    let fileBytes: UInt64

    /// Checks that all data are inside the file and that no two tensors share bytes.
    /// - Returns: Warnings.
    func check(_ reader: GGUFReader) throws(Failure) -> [String] {
        var needed = dataOffset
        var last: GGUFTensor?
        for tensor in tensors {
            reader.subject = "tensor \"\(tensor.name.prefix(64))\""
            guard tensor.offset % alignment == 0 else {
                throw reader.refusal(
                    "its data offset \(tensor.offset) is no multiple of the alignment \(alignment)",
                    at: tensor.describedAt)
            }
            let end = try self.end(of: tensor, reader)
            if end > needed {
                needed = end
                last = tensor
            }
        }
        if needed > fileBytes, let last {
            reader.subject = "tensor \"\(last.name.prefix(64))\""
            throw reader.refusal(
                "its data end at byte \(needed), but the file ends at byte \(fileBytes)",
                at: last.describedAt,
                remedy: "The file is truncated (an unfinished download?): fetch it again.")
        }
        try checkOverlap(reader)
        return orderWarnings
    }

    /// The offset in the file where a tensor's data end; of an unknown type, where they start.
    private func end(of tensor: GGUFTensor, _ reader: GGUFReader) throws(Failure) -> UInt64 {
        let (start, overflow) = dataOffset.addingReportingOverflow(tensor.offset)
        let (end, endOverflow) = start.addingReportingOverflow(tensor.bytes ?? 0)
        guard !overflow, !endOverflow else {
            throw reader.refusal(
                "its data offset \(tensor.offset) and size \(tensor.bytes ?? 0) overflow",
                at: tensor.describedAt)
        }
        return end
    }

    private func checkOverlap(_ reader: GGUFReader) throws(Failure) {
        var previousEnd: UInt64 = 0
        for tensor in tensors.sorted(by: { ($0.offset, $0.bytes ?? 0) < ($1.offset, $1.bytes ?? 0) }) {
            guard tensor.offset >= previousEnd else {
                reader.subject = "tensor \"\(tensor.name.prefix(64))\""
                throw reader.refusal("its data overlap those of another tensor", at: tensor.describedAt)
            }
            previousEnd = tensor.offset + (tensor.bytes ?? 0)
        }
    }

    /// llama.cpp wants each tensor's data right behind those of the one before (ggml/src/gguf.cpp); the
    /// format does not, and other engines may read such a file.
    private var orderWarnings: [String] {
        var expected: UInt64 = 0
        for tensor in tensors {
            guard tensor.offset == expected else {
                return ["the tensors' data do not follow one another in order, which llama.cpp refuses"]
            }
            guard let bytes = tensor.bytes else { return [] }
            let end = tensor.offset + bytes
            expected = end + (alignment - end % alignment) % alignment
        }
        return []
    }
}
