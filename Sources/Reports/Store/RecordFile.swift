import Analysis
import FoundationEssentials

/// One record file: bounded reading, the schema first, and errors that name the key.
enum RecordFile {
    /// Reads the file at `path`; every way to fail is a `problem` with its reason.
    static func read(_ path: String) -> Stored {
        let file = Store.resolved(path)
        guard Store.type(of: path) == .typeRegular else {
            return .problem(path: path, reason: "not a file: a dangling link, a loop of links or a device")
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        guard let size = attributes?[.size] as? UInt else {
            return .problem(path: path, reason: "its size cannot be told, so it is not read")
        }
        guard size <= UInt(Store.maximumBytes) else {
            let limit = Notation.bytes(Double(Store.maximumBytes))
            return .problem(path: path, reason: "larger than \(limit): not a record")
        }
        let bytes: [UInt8]
        do {
            bytes = Array(try Data(contentsOf: URL(filePath: file)))
        } catch let error as CocoaError where error.code == .fileReadNoPermission {
            return .problem(path: path, reason: "permission denied: chmod u+r, or run as its owner")
        } catch {
            return .problem(path: path, reason: "cannot be read")
        }
        switch decode(bytes) {
        case .success(let record): return .record(record, path: path)
        case .failure(let why): return .problem(path: path, reason: why.reason)
        }
    }

    /// A record from its JSON text, or why it is none.
    static func decode(_ bytes: [UInt8]) -> Result<Record, Unavailable> {
        struct Head: Decodable { var schema: String? }
        if bytes.isEmpty {
            return .failure(Unavailable("empty file: half-written? `sustain analyze` writes it anew"))
        }
        do {
            let schema = try CanonicalJSON.decode(Head.self, from: bytes).schema
            if let why = refusal(of: schema) { return .failure(Unavailable(why)) }
            return .success(try CanonicalJSON.decode(Record.self, from: bytes))
        } catch let error as DecodingError {
            return .failure(Unavailable(text(of: error)))
        } catch {
            return .failure(Unavailable("not a record: broken JSON"))
        }
    }

    /// Why records of this schema are not read; nil for those that are.
    static func refusal(of schema: String?) -> String? {
        guard let schema else { return "not a record: no `schema`" }
        let ours = Record.currentSchema
        let family = ours.prefix { $0 != "/" }
        let parts = schema.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let shown = CellText.terminal(schema)
        guard parts.count == 2, parts[0] == family,
            let major = UInt64(parts[1].prefix { $0 != "." }), major > 0
        else { return "not a record: schema \(shown) instead of \(ours)" }
        let known = ours.dropFirst(family.count + 1)
        guard let newest = UInt64(known), major > newest else { return nil }
        return "schema \(shown) is of a newer sustain; this one reads up to \(ours)"
    }

    /// The key and the fault, without the file's contents.
    private static func text(of error: DecodingError) -> String {
        func key(_ path: [any CodingKey]) -> String {
            path.isEmpty ? "the top level" : CellText.terminal(path.map(\.stringValue).joined(separator: "."))
        }
        switch error {
        case .keyNotFound(let missing, let context):
            return "key missing: \(key(context.codingPath + [missing]))"
        case .typeMismatch(_, let context): return "wrong type at \(key(context.codingPath))"
        case .valueNotFound(_, let context): return "null at \(key(context.codingPath))"
        case .dataCorrupted(let context):
            return context.codingPath.isEmpty
                ? "broken JSON: half-written? `sustain analyze` writes it anew"
                : "a value that is none at \(key(context.codingPath))"
        @unknown default: return "broken JSON"
        }
    }
}
