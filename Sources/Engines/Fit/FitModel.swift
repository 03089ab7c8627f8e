import Analysis

/// What a model's memory is estimated from.
public struct FitModel: Sendable, Hashable {
    public var shape: ModelShape
    /// The whole file: all parts, all experts.
    public var fileBytes: UInt64
    /// Weights that the CPU's kernels may want in a layout of their own.
    public var repackable: RepackableWeights
    /// Entries of the tokenizer: tokens and merges.
    public var tokenizerEntries: UInt64
    /// Bits per weight over all tensors; nil when sizes are not known.
    public var bitsPerWeight: Double?
    /// Where the weights are; nil where that is not known.
    public var places: WeightPlaces?
    /// Types of tensors whose size this version does not know.
    public var unknownTypes: [String] = []

    public init(
        shape: ModelShape, fileBytes: UInt64, repackable: RepackableWeights = RepackableWeights(),
        tokenizerEntries: UInt64 = 0, bitsPerWeight: Double? = nil
    ) {
        self.shape = shape
        self.fileBytes = fileBytes
        self.repackable = repackable
        self.tokenizerEntries = tokenizerEntries
        self.bitsPerWeight = bitsPerWeight
    }

    public init(_ file: ModelFile) {
        let entries = ["tokens", "merges"].map {
            file.header.metadata["tokenizer.ggml.\($0)"]?.array?.count ?? 0
        }
        self.init(
            shape: file.shape, fileBytes: file.sizeBytes,
            repackable: RepackableWeights(file.tensors, sharesEmbedding: file.summary.sharesEmbedding),
            tokenizerEntries: .saturatingSum(entries), bitsPerWeight: file.summary.bitsPerWeight)
        places = WeightPlaces(file.tensors, layers: file.shape.layers)
        unknownTypes = file.summary.shares.filter { $0.type.block == nil }.map(\.type.name)
    }
}

/// A projector's file, of which only the size counts.
public enum ProjectorFile {
    /// - Throws: a `Failure` for what is no GGUF file that can be read.
    public static func bytes(of path: String) throws(Failure) -> UInt64 {
        let file = try OpenFile(path)
        if let refusal = try ModelFile.signatureRefusal(file) { throw refusal }
        return file.sizeBytes
    }
}

/// Weights that llama.cpp keeps in another layout for the CPU's kernels (ggml/src/ggml-cpu/repack.cpp,
/// `ggml_repack_get_optimal_repack_type`): every matrix of such a type, which is the most that it may be.
public struct RepackableWeights: Sendable, Hashable {
    /// Bytes of all of them.
    public var bytes: UInt64 = 0
    /// Of the token embedding, where it is the output matrix too: it is then there in both layouts.
    public var embeddingBytes: UInt64 = 0
    /// Of the largest, which passes through a buffer of its size when nothing is mapped.
    public var largestBytes: UInt64 = 0
    /// Of the largest whose buffer the allocator keeps when it is freed.
    public var largestKeptBytes: UInt64 = 0

    /// glibc gives larger blocks back at once (malloc/malloc.c, `DEFAULT_MMAP_THRESHOLD_MAX`).
    private static let keptLimit: UInt64 = 32 << 20

    public init() {}

    #if arch(x86_64)
    /// With AVX2; Q2_K with AVX-512.
    private static let types: Set<String> = ["Q4_0", "Q4_K", "Q2_K", "IQ4_NL", "MXFP4"]
    #else
    private static let types: Set<String> = [
        "Q1_0", "Q4_0", "Q8_0", "Q2_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "MXFP4",
    ]
    #endif

    /// The token embedding is looked up row by row and stays as it is, unless it is the output matrix too.
    init(_ tensors: [GGUFTensor], sharesEmbedding: Bool) {
        for tensor in tensors {
            guard Self.types.contains(tensor.type.name), tensor.dimensions.count >= 2,
                tensor.dimensions[1] % 4 == 0, let size = tensor.bytes
            else { continue }
            let isEmbedding = TensorSummary.isEmbedding(tensor.name)
            if isEmbedding, !(sharesEmbedding && tensor.name == "token_embd.weight") { continue }
            if isEmbedding { embeddingBytes = size }
            bytes = bytes.plus(size)
            largestBytes = max(largestBytes, size)
            if size <= Self.keptLimit { largestKeptBytes = max(largestKeptBytes, size) }
        }
    }
}
