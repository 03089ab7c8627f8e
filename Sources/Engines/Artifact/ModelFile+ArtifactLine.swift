import Analysis

extension ModelFile {
    /// The quantisation that the file claims by `general.file_type`.
    public var quantization: Maybe<String> {
        Maybe(
            header.metadata["general.file_type"]?.count.map(FileType.name),
            else: "no general.file_type in the file's header")
    }

    /// The canonical facts of the model for a trace.
    /// - Parameter sha256: As `ArtifactHash.sha256` gave it.
    public func artifactLine(sha256: Maybe<String>) -> ArtifactLine {
        var line = ArtifactLine(
            path: path, sizeBytes: sizeBytes, sha256: sha256, format: "gguf v\(header.version)")
        line.name = header.metadata["general.name"]?.string
        line.architecture = shape.architecture
        line.quantization = quantization
        line.parameters = Maybe(summary.parameters, else: "the tensors' sizes overflow")
        line.bitsPerWeight = summary.bitsPerWeight
        line.tensorBytes = summary.bytes
        line.tensorTypes = summary.elementShares
        line.tensorBlocks = tensorBlocks
        line.quantizationVersion = header.metadata["general.quantization_version"]?.count
        line.parts = parts.count > 1 ? UInt64(parts.count) : nil
        line.source = source
        line.producer = header.metadata["general.quantized_by"]?.string
        line.trainedContextTokens = shape.trainedContextTokens
        line.layers = shape.layers
        line.decodeReads = decodeReads
        line.weights = hasRandomWeights ? "random" : nil
        return line
    }

    private var tensorBlocks: [String: TensorBlock] {
        var blocks: [String: TensorBlock] = [:]
        for share in summary.shares {
            guard let block = share.type.block, let bits = share.type.bitsPerWeight else { continue }
            blocks[share.type.name] = TensorBlock(weights: block.elements, bitsPerWeight: bits)
        }
        return blocks
    }

    /// The most telling of the keys that name an origin (ggml/docs/gguf.md, "Source metadata").
    private var source: String? {
        let keys = [
            "general.source.huggingface.repository", "general.source.repo_url", "general.source.url",
            "general.repo_url", "general.url",
        ]
        return keys.lazy.compactMap { header.metadata[$0]?.string }.first
    }
}
