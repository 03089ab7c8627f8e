import Analysis
import Glibc

/// What can be wrong with the path of a model, each with its own words and remedy.
enum ModelPath {
    static let empty = Failure(
        thing: "--model", cause: "the path is empty", remedy: "Give the path of a GGUF file.", exit: .usage)

    static func refusal(_ path: String, _ cause: String) -> Failure {
        Failure(thing: path, cause: cause, remedy: "Give the path of a GGUF file.", exit: .usage)
    }

    /// The failure of a system call on the path.
    static func failure(_ path: String, errno code: Int32, doing action: String? = nil) -> Failure {
        if code == ENOENT || code == ENOTDIR, let url = urlRefusal(path) { return url }
        if code == ENOENT, let target = linkTarget(path) {
            return Failure(
                thing: path, cause: "is a symbolic link to \(target), which does not exist", errno: code,
                remedy: "Repair the link, or give the path of the file itself.")
        }
        let prefix = action.map { "\($0): " } ?? ""
        let (cause, remedy): (String, String?) =
            switch code {
            case ENOENT: ("no such file", "Check the path: sustain reads local files only.")
            case ENOTDIR: ("a part of the path is not a directory", "Check the path.")
            case EACCES, EPERM:
                (
                    "not allowed to read it",
                    "Allow it with chmod a+r (and x on its directories), or run as its owner."
                )
            case ELOOP:
                ("the symbolic links of the path lead round in a circle", "Repair the link (ls -l shows it).")
            case ENAMETOOLONG: ("the path is too long", nil)
            case EIO:
                (
                    "the device reports a read error",
                    "Look at the kernel's log (dmesg) and copy the file anew."
                )
            default: (String(cString: strerror(code)), nil)
            }
        return Failure(thing: path, cause: prefix + cause, errno: code, remedy: remedy)
    }

    /// The refusal of anything but a regular file; nil for one.
    static func refusalOfKind(_ path: String, mode: mode_t) -> Failure? {
        let kind: String
        switch mode & S_IFMT {
        case S_IFREG: return nil
        case S_IFDIR: return directoryRefusal(path)
        case S_IFIFO: kind = "is a FIFO"
        case S_IFSOCK: kind = "is a socket"
        case S_IFCHR, S_IFBLK: kind = "is a device"
        default: kind = "is not a regular file"
        }
        return Failure(
            thing: path, cause: "\(kind); the model must be a regular file, as it is read more than once",
            remedy: "Write the model to a file and give its path.", exit: .usage)
    }

    private static func directoryRefusal(_ path: String) -> Failure {
        let models = models(in: path)
        let remedy: String
        if models.isEmpty {
            remedy = "Give a GGUF file. A directory of safetensors is made into one by convert_hf_to_gguf.py."
        } else {
            remedy = "Give one of its files: \(models.joined(separator: ", "))."
        }
        return Failure(thing: path, cause: "is a directory", errno: EISDIR, remedy: remedy, exit: .usage)
    }

    /// Up to three GGUF files of a directory by name, out of its first thousand entries.
    private static func models(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        for _ in 0..<1_000 {
            guard let entry = readdir(directory) else { break }
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".gguf") { names.append(name) }
        }
        return Array(names.sorted().prefix(3))
    }

    /// The refusal of what looks like an address on the network; nil for anything else.
    private static func urlRefusal(_ path: String) -> Failure? {
        let lower = path.lowercased()
        if lower.hasPrefix("hf:") || lower.hasPrefix("hf.co/") || lower.hasPrefix("huggingface.co/") {
            return Failure(
                thing: path, cause: "names a model on Hugging Face; sustain measures local files",
                remedy: "Download it first: hf download REPOSITORY FILE.gguf --local-dir .", exit: .usage)
        }
        let scheme = lower.prefix { $0.isLetter || $0.isNumber || $0 == "+" }
        guard !scheme.isEmpty, lower.dropFirst(scheme.count).hasPrefix("://") else { return nil }
        if lower.hasPrefix("file://") {
            return Failure(
                thing: path, cause: "is a URL, not a path", remedy: "Leave out \"file://\".", exit: .usage)
        }
        return Failure(
            thing: path, cause: "is a URL; sustain measures local files",
            remedy: "Download it first: curl -L -O URL", exit: .usage)
    }

    private static func linkTarget(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let count = readlink(path, base, buffer.count)
            guard count > 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(buffer)[..<count], as: UTF8.self)
        }
    }
}
