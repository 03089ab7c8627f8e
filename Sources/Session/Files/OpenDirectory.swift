import Glibc

/// A directory by its descriptor: what is done in it is done in this one, whatever its name leads to by then.
final class OpenDirectory {
    enum Lock: Sendable, Hashable {
        case ours
        /// Another holds it.
        case held
        /// The file system knows no locks of directories.
        case unknown
    }

    let descriptor: Int32

    /// By path, links followed; nil where it cannot be opened, with errno set.
    init?(_ path: String) {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    /// By its name in another one; a link is not followed. Nil with errno set.
    init?(_ name: String, in parent: OpenDirectory) {
        descriptor = openat(parent.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether that name leads to this directory, and by no link.
    func isNamed(_ name: String, in parent: OpenDirectory) -> Bool {
        var own = stat()
        var found = stat()
        return fstat(descriptor, &own) == 0
            && fstatat(parent.descriptor, name, &found, AT_SYMLINK_NOFOLLOW) == 0
            && own.st_dev == found.st_dev && own.st_ino == found.st_ino
    }

    /// Whether it is this user's and closed to all others.
    var isPrivate: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_uid == geteuid()
            && status.st_mode & 0o777 == 0o700
    }

    /// Takes the lock of the directory (flock(2)): it ends with this object, or with the process however that ends.
    func lock() -> Lock {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return .ours }
        return errno == EWOULDBLOCK ? .held : .unknown
    }

    /// The names in it, in no order; none where they cannot be read.
    var names: [String] {
        // A description of its own: reading it moves no position that others share.
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { return [] }
        guard let stream = fdopendir(copy) else {
            close(copy)
            return []
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee)) {
                    String(cString: $0)
                }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a file or a link, never what a link leads to.
    func remove(_ name: String) { unlinkat(descriptor, name, 0) }

    /// Removes an empty directory.
    /// - Returns: whether it is gone.
    func removeDirectory(_ name: String) -> Bool { unlinkat(descriptor, name, AT_REMOVEDIR) == 0 }
}
