import Analysis
import Glibc

/// What an errno means, e.g. "No such file or directory" (strerror(3)).
func systemErrorText(_ number: Int32) -> String {
    guard let text = strerror(number) else { return "error \(number)" }
    return String(cString: text)
}

/// The first `limit` bytes of a file, as of /proc or /sys, or nil when it cannot be opened or read.
func smallFile(_ path: String, limit: Int = 64 << 10) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: limit)
    var filled = 0
    while filled < limit {
        let got = bytes[filled...].withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        if got < 0 && errno == EINTR { continue }
        guard got >= 0 else { return nil }
        if got == 0 { break }
        filled += got
    }
    return Array(bytes[..<filled])
}
