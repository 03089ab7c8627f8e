import Analysis

/// The order of runs by one column of their table.
struct RunOrder {
    private var column: Column
    private var reversed: Bool

    /// - Parameter name: a column's title or export name, in upper or lower case, "-" before it to reverse.
    init(_ name: String, for runs: [Run]) throws(Failure) {
        let columns = Column.columns(for: runs)
        reversed = name.hasPrefix("-")
        let wanted = (reversed ? String(name.dropFirst()) : name).lowercased()
        guard
            let found = columns.first(where: {
                $0.title.lowercased() == wanted || $0.key.lowercased() == wanted
            })
        else {
            throw Failure(
                thing: "--sort \(name)", cause: "no such column",
                remedy: "columns: " + columns.map(\.title).joined(separator: ", "), exit: .usage)
        }
        column = found
    }

    /// Best first by the decode row (by the prefill row where that is all there is); what is missing comes
    /// last either way, and equals keep their order.
    ///
    /// Runs of another setting are not ranked with one another, nor is memory that is counted in another way: each
    /// stays with its own, in the order of their first. Estimated tokens rank nothing.
    func sorted(_ runs: [Run]) -> [Run] {
        var places: [Scope: Int] = [:]
        let keyed = runs.enumerated().map { offset, run in
            let scope = Scope(run, column)
            let place = places[scope] ?? places.count
            places[scope] = place
            let row = RunRow.rows(of: run).last
            let isRanked = scope.setting.isRanked || !column.right
            return (
                offset: offset, place: place, run: run,
                cell: isRanked ? row.map(column.cell) ?? .blank : .blank
            )
        }
        return keyed.sorted { left, right in
            if left.place != right.place { return left.place < right.place }
            let order = Self.compare(left.cell, right.cell, column.order, reversed: reversed)
            return order == 0 ? left.offset < right.offset : order < 0
        }.map(\.run)
    }

    /// Within which a number says that one run is better than another.
    private struct Scope: Hashable {
        let setting: Setting
        let memory: String?

        init(_ run: Run, _ column: Column) {
            setting = Setting(run.digest)
            memory = column.key == "peak_rss_bytes" ? run.digest.memoryAccounting : nil
        }
    }

    /// Below 0 when `left` comes first.
    private static func compare(_ left: Cell, _ right: Cell, _ order: Column.Order, reversed: Bool) -> Int {
        let sign = (order == .lowFirst) == reversed ? -1 : 1
        switch (left, right) {
        case (.number(_, let a, _), .number(_, let b, _)): return a == b ? 0 : (a < b ? -sign : sign)
        case (.text(let a), .text(let b)): return a == b ? 0 : (a < b ? -sign : sign)
        default: return rank(left) - rank(right)
        }
    }

    private static func rank(_ cell: Cell) -> Int {
        switch cell {
        case .number: 0
        case .text: 1
        case .missing: 2
        case .blank: 3
        }
    }
}
