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
        line.tensorTypes = summary.elementShares
        line.trainedContextTokens = shape.trainedContextTokens
        line.layers = shape.layers
        // The key of scripts/make-model; nothing in a file can prove the opposite.
        line.weights = header.metadata["sustain.weights"]?.string == "random" ? "random" : nil
        return line
    }
}
