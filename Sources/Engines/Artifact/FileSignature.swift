import Analysis

/// What a file that is no GGUF seems to be, by its first bytes.
enum FileSignature {
    /// Bytes that are looked at.
    static let length = 512

    /// The refusal of a file by its first bytes; nil when it begins like a GGUF file.
    static func refusal(_ path: String, start: [UInt8], sizeBytes: UInt64) -> Failure? {
        guard sizeBytes > 0 else {
            return Failure(
                thing: path, cause: "is empty",
                remedy: "The download failed or the disk was full: fetch it again.")
        }
        if start.starts(with: GGUFHeader.magic) { return nil }
        let (what, remedy) = recognise(start)
        return Failure(thing: path, cause: "is not a GGUF file but \(what)", remedy: remedy)
    }

    private static let convert =
        "Convert the model with convert_hf_to_gguf.py of llama.cpp, or download its GGUF files."
    private static let unpack = "Unpack it and give the GGUF file inside."

    /// Signatures from offset 0, the longest first where one begins like another.
    private static let signatures: [(bytes: [UInt8], what: String, remedy: String)] = [
        (Array("version https://git-lfs".utf8), "a Git LFS pointer", "Fetch the file itself: git lfs pull"),
        ([0x50, 0x4B, 0x03, 0x04], "a zip archive (PyTorch checkpoints are such)", convert),
        ([0x80, 0x02], "a Python pickle (an old PyTorch checkpoint)", convert),
        (Array("lmgg".utf8), "a file in the old ggml format", convert),
        (Array("fmgg".utf8), "a file in the old ggmf format", convert),
        (Array("tjgg".utf8), "a file in the old ggjt format", convert),
        (Array("algg".utf8), "an adapter in the old ggla format", convert),
        (Array("\u{7F}ELF".utf8), "a program", "Give the path of a GGUF file."),
        ([0x89, 0x48, 0x44, 0x46], "an HDF5 file", convert),
        ([0x1F, 0x8B], "gzip data", unpack),
        ([0x28, 0xB5, 0x2F, 0xFD], "zstd data", unpack),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz data", unpack),
        (Array("BZh".utf8), "bzip2 data", unpack),
    ]

    private static func recognise(_ start: [UInt8]) -> (what: String, remedy: String) {
        for signature in signatures where start.starts(with: signature.bytes) {
            return (signature.what, signature.remedy)
        }
        if isSafetensors(start) { return ("a safetensors file", convert) }
        if start.dropFirst(4).starts(with: Array("TFL3".utf8)) { return ("a TensorFlow Lite model", convert) }
        if let text = text(start) {
            let head = text.drop(while: \.isWhitespace).prefix(15).lowercased()
            if head.hasPrefix("<!doctype html") || head.hasPrefix("<html") {
                return (
                    "a web page",
                    "The download fetched the page about the model: use the link of the file itself, or log in."
                )
            }
            return ("a text file", "Give the path of a GGUF file.")
        }
        let bytes = start.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return (
            "something unknown (it begins with \(bytes.joined(separator: " ")))",
            "Give the path of a GGUF file."
        )
    }

    /// Eight bytes of header length, then JSON (huggingface/safetensors, "Format").
    private static func isSafetensors(_ start: [UInt8]) -> Bool {
        guard start.count > 8, start[8] == UInt8(ascii: "{") else { return false }
        let length = start[..<8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return length > 0 && length <= 100_000_000
    }

    /// The bytes as text: UTF-8 without control characters, whose last character may be cut by `length`.
    private static func text(_ start: [UInt8]) -> String? {
        for cut in 0...(start.count == length ? 3 : 0) {
            guard let text = String(validating: start.dropLast(cut), as: UTF8.self) else { continue }
            let isText = text.unicodeScalars.allSatisfy {
                $0.value >= 0x20 || $0 == "\n" || $0 == "\r" || $0 == "\t" || $0 == "\u{0C}"
            }
            return isText && !text.isEmpty ? text : nil
        }
        return nil
    }
}
