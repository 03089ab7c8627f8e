import Analysis
import FoundationEssentials
import Testing

@testable import Reports

/// What a summary says of the sustained part beside its table.
@Suite struct EnduranceTests {
    private func facts(_ record: Record) -> [String] {
        EnduranceFacts(record: record).lines.map { $0.name + ": " + $0.text }
    }

    private func fact(_ name: String, _ record: Record) -> String? {
        facts(record).first { $0.hasPrefix(name + ": ") }
    }

    @Test func aDroopIsSaidWithItsCause() {
        var record = RecordBuilder().build()
        #expect(fact("droop", record) == nil)
        record.metrics.droopOnsetSeconds = .once(402, method: "change-point")
        record.metrics.secondsTo90Percent = .once(511, method: "change-point")
        record.metrics.droopCause = .known(
            DroopCause(kind: .throttling, evidence: ["throttle:package-0 counted 9, 0 before\u{1B}[2J"]))
        #expect(
            fact("sustained", record)?.contains("droop onset after 402 s, under 90 % after 511 s") == true)
        #expect(fact("sustained", record)?.contains("under 50 % n/a (the rate does not") == true)
        #expect(
            fact("droop", record)
                == "droop: cause throttling: throttle:package-0 counted 9, 0 before\\u{1b}[2J")
    }

    @Test func whyRetainedIsWithheld() {
        var record = RecordBuilder().build()
        record.metrics.retained = .unavailable("thermal:cpu-0 was 9.0 K above its least")
        #expect(
            fact("sustained", record)?.contains("kept n/a (thermal:cpu-0 was 9.0 K above its least)") == true)
    }

    @Test func theCeilingAndItsReasons() {
        var record = RecordBuilder().build()
        #expect(
            fact("ceiling", record)
                == "ceiling: decode reads 100.50 MiB a token: 13.6 GB/s, 71.9 ± 0.4 % of the 18.9 GB/s that memory gave"
        )
        record.metrics.ceiling?.share = .unavailable("memory is short")
        #expect(
            fact("ceiling", record)
                == "ceiling: decode reads 100.50 MiB a token: 13.6 GB/s; what memory gives n/a (memory is short)"
        )
        record.metrics.ceiling?.bytesPerToken = .unavailable("the tensors of the model are not known")
        #expect(fact("ceiling", record) == "ceiling: n/a (the tensors of the model are not known)")
        record.metrics.ceiling = nil
        #expect(fact("ceiling", record) == nil)
    }

    @Test func neighboursOfTheSustainedPart() {
        let record = RecordBuilder().build()
        #expect(
            fact("neighbours", record)
                == "neighbours: other programs 0.02 cores, the hypervisor 0.01 cores, "
                + "3.2 involuntary switches a second")
    }

    /// The estimator of each phase, and of each slow source how its fit went or why there is none.
    @Test func estimatorsByPhase() throws {
        var record = RecordBuilder().build()
        func joules(_ method: String) -> Figure { .once(9, method: method + ", lag; bootstrap") }
        record.metrics.prefill.gross.joules = joules("phase fit")
        record.metrics.decode.gross.joules = joules("phase fit")
        record.metrics.cycle.gross.joules = joules("counter at edges, x + counter at edges")
        let fit = """
            {"condition_number": 3.14, "cycles": 60, "lag_s": 0.05, "odd_even_error": 0.021, "steps": 1200, \
            "watts": {"decode": 80, "prefill": 140}}
            """
        record.sources[0].phaseFit = .known(
            try CanonicalJSON.decode(PhaseFitSummary.self, from: Data(fit.utf8)))
        record.sources[1].phaseFit = .unavailable("phases not separable: condition number 44")
        #expect(
            facts(record).suffix(3) == [
                "estimator: prefill, decode (phase fit), cycle (counter at edges)",
                ": rapl:package-0: lag 50.0 ms, condition number 3.1, odd/even error 2.1 %",
                ": rapl:package-0/dram: no phase fit: phases not separable: condition number 44",
            ])
    }

    @Test func minutesAreHeldToATable() throws {
        var record = RecordBuilder().build()
        let (grid, notes) = try #require(MinuteBlock(record.metrics.perMinute).text())
        #expect(grid.columns.map(\.title) == ["minute", "t/s", "W", "J/tok", "MHz", "others"])
        #expect(grid.rows.count == 10)
        #expect(grid.rows[9] == ["10", "129.2", "48.0", "0.370", "3110", "0.03"])
        #expect(notes == ["n/a in C: no temperature was read"])
        record.metrics.perMinute = (0..<60).map { minute in
            var row = record.metrics.perMinute[0]
            row.minute = minute
            if minute == 59 { row.watts = .unavailable("void") }
            return row
        }
        let hour = try #require(MinuteBlock(record.metrics.perMinute).text())
        #expect(hour.grid.rows.count == 12)
        #expect(hour.grid.rows.first?.first == "1" && hour.grid.rows.last?.first == "60")
        #expect(hour.grid.rows.last?[2] == "n/a")
        #expect(
            hour.notes == [
                "n/a in W: void (minute 60)", "n/a in C: no temperature was read",
                "12 of 60 minutes; the record has all",
            ])
        #expect(MinuteBlock(Array(record.metrics.perMinute.prefix(1))).text() == nil)
    }

    /// Many checks that nothing tells are one line, by what is said of them.
    @Test func checksWithOneAnswerStandTogether() {
        var record = RecordBuilder().build()
        record.environment.filter.verdicts += [
            Condition("epp", .cannotTell, seen: "no interface"),
            Condition("turbo", .cannotTell, seen: "no interface"),
        ]
        #expect(
            RunSummary.text(record).contains(
                "cannot tell: governor (no cpufreq), epp, turbo (no interface)"))
    }
}
