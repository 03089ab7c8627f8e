import Analysis

/// The reasons behind a table's "n/a" cells: each reason once, with its columns and, where not all rows
/// share it, whose they are.
struct Footnotes {
    private struct Entry {
        var columns: [String] = []
        var owners: [String] = []
        var known: Set<String> = []

        mutating func add(column: String, owner: String) {
            if !columns.contains(column) { columns.append(column) }
            if known.insert(owner).inserted { owners.append(owner) }
        }
    }

    private var order: [String] = []
    private var entries: [String: Entry] = [:]

    /// - Parameter owner: the run, or the named row, that the cell belongs to.
    mutating func add(reason: String, column: String, owner: String) {
        if entries[reason] == nil { order.append(reason) }
        entries[reason, default: Entry()].add(column: column, owner: owner)
    }

    /// One line a reason: "n/a in W, net: no energy source (2 of 3 runs)".
    func lines(of count: Int, noun: String, escape: (String) -> String) -> [String] {
        order.map { reason in
            let entry = entries[reason, default: Entry()]
            return "n/a in \(entry.columns.joined(separator: ", ")): \(escape(reason))"
                + Self.naming(entry.owners, of: count, noun: noun, escape)
        }
    }

    /// All in one field: "watts, joules_gross: no energy source; sustained: short run".
    func joined() -> String {
        order.map { reason in
            entries[reason, default: Entry()].columns.joined(separator: ", ") + ": " + reason
        }.joined(separator: "; ")
    }

    /// " (run a1b2c3)", " (runs a1b2c3, d4e5f6)" or " (5 of 9 runs)"; nothing where all are meant.
    static func naming(
        _ owners: [String], of count: Int, noun: String, _ escape: (String) -> String
    ) -> String {
        if owners.count == count { return "" }
        if owners.count > 3 { return " (\(owners.count) of \(count) \(noun)s)" }
        return " (\(noun)\(owners.count == 1 ? "" : "s") \(owners.map(escape).joined(separator: ", ")))"
    }
}
