import Glibc
import Testing

@testable import Energy

/// A directory of its own for one test, removed with the last reference.
final class TemporaryTree {
    let root: String

    init() throws {
        var template = Array("/tmp/sustain-energy-XXXXXX".utf8CString)
        let made = mkdtemp(&template) != nil
        try #require(made, "mkdtemp failed: \(errno)")
        root = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { Self.remove(root) }

    func path(_ relative: String) -> String { "\(root)/\(relative)" }

    /// Creates or rewrites a file in place, making the directories on the way. An open descriptor sees it.
    @discardableResult
    func write(_ text: String, to relative: String) throws -> String {
        let target = path(relative)
        try makeDirectory(String(relative.split(separator: "/").dropLast().joined(separator: "/")))
        let descriptor = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        try #require(descriptor >= 0, "\(target): \(errno)")
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        let written = Glibc.write(descriptor, bytes, bytes.count)
        try #require(written == bytes.count)
        return target
    }

    func makeDirectory(_ relative: String) throws {
        var path = root
        for part in relative.split(separator: "/") {
            path += "/\(part)"
            try #require(mkdir(path, 0o755) == 0 || errno == EEXIST, "\(path): \(errno)")
        }
    }

    func link(_ relative: String, to target: String) throws {
        try #require(symlink(target, path(relative)) == 0, "\(relative): \(errno)")
    }

    private static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        if let directory = opendir(path) {
            var names: [String] = []
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { names.append(name) }
            }
            closedir(directory)
            for name in names { remove("\(path)/\(name)") }
        }
        rmdir(path)
    }
}
