import Analysis

/// One row of a report: a run, or the medians of a group's runs.
public final class Run: Sendable {
    let digest: RunDigest
    /// The file the record was read from; "" for medians.
    public let path: String
    /// The whole record where it was at hand: pages and charts of one run show more than tables.
    public let record: Record?
    /// The runs that the medians are of; empty for a run of its own.
    let members: [Run]

    public convenience init(_ record: Record, path: String) {
        self.init(RunDigest(record), path: path, record: record)
    }

    init(_ digest: RunDigest, path: String, record: Record? = nil, members: [Run] = []) {
        self.digest = digest
        self.path = path
        self.record = record
        self.members = members
    }

    /// The measured runs behind the row.
    var runs: [Run] { members.isEmpty ? [self] : members }

    /// The row's name where rows are named: "a1b2c3", or "a1b2c3 +2" for medians of three.
    var name: String {
        members.count > 1 ? "\(digest.shortID) +\(members.count - 1)" : digest.shortID
    }

    /// What the spread between runs is known from: the runs, or the submitters where there are several.
    var observations: Int {
        let submitters = Set(members.map(\.digest.submitter)).count
        return submitters > 1 ? submitters : max(1, members.count)
    }

    /// Too few to tell how much runs differ. A run that does not count is no estimate of anything.
    var isProvisional: Bool { digest.mark == nil && observations < MedianOfRuns.fewest }
}

/// What lies at one place of the store, as a report needs it: a run, or the reason why there is none.
public enum StoredRun: Sendable {
    case run(Run)
    /// A file or directory that should hold a record and does not.
    case problem(path: String, reason: String)

    public static func record(_ record: Record, path: String) -> StoredRun { .run(Run(record, path: path)) }

    public var run: Run? { if case .run(let run) = self { run } else { nil } }
}
