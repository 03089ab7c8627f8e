import Analysis

/// What `sustain doctor` prints: every source in its state, what a run would add up, and each remedy once.
public enum CapabilityTable {
    public static func text(rows: [CapabilitiesLine.Row], total: Total) -> String {
        let grid = Grid(
            columns: [
                Grid.Column(title: "source", right: false), Grid.Column(title: "state", right: false),
                Grid.Column(title: "reason", right: false),
            ],
            rows: rows.map { row in
                [row.id.escapedForDisplay, row.status.rawValue, (row.reason ?? "").escapedForDisplay]
            })
        var text = grid.plain() + "\n"
        if let why = total.unavailable {
            text += "Energy of a run here: unavailable: \(why.escapedForDisplay)\n"
        } else {
            text += "Energy of a run here: " + total.includes.joined(separator: " + ").escapedForDisplay
            text += total.scope.map { " (\($0.escapedForDisplay))\n" } ?? "\n"
        }
        for exclusion in total.excludes {
            text += "  left out: \(exclusion.id.escapedForDisplay): \(exclusion.reason.escapedForDisplay)\n"
        }
        var seen: Set<String> = []
        for remedy in rows.compactMap(\.remedy) where seen.insert(remedy).inserted {
            text += "To measure more: \(remedy.escapedForDisplay)\n"
        }
        return text
    }
}
