import Analysis

/// A model on disk: where it is, what identifies it, and what its header says.
///
/// llama.cpp loads the further parts of a split model by itself, so a split model is one `ModelFile`: its
/// first part's metadata, all parts' tensors, and a size and a hash over all of them.
public struct ModelFile: Sendable, Hashable {
    /// One file of the model.
    public struct Part: Sendable, Hashable {
        public let path: String
        public let identity: FileIdentity
    }

    /// The path as the user gave it.
    public let path: String
    /// The files in order; one unless the model is split.
    public let parts: [Part]
    /// The header of the first part.
    public let header: GGUFHeader
    /// The tensors of all parts.
    public let tensors: [GGUFTensor]
    public let shape: ModelShape
    public let summary: TensorSummary
    /// What is odd but does not stop the model from being used, in plain words.
    public let warnings: [String]

    /// Bytes of all parts.
    public var sizeBytes: UInt64 {
        parts.reduce(0) { $0.addingReportingOverflow($1.identity.sizeBytes).partialValue }
    }

    /// Opens a model, reads its header and checks both; reads none of the weights.
    ///
    /// - Throws: A `Failure` naming the path, the cause and the remedy: `.usage` where the argument cannot
    ///   name a model (a directory, a URL, a FIFO, a later part), `.failed` for a file that is not usable.
    public static func inspect(path: String) throws(Failure) -> ModelFile {
        let (first, header) = try read(path)
        if let refusal = notAModel(path, header) { throw refusal }
        var parts = [first]
        var tensors = header.tensors
        var warnings = header.warnings
        if let place = SplitPlace(header) {
            for (further, furtherHeader) in try furtherParts(of: path, place) {
                parts.append(further)
                tensors += furtherHeader.tensors
                warnings += furtherHeader.warnings
            }
            try check(tensors, against: place, path)
        }
        guard !tensors.isEmpty else {
            throw Failure(
                thing: path, cause: "holds no tensors (a file of the vocabulary alone?)",
                remedy: "Give the file of the whole model.")
        }
        let shape = ModelShape(header)
        return ModelFile(
            path: path, parts: parts, header: header, tensors: tensors, shape: shape,
            summary: TensorSummary(tensors), warnings: warnings + shape.warnings)
    }

    private static func read(_ path: String) throws(Failure) -> (Part, GGUFHeader) {
        let file = try OpenFile(path)
        if let refusal = try signatureRefusal(file) { throw refusal }
        let header = try GGUFHeader.parse(file, thing: path)
        return (Part(path: path, identity: file.identity), header)
    }

    static func signatureRefusal(_ file: OpenFile) throws(Failure) -> Failure? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: FileSignature.length, alignment: 1)
        defer { buffer.deallocate() }
        let count = try file.read(at: 0, into: buffer)
        return FileSignature.refusal(file.path, start: Array(buffer.prefix(count)), sizeBytes: file.sizeBytes)
    }

    /// GGUF files that are no model of their own, by `general.type` (gguf-py/gguf/constants.py, `GGUFType`).
    private static func notAModel(_ path: String, _ header: GGUFHeader) -> Failure? {
        let what: String
        switch (header.metadata["general.type"]?.string, header.metadata["general.architecture"]?.string) {
        case ("adapter", _): what = "a LoRA adapter"
        case ("imatrix", _): what = "an importance matrix"
        // Projectors from before general.type have only their architecture.
        case ("mmproj", _), (_, "clip"): what = "a multimodal projector"
        default: return nil
        }
        return Failure(
            thing: path, cause: "is \(what), not a model", remedy: "Give the model it belongs to.",
            exit: .usage)
    }
}

/// Split models.
extension ModelFile {
    private static func furtherParts(
        of path: String, _ place: SplitPlace
    ) throws(Failure) -> [(Part, GGUFHeader)] {
        guard place.number < place.count, place.count <= UInt64(UInt16.max) else {
            throw Failure(
                thing: path,
                cause: "claims to be part \(place.number &+ 1) of \(place.count) of a split model",
                remedy: "The file is damaged: download it again.")
        }
        let paths = place.paths(from: path)
        guard place.number == 0 else {
            throw Failure(
                thing: path, cause: "is part \(place.number + 1) of \(place.count) of a split model",
                remedy: "Give the first part: \(paths?.first ?? "the file whose name has \"-00001-of-\"")",
                exit: .usage)
        }
        guard let paths else {
            let suffix = SplitPlace.suffix(part: 1, of: place.count)
            throw Failure(
                thing: path,
                cause: "is the first of \(place.count) parts, but its name does not end in \(suffix)",
                remedy: "llama.cpp finds the other parts by name: give all parts their original names.")
        }
        var result: [(Part, GGUFHeader)] = []
        var tensors: UInt64 = 0
        for (index, partPath) in paths.enumerated().dropFirst() {
            let (part, header) = try read(partPath)
            guard let its = SplitPlace(header), its.number == UInt64(index), its.count == place.count else {
                throw Failure(
                    thing: partPath, cause: "is not part \(index + 1) of \(place.count), as its name says",
                    remedy: "Download the parts of one model again.")
            }
            tensors += UInt64(header.tensors.count)
            guard tensors <= GGUFReader.tensorLimit else {
                throw Failure(
                    thing: path, cause: "has more than \(GGUFReader.tensorLimit) tensors in its parts")
            }
            result.append((part, header))
        }
        return result
    }

    private static func check(
        _ tensors: [GGUFTensor], against place: SplitPlace, _ path: String
    ) throws(Failure) {
        if let expected = place.tensors, expected != UInt64(tensors.count) {
            throw Failure(
                thing: path,
                cause: "its \(place.count) parts hold \(tensors.count) tensors instead of \(expected)",
                remedy: "Download the parts of one model again.")
        }
        var names: Set<String> = []
        for tensor in tensors where !names.insert(tensor.name).inserted {
            throw Failure(
                thing: path, cause: "tensor \"\(tensor.name.prefix(64))\" is in two of its parts",
                remedy: "Download the parts of one model again.")
        }
    }
}
