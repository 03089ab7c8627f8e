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
        let (parsed, trace) = try trace(of: path)
        let parent = trace.parentPrefix
        let record = Analyze.record(from: parsed)
        do {
            return AnalyzedRun(
                record: record, document: try CanonicalJSON.document(record), recordPath: parent + "run.json")
        } catch {
            throw Failure(thing: trace, cause: "the record cannot be encoded: \(error)")
        }
    }

    /// What a record's run did over time, from the trace that lies beside it.
    ///
    /// - Parameter path: of the record's file.
    public static func series(of record: Record, beside path: String) -> Result<RunSeries, Unavailable> {
        let name = path.parentPrefix + "trace.jsonl"
        do {
            let (trace, _) = try trace(of: name)
            guard trace.header.id == record.id else {
                return .failure(
                    Unavailable("the trace beside the record is of another run, \(trace.header.id)"))
            }
            return .success(RunSeries(trace))
        } catch {
            return .failure(Unavailable("no trace beside the record: \(error.cause)"))
        }
    }

    /// The trace of a run with the logs that were imported beside it, and the trace's own path.
    static func trace(of path: String) throws(Failure) -> (Trace, path: String) {
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
        var reader = TraceReader(name: trace)
        try BoundedFile.read(trace, limit: largestTrace) { (piece) throws(Failure) in try reader.read(piece) }
        var parsed = try reader.finish()
        MeterImport.merge(beside: trace.parentPrefix, into: &parsed)
        return (parsed, trace)
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
    /// What stands before the name of a file: "a/b/" of "a/b/c", nothing of "c".
    var parentPrefix: String { lastIndex(of: "/").map { String(self[...$0]) } ?? "" }

    fileprivate var withoutTrailingSlash: String {
        count > 1 && hasSuffix("/") ? String(dropLast()).withoutTrailingSlash : self
    }
}
