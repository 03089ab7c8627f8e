import Analysis
import Glibc

/// A trace read back and made a record.
public struct AnalyzedRun: Sendable {
    public let record: Record
    /// The bytes of `run.json`. The same binary and the same trace give the same bytes.
    public let document: [UInt8]
    /// Where `run.json` belongs: beside the trace.
    public let recordPath: String

    /// Larger traces than this are refused: a day at 10 Hz with sixty sources is below it.
    static let largestTrace = 4 << 30

    /// - Parameter path: a run's directory or its trace.
    public static func read(_ path: String) throws(Failure) -> AnalyzedRun {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw Failure.system(path, "cannot be found", remedy: "name a run's directory or its trace.jsonl")
        }
        let kind = status.st_mode & S_IFMT
        let isDirectory = kind == S_IFDIR
        guard isDirectory || kind == S_IFREG else {
            throw Failure(thing: path, cause: "is neither a directory nor a regular file", exit: .usage)
        }
        let trace = isDirectory ? path.withoutTrailingSlash + "/trace.jsonl" : path
        let bytes = try BoundedFile.read(trace, limit: largestTrace)
        var parsed = try Trace.parse(bytes, name: trace)
        let parent = trace.lastIndex(of: "/").map { String(trace[...$0]) } ?? ""
        MeterImport.merge(beside: parent, into: &parsed)
        let record = Analyze.record(from: parsed)
        do {
            return AnalyzedRun(
                record: record, document: try CanonicalJSON.document(record), recordPath: parent + "run.json")
        } catch {
            throw Failure(thing: trace, cause: "the record cannot be encoded: \(error)")
        }
    }

    /// Writes `run.json`; what went wrong is returned, because the record itself is there all the same.
    public func writeRecord() -> [Failure] {
        do {
            try AtomicFile.write(document, to: recordPath)
            return []
        } catch {
            return [error]
        }
    }
}

extension String {
    fileprivate var withoutTrailingSlash: String {
        count > 1 && hasSuffix("/") ? String(dropLast()).withoutTrailingSlash : self
    }
}
