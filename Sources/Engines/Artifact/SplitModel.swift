import Analysis

/// The place of a file in a model that is split into several (`split.no`, `split.count`,
/// `split.tensors.count`; tools/gguf-split of llama.cpp).
struct SplitPlace {
    /// From 0.
    let number: UInt64
    let count: UInt64
    /// Tensors of all parts together.
    let tensors: UInt64?

    /// nil for a model in one file.
    init?(_ header: GGUFHeader) {
        guard let count = header.metadata["split.count"]?.count, count > 1 else { return nil }
        self.count = count
        self.number = header.metadata["split.no"]?.count ?? 0
        self.tensors = header.metadata["split.tensors.count"]?.count
    }

    /// "-00001-of-00003.gguf", the end of the name that llama.cpp expects (src/llama.cpp, llama_split_path).
    static func suffix(part: UInt64, of count: UInt64) -> String {
        "-\(padded(part))-of-\(padded(count)).gguf"
    }

    /// The paths of all parts beside the given one, first part first; nil when its name does not end as
    /// llama.cpp expects.
    func paths(from path: String) -> [String]? {
        let own = Self.suffix(part: number &+ 1, of: count)
        guard path.hasSuffix(own), path.utf8.count > own.utf8.count else { return nil }
        let stem = path.dropLast(own.count)
        return (1...count).map { stem + Self.suffix(part: $0, of: count) }
    }

    private static func padded(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    }
}
