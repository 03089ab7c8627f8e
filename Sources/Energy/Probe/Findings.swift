import Analysis
import Glibc

/// What the probe has found so far: sources that can be read, and a row for everything it looked for.
struct Findings {
    private(set) var sources: [LiveSource] = []
    private(set) var rows: [CapabilitiesLine.Row] = []
    private var ids: Set<String> = []

    /// Reads a source once and keeps it if that gives a number; the row says so, or why not.
    ///
    /// Returns whether it was kept. An id that is taken is a fault of the tree: the second one is set aside,
    /// because the trace could not tell them apart.
    ///
    /// - Parameter remark: what a reader should know of a source that works.
    @discardableResult
    mutating func add(_ source: LiveSource, remedy: String? = nil, remark: String? = nil) -> Bool {
        guard ids.insert(source.line.id).inserted else {
            note(source.line.id, .unsupported, "another source has the same name")
            return false
        }
        do {
            _ = try source.value()
        } catch {
            note(source.line.id, failure: error, remedy: remedy)
            return false
        }
        sources.append(source)
        rows.append(CapabilitiesLine.Row(id: source.line.id, status: .ok, reason: remark))
        return true
    }

    /// Opens a file and adds the source that is one number in it.
    @discardableResult
    mutating func add(
        _ line: SourceLine, file path: String, interval: Nanoseconds? = nil, updatePeriod: Nanoseconds? = nil,
        remedy: String? = nil
    ) -> Bool {
        do {
            let file = try SourceFile.open(path)
            return add(
                LiveSource(line, file: file, interval: interval, updatePeriod: updatePeriod), remedy: remedy)
        } catch {
            note(line.id, failure: error, remedy: remedy)
            return false
        }
    }

    mutating func note(
        _ id: String, _ status: SourceLine.Status, _ reason: String, remedy: String? = nil
    ) {
        rows.append(CapabilitiesLine.Row(id: id, status: status, reason: reason, remedy: remedy))
    }

    /// A row for a source that could not be opened or read. The remedy belongs to a want of permission.
    mutating func note(_ id: String, failure: Failure, remedy: String? = nil) {
        let status = Self.status(of: failure.errno ?? 0)
        let code = failure.errno.map { " (errno \($0))" } ?? ""
        note(
            id, status, "\(failure.thing): \(failure.cause)\(code)",
            remedy: status == .noPermission ? remedy ?? failure.remedy : failure.remedy)
    }

    /// Says that a limit of ours cut something off; such a thing must never go unnoticed.
    mutating func noteOmitted(_ id: String, _ omitted: Int, of what: String) {
        guard omitted > 0 else { return }
        note(id, .unsupported, "\(omitted) more \(what) are not read: too many for one run")
    }

    static func status(of code: Int32) -> SourceLine.Status {
        switch code {
        case EACCES, EPERM: .noPermission
        case ENOENT, ENOTDIR, ENODEV, ENXIO: .absent
        case ENOTSUP, EISDIR, ELOOP, EBADMSG, ERANGE, ENAMETOOLONG, ENOSYS, ELIBACC:
            .unsupported
        default: .dead
        }
    }
}
