import Analysis
import Testing

@testable import Reports

/// Names that come with a file must not act: not on a terminal, a Markdown page, a spreadsheet or a parser.
@Suite struct HostileTextTests {
    static let names = [
        "<script>alert(1)</script>", "a\"b'c", "line\none\r\ntwo", "\u{1B}]0;owned\u{7}\u{1B}[2J",
        String(repeating: "n", count: 300), "=cmd|' /C calc'!A0", "pipe | pipe", "\u{202E}gnp.exe",
        "\u{9B}31m",
        "模型 😀", "", "[x](javascript:alert(1))",
    ]

    @Test(arguments: names, ReportFormat.allCases)
    func everyFormat(name: String, format: ReportFormat) throws {
        let record = hostile(name)
        for pareto in [false, true] {
            let plain = try lines([.record(hostile("name"), path: "p")], format, pareto)
            let text = try lines([.record(record, path: name)], format, pareto)
            // As many lines as with a harmless name: nothing broke out of its cell.
            if format != .text && format != .markdown { #expect(text.count == plain.count) }
            for line in text { #expect(isHarmless(line), "\(line.escapedForDisplay)") }
            if format == .markdown {
                #expect(!text.contains { $0.contains("<script") && !$0.contains("\\<script") })
                let rows = text.filter { $0.hasPrefix("|") }
                #expect(Set(rows.map(cells)).count == 1)
            }
        }
    }

    @Test(arguments: names)
    func summary(name: String) {
        for line in RunSummary.text(hostile(name)).split(separator: "\n") {
            #expect(isHarmless(String(line)))
        }
    }

    /// A reader that follows RFC 4180 gets the fields back, and a spreadsheet gets no formula.
    @Test(arguments: names)
    func csvReadsBack(name: String) throws {
        let options = ReportOptions(format: .csv)
        let text = try Report.render(options, [.record(hostile(name), path: "p")]).text
        let rows = parse(text)
        #expect(rows.count == 3)
        #expect(Set(rows.map(\.count)).count == 1)
        let column = try #require(rows[0].firstIndex(of: "label"))
        let label = rows[1][column]
        #expect(label == (name.first == "=" ? "'" : "") + name.escapedForDisplay)
        for field in rows.dropFirst().flatMap(\.self) {
            #expect(!["=", "+", "@", "\t", "\r"].contains(field.first))
        }
    }

    private func hostile(_ name: String) -> Record {
        var record = RecordBuilder(
            id: "20261130T005600Z-\(name)-a1b2c3", label: name, model: name, path: "/models/" + name,
            backends: [name], includes: [name], identity: ["cpu_model": .known(name)]
        ).build()
        record.warnings = [name]
        record.total.excludes = [.init(id: name, reason: name)]
        record.metrics.sustained = .unavailable(name)
        record.metrics.decode.net = .unavailable(name)
        record.environment.filter.verdicts = [Condition(name, .fail, seen: name)]
        record.environment.filter.excluded = true
        record.outcome = OutcomeSummary(OutcomeLine(.failed, part: .sustained, cause: name))
        return record
    }

    private func lines(_ stored: [StoredRun], _ format: ReportFormat, _ pareto: Bool) throws -> [String] {
        let text = try Report.render(ReportOptions(pareto: pareto, format: format), stored).text
        let ends = format == .csv ? "\r\n" : "\n"
        return text.split(separator: ends, omittingEmptySubsequences: false).map(String.init)
    }

    private func isHarmless(_ line: String) -> Bool { line.escapedForDisplay == line }

    /// Cells of a pipe row: pipes that no backslash takes away.
    private func cells(_ row: String) -> Int {
        var count = 0
        var escaped = false
        for character in row {
            if character == "|" && !escaped { count += 1 }
            escaped = character == "\\" && !escaped
        }
        return count
    }

    private func parse(_ text: String) -> [[String]] {
        var rows: [[String]] = [[""]]
        var quoted = false
        var scalars = Array(text.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            let last = rows[rows.count - 1].count - 1
            if quoted, scalar == "\"", scalars.first == "\"" {
                scalars.removeFirst()
                rows[rows.count - 1][last] += "\""
            } else if scalar == "\"" {
                quoted.toggle()
            } else if !quoted, scalar == "," {
                rows[rows.count - 1].append("")
            } else if !quoted, scalar == "\r" {
                scalars = scalars.dropFirst()
                rows.append([""])
            } else {
                rows[rows.count - 1][last].unicodeScalars.append(scalar)
            }
        }
        return rows.filter { $0 != [""] }
    }
}
