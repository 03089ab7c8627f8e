import Analysis
import Glibc
import Reports
import Session

extension IndexPlace {
    /// The index of records in the user's cache; nil where there is none, or `SUSTAIN_NO_INDEX` is set.
    static var user: IndexPlace? {
        guard getenv("SUSTAIN_NO_INDEX") == nil, let directory = CacheFile.directory else { return nil }
        return IndexPlace(directory: directory, stamp: FileStamp.init(regularFile:)) { bytes, path in
            do throws(Failure) {
                try CacheFile.replace(path, with: bytes)
                return nil
            } catch {
                return error.cause
            }
        }
    }
}

extension FileStamp {
    /// Times are kept to a tick of the kernel only: what changed in the last one may change once more unseen, so a
    /// file this young is read again next time.
    private static let youngest: Int64 = 100_000_000

    /// Of a regular file, links followed, that was left alone for a moment; nil for anything else.
    init?(regularFile path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        func nanoseconds(_ time: timespec) -> Int64 {
            Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        }
        self.init(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
            sizeBytes: UInt64(clamping: status.st_size), modifiedNanoseconds: nanoseconds(status.st_mtim),
            changedNanoseconds: nanoseconds(status.st_ctim))
        var now = timespec()
        guard clock_gettime(CLOCK_REALTIME, &now) == 0 else { return nil }
        isSettled = abs(nanoseconds(now) &- changedNanoseconds) > Self.youngest
    }
}

extension Terminal {
    /// What standard output is: a terminal's width and colours, characters by the locale.
    static var standardOutput: Terminal {
        func variable(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        let locale = variable("LC_ALL") ?? variable("LC_CTYPE") ?? variable("LANG") ?? ""
        let name = locale.lowercased()
        let isUnicode = name.contains("utf-8") || name.contains("utf8")
        guard isatty(STDOUT_FILENO) == 1 else { return Terminal(width: nil, isUnicode: isUnicode) }
        var size = winsize()
        let known = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        let width = variable("COLUMNS").flatMap(Int.init) ?? (known ? Int(size.ws_col) : 80)
        return Terminal(
            width: max(width, 20), isUnicode: isUnicode,
            hasColour: getenv("NO_COLOR") == nil && (variable("TERM") ?? "dumb") != "dumb")
    }
}
