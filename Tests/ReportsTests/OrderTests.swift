import Analysis
import Testing

@testable import Reports

/// The three orders and their inversions.
@Suite struct OrderTests {
    private func run(_ id: String, burst: Double?, sustained: Double?, joules: Double?) -> Run {
        var record = RecordBuilder(id: id, joulesPerToken: joules, sustained: sustained).build()
        record.metrics.burst = burst.map { .once($0, method: "m") } ?? .unavailable("none")
        return Run(record, path: "p")
    }

    private func places(_ orders: RunOrders) -> [[String]] {
        orders.orders.map { $0.places.map(\.run.digest.id) }
    }

    @Test func bestFirst() {
        let orders = RunOrders([
            run("a", burst: 100, sustained: 60, joules: 0.3), run("b", burst: 90, sustained: 80, joules: 0.5),
            run("c", burst: nil, sustained: 70, joules: nil),
        ])
        #expect(places(orders) == [["a", "b"], ["b", "c", "a"], ["a", "b"]])
        #expect(orders.isWorthShowing)
    }

    @Test func inversionsAreNamedAndSmallDifferencesAreNone() {
        let throttled = run("a", burst: 100, sustained: 60, joules: 0.3)
        let steady = run("b", burst: 90, sustained: 80, joules: 0.5)
        let found = RunOrders([throttled, steady]).inversions
        #expect(found.count == 1)
        #expect(found.first?.contains("ahead of b by burst t/s (100.0 against 90.00)") == true, "\(found)")
        #expect(found.first?.contains("behind it by sustained t/s (60.00 against 80.00)") == true)
        // 4 % in one of the orders is no difference between sessions.
        let near = run("c", burst: 96, sustained: 100, joules: 0.3)
        #expect(RunOrders([run("d", burst: 100, sustained: 90, joules: 0.3), near]).inversions.isEmpty)
        #expect(RunOrders([throttled, throttled]).inversions.isEmpty)
    }

    @Test func whatDoesNotCountOrIsEstimatedIsInNoOrder() {
        let excluded = Run(RecordBuilder(id: "x", failedCheck: "other_load").build(), path: "p")
        let estimated = Run(RecordBuilder(id: "y", tokenCounts: "estimated").build(), path: "p")
        #expect(places(RunOrders([excluded, estimated])).isEmpty)
        #expect(!RunOrders([excluded, estimated]).isWorthShowing)
    }

    @Test func joulesOfOtherScopesAreAnOrderOfTheirOwn() {
        let orders = RunOrders([
            Run(RecordBuilder(id: "a", includes: ["rapl:package-0"]).build(), path: "p"),
            Run(RecordBuilder(id: "b").build(), path: "p"),
        ])
        #expect(orders.orders.map(\.mark) == ["", "", " (1)", " (2)"])
        #expect(orders.bases.first?.contains("rapl:package-0") == true)
    }

    @Test func sortingRanksNothingAcrossSettings() throws {
        let runs = [
            RecordBuilder(id: "a", sustained: 10), RecordBuilder(id: "b", sustained: 99, seconds: 60),
            RecordBuilder(id: "c", sustained: 20),
            RecordBuilder(id: "d", sustained: 5, tokenCounts: "estimated"),
            RecordBuilder(id: "e", sustained: 7, tokenCounts: "estimated"),
        ].map { Run($0.build(), path: "") }
        let sorted = try RunOrder("sustained", for: runs).sorted(runs)
        #expect(sorted.map(\.digest.id) == ["c", "a", "b", "d", "e"])
        let stored = runs.map(StoredRun.run)
        let text = try Report.render(ReportOptions(format: .text, sort: "sustained", everyRun: true), stored)
            .text
        #expect(text.split(separator: "\n").count { $0.contains("cpu_model Example 9000") } == 3)
        #expect(text.contains(Setting.notRanked))
    }

    @Test func memoryOfAnotherKindIsNotRanked() throws {
        let runs = [("a", "mapped", 5.0), ("b", "gpu", 1), ("c", "mapped", 3)].map { id, kind, bytes in
            var record = RecordBuilder(id: id).build()
            record.memory.accounting = kind
            record.memory.peakRSSBytes = .once(bytes, method: "m")
            return Run(record, path: "")
        }
        #expect(try RunOrder("peak mem", for: runs).sorted(runs).map(\.digest.id) == ["c", "a", "b"])
        let axes = try ParetoAxes("peak_rss_bytes,sustained")
        let table = ParetoTable(runs, axes: axes)
        #expect(table.sections.flatMap(\.bases).map(\.basis.memory) == ["gpu", "mapped"])
    }

    @Test(arguments: [
        ("sustained", "not two names"), ("sustained,burst,watts", "not two names"),
        ("nope,burst", "no figure"),
        ("burst,burst", "twice"), ("J/tok gross,joules_per_token_gross", "twice"), ("", "not two names"),
    ])
    func badAxes(text: String, cause: String) {
        let failure = #expect(throws: Failure.self) { try ParetoAxes(text) }
        #expect(failure?.exit == .usage && failure?.cause.contains(cause) == true)
        #expect(failure?.remedy?.contains("peak_rss_bytes") == true)
    }

    /// The better corner is where each figure's own polarity says.
    @Test func frontiersOfOtherAxes() throws {
        let runs = [(10.0, 5.0), (20, 4), (15, 3), (30, 9)].enumerated().map { number, values in
            run("\(number)", burst: values.0, sustained: values.1, joules: values.1)
        }
        func frontier(_ axes: String) throws -> Set<String> {
            ParetoTable(runs, axes: try ParetoAxes(axes)).frontier
        }
        #expect(try frontier("burst,sustained") == ["3"], "higher is better in both")
        #expect(try frontier("burst,joules_per_token_gross") == ["1", "2", "3"])
        #expect(try frontier("joules_per_token_gross,burst") == ["1", "2", "3"])
    }

    @Test func sparklines() {
        #expect(Sparkline.text([8, 8, 4, 0], unicode: true) == "██▅▁")
        #expect(Sparkline.text([8, 8, 4, 0], unicode: false) == "##=_")
        #expect(Sparkline.text([], unicode: true).isEmpty && Sparkline.text([0], unicode: true).isEmpty)
        #expect(Sparkline.text([.nan, 1], unicode: true) == "▁█")
    }

    @Test func coloursAddNothingButColour() throws {
        let stored = ["a", "b"].enumerated().map { number, id -> StoredRun in
            var builder = RecordBuilder(id: id)
            builder.parameters["threads"] = .integer(Int64(number))
            return .record(builder.build(), path: "p")
        }
        func text(_ colour: Bool) throws -> String {
            let terminal = Terminal(width: 70, isUnicode: true, hasColour: colour)
            return try Report.render(
                ReportOptions(pareto: true, format: .text, terminal: terminal), stored
            ).text
        }
        let plain = try text(false)
        var stripped = try text(true)
        #expect(stripped != plain && !plain.contains("\u{1B}"))
        for code in ["1", "1;32", "0"] { stripped = stripped.replacing("\u{1B}[\(code)m", with: "") }
        #expect(stripped == plain)
        for line in plain.split(separator: "\n") { #expect(line.displayWidth <= 72, "\(line)") }
    }
}
