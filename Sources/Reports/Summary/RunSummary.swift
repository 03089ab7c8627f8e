import Analysis

/// The text at the end of `sustain run` and `sustain analyze`: the run's table, its windows, the rest.
public enum RunSummary {
    /// - Parameters:
    ///   - width: columns to stay within; the table is folded after `t/s` where it would be wider.
    ///   - colour: ANSI colours; without them nothing is lost but colour.
    public static func text(_ record: Record, width: Int = 110, colour: Bool = false) -> String {
        let ink = Ink(colour: colour)
        let table = RunTable([Run(record, path: "")])
        let place = Place.terminal
        var text = folded(table, width: width)
        // What the windows and facts below do not explain themselves.
        let named = Set((Column.identity.map(\.key)) + EngineParameter.all.map(\.export))
        let reasons = table.reasons(place) { named.contains($0.key) } + table.dead(place)
        text += (reasons.isEmpty ? "" : "\n") + reasons.map { note($0, width) }.joined()
        let block = PhaseBlock(record.metrics).text()
        text += "\n" + heading(block.grid.plain(), ink) + "\n"
        for line in block.notes { text += note(line, width) }
        text += "\n"
        if let minutes = MinuteBlock(record.metrics.perMinute).text() {
            text += heading(minutes.grid.plain(), ink)
            for line in minutes.notes { text += note(line, width) }
            text += "\n"
        }
        for fact in SummaryFacts(record: record).lines { text += line(fact, width, ink) }
        return text
    }

    private static func line(_ fact: Fact, _ width: Int, _ ink: Ink) -> String {
        let indent = 12
        let lines = fact.text.wrapped(width: width - indent, indent: 0).split(separator: "\n")
        let inked = lines.map { ink.toned(String($0), fact.tone) }
        return fact.name.padded(to: indent, right: false)
            + inked.joined(separator: "\n" + String(repeating: " ", count: indent)) + "\n"
    }

    /// The table as llama-bench prints it, in parts where one would be too wide: ours after llama-bench's columns,
    /// and as many of ours in a part as there is room for.
    private static func folded(_ table: RunTable, width: Int) -> String {
        // Pipes as in llama-bench, so that the lines can be pasted elsewhere.
        let grid = table.grid(.markdown)
        if grid.markdownWidth <= width { return grid.markdown() }
        var (part, rest) = grid.split(before: table.firstOfOurs, repeating: table.testColumn)
        var text = part.markdown()
        while rest.markdownWidth > width, rest.columns.count > 2 {
            // The first column names the row.
            let fitting = (3..<rest.columns.count).last {
                rest.split(before: $0, repeating: 0).0.markdownWidth <= width
            }
            (part, rest) = rest.split(before: fitting ?? 2, repeating: 0)
            text += "\n" + part.markdown()
        }
        return text + "\n" + rest.markdown()
    }

    private static func note(_ line: String, _ width: Int) -> String {
        line.wrapped(width: width, indent: 2) + "\n"
    }

    private static func heading(_ block: String, _ ink: Ink) -> String {
        guard let end = block.firstIndex(of: "\n") else { return block }
        return ink.bold(String(block[..<end])) + block[end...]
    }
}
