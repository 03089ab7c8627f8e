import Glibc

/// Files of /proc and /sys, read whole.
enum SmallFile {
    /// The text of a file, invalid UTF-8 replaced; nil when it cannot be opened or read.
    static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        return withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) { piece in
            while true {
                let got = read(descriptor, piece.baseAddress, piece.count)
                if got < 0 && errno == EINTR { continue }
                guard got >= 0 else { return nil }
                guard got > 0 else { return String(decoding: bytes, as: UTF8.self) }
                bytes.append(contentsOf: piece[..<got])
            }
        }
    }
}
