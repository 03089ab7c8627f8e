import Analysis
import CHost

/// How much of a model's files the kernel holds in memory, and asking it to forget them.
///
/// A "cold" load is one whose pages were seen to be gone, not one after a request to drop them: pages that a
/// process has mapped stay, and file systems in memory keep everything.
public enum PageCache {
    /// What came of a request to drop a model's pages.
    public struct Drop: Sendable, Hashable {
        /// Share of the pages that were resident before, 0 to 1.
        public let before: Maybe<Double>
        /// The same afterwards.
        public let after: Maybe<Double>
        /// Why the request was refused, if it was.
        public let failure: Failure?
    }

    /// Writes back and drops the pages of all parts of a model (posix_fadvise(2), DONTNEED).
    public static func drop(_ file: ModelFile) -> Drop { drop(file.parts.map(\.path)) }

    /// Share of a model's pages that are resident (mincore(2)), 0 to 1.
    ///
    /// Unavailable for a user who neither owns the files nor may write them: the kernel then calls every page
    /// resident.
    public static func residency(of file: ModelFile) -> Maybe<Double> { residency(file.parts.map(\.path)) }

    static func drop(_ paths: [String]) -> Drop {
        let before = residency(paths)
        var failure: Failure?
        for path in paths {
            do throws(Failure) {
                let file = try OpenFile(path)
                let code = chost_pages_drop(file.descriptor)
                if chost_pages_kept(file.descriptor) == 1 {
                    failure = Failure(
                        thing: path, cause: "its file system keeps files in memory",
                        remedy: "copy the model to a disk")
                } else if code != 0 {
                    failure = ModelPath.failure(path, errno: code, doing: "dropping its cached pages")
                }
            } catch {
                failure = error
            }
        }
        return Drop(before: before, after: residency(paths), failure: failure)
    }

    static func residency(_ paths: [String]) -> Maybe<Double> {
        var resident: UInt64 = 0
        var total: UInt64 = 0
        for path in paths {
            do throws(Failure) {
                let file = try OpenFile(path)
                guard chost_pages_visible(file.descriptor) == 1 else {
                    return .unavailable("cannot tell: only the file's owner sees which pages are resident")
                }
                var residentHere: UInt64 = 0
                var totalHere: UInt64 = 0
                let code = chost_pages_resident(file.descriptor, file.sizeBytes, &residentHere, &totalHere)
                guard code == 0 else {
                    return .unavailable(ModelPath.failure(path, errno: code, doing: "mincore").cause)
                }
                resident += residentHere
                total += totalHere
            } catch {
                return .unavailable(error.cause)
            }
        }
        return Maybe(total > 0 ? Double(resident) / Double(total) : nil, else: "the file is empty")
    }
}
