import Analysis

extension LastState {
    /// "57 tokens into a generation, 184 in the KV cache; rss 1.20 GiB, read 0.4 s before the end"; nil where
    /// nothing is known.
    var text: String? {
        var parts: [String] = []
        if let tokens = tokens.value {
            let depth = kvDepthTokens.value.map { ", \(Notation.count(UInt64($0))) in the KV cache" } ?? ""
            parts.append("\(Notation.count(UInt64(tokens))) tokens into a generation" + depth)
        }
        if let memory = memory.value {
            let sizes = memory.sorted { $0.key < $1.key }.map {
                "\($0.key) \(Notation.bytes(Double($0.value)))"
            }
            let age = memoryAgeSeconds.value.map { ", read \(fixed($0, decimals: 1)) s before the end" }
            parts.append(sizes.joined(separator: ", ") + (age ?? ""))
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}
