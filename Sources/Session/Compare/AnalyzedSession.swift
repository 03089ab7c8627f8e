import Analysis
import Glibc

/// A session's trace read back and made a document.
public struct AnalyzedSession: Sendable {
    public let document: SessionDocument
    /// The bytes of `session.json`. The same binary and the same trace give the same bytes.
    public let bytes: [UInt8]
    public let path: String
    /// Whole runs of the session whose traces are not beside it.
    public let missing: [String]

    /// - Parameters:
    ///   - path: a session's directory or its trace.
    ///   - known: records of its whole runs, by id; the others are made of the traces beside the session.
    /// - Returns: nil for the trace of a run.
    public static func read(
        _ path: String, known: [String: Record] = [:]
    ) throws(Failure) -> AnalyzedSession? {
        let (trace, place) = try AnalyzedRun.trace(of: path)
        guard !trace.variants.isEmpty else { return nil }
        // The directory that holds the session's and those of its runs.
        let parent = place.parentPrefix + "../"
        var missing: [String] = []
        let document = SessionDocument(trace) { id in
            let record = known[id].map(Result.success) ?? record(of: id, in: parent)
            if case .failure = record { missing.append(id) }
            return record
        }
        do {
            return AnalyzedSession(
                document: document, bytes: try CanonicalJSON.document(document),
                path: place.parentPrefix + "session.json", missing: missing)
        } catch {
            throw Failure(thing: place, cause: "the session cannot be encoded: \(error)")
        }
    }

    /// The record of a run of the session, from its own trace.
    ///
    /// - Parameter id: from a trace, so anything: what is no name of a directory of ours is not looked for.
    private static func record(of id: String, in parent: String) -> Result<Record, Unavailable> {
        guard RunDirectory.isID(id) else { return .failure(Unavailable("its id is none of a run")) }
        do throws(Failure) {
            let record = try AnalyzedRun.read(parent + id).record
            guard record.id == id else { return .failure(Unavailable("another run is in its place")) }
            return .success(record)
        } catch {
            return .failure(Unavailable("its trace is not beside the session: \(error.cause)"))
        }
    }

    /// Writes `session.json`; what went wrong is returned, because the document itself is there all the same. One that
    /// knows runs which are gone is kept.
    public func write() -> [Failure] {
        if !missing.isEmpty, access(path, F_OK) == 0 {
            return [
                Failure(
                    thing: path,
                    cause:
                        "is kept as it is: of \(missing.count) run\(missing.count == 1 ? "" : "s") the traces are "
                        + "not beside the session (\(missing.joined(separator: ", ")))",
                    remedy: "put their directories back; what is printed is what it holds")
            ]
        }
        do {
            try AtomicFile.write(bytes, to: path)
            return []
        } catch {
            return [error]
        }
    }
}
