import Analysis

/// A session's trace read back and made a document.
public struct AnalyzedSession: Sendable {
    public let document: SessionDocument
    /// The bytes of `session.json`. The same binary and the same trace give the same bytes.
    public let bytes: [UInt8]
    public let path: String

    /// - Parameter path: a session's directory or its trace.
    /// - Returns: nil for the trace of a run.
    public static func read(_ path: String) throws(Failure) -> AnalyzedSession? {
        let (trace, place) = try AnalyzedRun.trace(of: path)
        guard !trace.variants.isEmpty else { return nil }
        let document = SessionDocument(trace)
        do {
            return AnalyzedSession(
                document: document, bytes: try CanonicalJSON.document(document),
                path: place.parentPrefix + "session.json")
        } catch {
            throw Failure(thing: place, cause: "the session cannot be encoded: \(error)")
        }
    }

    /// Writes `session.json`; what went wrong is returned, because the document itself is there all the same.
    public func write() -> [Failure] {
        do {
            try AtomicFile.write(bytes, to: path)
            return []
        } catch {
            return [error]
        }
    }
}
