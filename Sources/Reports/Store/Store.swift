import Analysis
import FoundationEssentials

/// What lies at one place of the store: a record, or the reason why there is none.
public enum Stored: Sendable, Hashable {
    /// A run's record and the file it was read from.
    case record(Record, path: String)
    /// A file or directory that should hold a record and does not.
    case problem(path: String, reason: String)

    public var record: Record? {
        if case .record(let record, _) = self { record } else { nil }
    }
}

/// The records under some directories. The files are the store: what is kept beside them only saves time.
public enum Store {
    /// Entries of one directory that are looked at; the rest is named as a problem.
    public static let maximumEntries = 100_000
    /// Largest record that is read, in bytes.
    public static let maximumBytes = 64 << 20

    /// Finds the records of `places`, sorted by run id, then the problems, sorted by path.
    ///
    /// A place is a file, or a directory `DIR`, of which `DIR/run.json` and `DIR/*/run.json` are read, no
    /// deeper, so that a loop of links cannot be followed. A file reached twice counts once, and so does a
    /// copy: a second file with the same run id is a problem.
    public static func find(in places: [String] = ["reports"]) -> [Stored] {
        find(in: places, maximumEntries: maximumEntries)
    }

    static func find(in places: [String], maximumEntries: Int) -> [Stored] {
        var seen: Set<String> = []
        var found: [Stored] = []
        for place in places {
            for stored in search(place, maximumEntries) where seen.insert(resolved(stored.path)).inserted {
                found.append(stored)
            }
        }
        return sorted(withoutCopies(found))
    }

    /// The record in a file, or why there is none.
    public static func record(at path: String) -> Result<Record, Unavailable> {
        switch RecordFile.read(path) {
        case .record(let record, _): .success(record)
        case .problem(_, let reason): .failure(Unavailable(reason))
        }
    }

    /// What lies in the `count` run directories of `place` whose names come last: run ids begin with their time.
    public static func latest(_ count: Int, in place: String) -> [Stored] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        let latest = names.sorted(by: >).map { joined(place, $0) }.filter {
            type(of: joined($0, "run.json")) == .typeRegular
        }
        return find(in: Array(latest.prefix(count)))
    }

    static func search(_ place: String, _ maximumEntries: Int) -> [Stored] {
        switch type(of: place) {
        case nil: return [.problem(path: place, reason: "no such file or directory")]
        case .some(.typeDirectory): break
        default:
            if name(of: place) == "trace.jsonl" { return [noRecord(of: parent(of: place), at: place)] }
            return [RecordFile.read(place)]
        }
        var found = run(in: place).map { [$0] } ?? []
        guard let entries = entries(of: place) else {
            return found + [.problem(path: place, reason: "the directory cannot be read")]
        }
        for entry in entries.prefix(maximumEntries) {
            let inner = joined(place, entry)
            if type(of: inner) == .typeDirectory, let stored = run(in: inner) { found.append(stored) }
        }
        if let problem = tooMany(entries, maximumEntries, in: place) { found.append(problem) }
        return found
    }

    /// The names in a directory, sorted; nil where it cannot be read.
    static func entries(of directory: String) -> [String]? {
        try? FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    static func tooMany(_ entries: [String], _ most: Int, in place: String) -> Stored? {
        guard entries.count > most else { return nil }
        let reason = "more than \(most) entries: \(entries.count - most) were not looked at"
        return .problem(path: place, reason: reason)
    }

    /// The record of a run's directory; nil where the directory is none of a run.
    static func run(in directory: String) -> Stored? {
        let file = joined(directory, "run.json")
        // An entry that is there but leads nowhere (a dangling link, a loop) is a broken record, not none.
        if (try? FileManager.default.attributesOfItem(atPath: file)) != nil { return RecordFile.read(file) }
        // A comparison is none of the runs that are ranked.
        if type(of: joined(directory, "session.json")) == .typeRegular { return nil }
        let trace = joined(directory, "trace.jsonl")
        return type(of: trace) == .typeRegular ? noRecord(of: directory, at: directory) : nil
    }

    private static func noRecord(of run: String, at path: String) -> Stored {
        .problem(path: path, reason: "no record yet: run `sustain analyze \(run)`")
    }

    /// The type of what a path leads to, links followed; nil where it leads nowhere.
    static func type(of path: String) -> FileAttributeType? {
        func own(_ path: String) -> FileAttributeType? {
            (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
        }
        let type = own(path)
        guard type == .typeSymbolicLink else { return type }
        let target = own(resolved(path))
        return target == .typeSymbolicLink ? nil : target
    }

    static func resolved(_ path: String) -> String {
        URL(filePath: path).resolvingSymlinksInPath().path
    }

    static func joined(_ directory: String, _ name: String) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }

    private static func name(of path: String) -> Substring {
        path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func copyReason(_ earlier: String) -> String { "the same run id as \(earlier): counted once" }

    private static func withoutCopies(_ found: [Stored]) -> [Stored] {
        var first: [String: String] = [:]
        return found.map { stored in
            guard case .record(let record, let path) = stored else { return stored }
            guard let earlier = first[record.id] else {
                first[record.id] = path
                return stored
            }
            return .problem(path: path, reason: copyReason(earlier))
        }
    }

    private static func sorted(_ found: [Stored]) -> [Stored] {
        found.sorted { left, right in
            switch (left, right) {
            case (.record(let a, _), .record(let b, _)): a.id < b.id
            case (.problem(let a, _), .problem(let b, _)): a < b
            case (.record, .problem): true
            case (.problem, .record): false
            }
        }
    }
}

extension Stored {
    /// Where it was found.
    public var path: String {
        switch self {
        case .record(_, let path), .problem(let path, _): path
        }
    }
}
