import Analysis

extension ModelFile {
    /// Whether all files are still those that were inspected: by device, inode, size and times.
    ///
    /// - Throws: a `Failure` (exit 4) that names the one that is not, or is gone.
    public func checkUnchanged() throws(Failure) {
        for part in parts {
            let now: FileIdentity
            do { now = try OpenFile(part.path).identity } catch {
                throw Failure(
                    thing: part.path, cause: "is gone: \(error.cause)", errno: error.errno, exit: .refused)
            }
            if now != part.identity {
                throw Failure(
                    thing: part.path, cause: "changed since it was hashed",
                    remedy: "leave the file alone while it is measured", exit: .refused)
            }
        }
    }
}
