/// The values of engine options that are words.

/// Types of the KV cache that the llama worker takes: llama-bench's list, others end in an assertion inside ggml.
/// Another engine may know others.
enum LlamaCacheType: String, CaseIterable {
    case f16, bf16
    case q8 = "q8_0"
    case q4 = "q4_0"
    case q4WithMinimum = "q4_1"
    case q5 = "q5_0"
    case q5WithMinimum = "q5_1"
    case iq4 = "iq4_nl"

    static let words = allCases.map(\.rawValue).joined(separator: ", ")
}

/// `load_mode` of the worker protocol.
enum LoadMode: String, CaseIterable {
    case auto, none, mmap, mlock
    case mmapAndLock = "mmap+mlock"
    case directIO = "direct-io"
}

/// `flash_attention` of the worker protocol.
enum FlashAttention: String, CaseIterable {
    case on, off, auto

    /// Of its own words, and of llama-bench's numbers.
    init?(_ text: String) {
        switch text {
        case "1": self = .on
        case "0": self = .off
        default: self.init(rawValue: text)
        }
    }
}
