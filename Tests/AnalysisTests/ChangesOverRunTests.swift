import Testing

@testable import Analysis

/// Checks on what moved between the two ends of a run.
@Suite struct ChangesOverRunTests {
    private static let page: Int64 = 4096

    private func verdicts(
        _ before: [String: Int64], _ after: [String: Int64]?, slowed: [(board: String, share: Double)] = []
    ) -> [String: Condition] {
        let lines = [ConditionsLine(moment: .before, checks: [], counts: before)]
        let last = after.map { [ConditionsLine(moment: .after, checks: [], counts: $0)] } ?? []
        let filter = Environment(lines + last, slowed: slowed).filter
        let failed = filter.verdicts.contains { $0.verdict == .fail && $0.name != "throttling" }
        #expect(filter.excluded == failed)
        return Dictionary(filter.verdicts.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    @Test func aThrottleCountThatGrowsFails() {
        let before: [String: Int64] = ["throttle:package-0": 7, "throttle:cores": 12]
        let quiet = verdicts(before, before)["throttling"]
        #expect(quiet?.verdict == .pass)
        let grown = verdicts(before, ["throttle:package-0": 9, "throttle:cores": 12])["throttling"]
        #expect(grown?.verdict == .fail)
        #expect(grown?.seen == "package-0 counted from 7 to 9")
        #expect(verdicts(before, nil)["throttling"]?.verdict == .cannotTell)
        let none = verdicts(["swap:in_pages": 1], ["swap:in_pages": 1])["throttling"]
        #expect(none == Condition("throttling", .cannotTell, seen: "nothing counts it here"))
    }

    /// The low bits of a Raspberry Pi are of now, the high ones of the time since the boot.
    @Test(
        arguments: [
            (0, 0, nil), (0x50000, 0x50000, nil), (0, 0x40000, "firmware: throttled"),
            (0x2, 0, "firmware: clock capped"), (0x50000, 0xD0008, "firmware: soft temperature limit"),
            (0x1, 0, nil),
        ] as [(Int64, Int64, String?)])
    func firmwareBits(before: Int64, after: Int64, seen: String?) {
        let check = verdicts(["throttle:firmware": before], ["throttle:firmware": after])["throttling"]
        #expect(check?.verdict == (seen == nil ? .pass : .fail))
        if let seen { #expect(check?.seen == seen) }
    }

    /// A weak supply is no matter of heat: it keeps a run out.
    @Test(
        arguments: [
            (0, 0, .pass), (0x1, 0, .fail), (0, 0x10000, .fail), (0x10000, 0x10000, .pass),
            (0, nil, .cannotTell),
        ] as [(Int64, Int64?, Condition.Verdict)])
    func underVoltage(before: Int64, after: Int64?, verdict: Condition.Verdict) {
        let checks = verdicts(["throttle:firmware": before], after.map { ["throttle:firmware": $0] })
        #expect(checks["supply_voltage"]?.verdict == verdict)
    }

    /// A run that heats its machine up counts; one that began on a hot machine does not.
    @Test func onlyAHotStartKeepsARunOut() {
        func filter(_ before: Condition.Verdict, _ after: Condition.Verdict) -> Environment.Filter {
            Environment([
                ConditionsLine(moment: .before, checks: [Condition("temperature", before, seen: "a")]),
                ConditionsLine(moment: .after, checks: [Condition("temperature", after, seen: "b")]),
            ]).filter
        }
        #expect(filter(.fail, .pass).excluded)
        let heated = filter(.pass, .fail)
        #expect(!heated.excluded)
        #expect(heated.verdicts.first == Condition("temperature", .fail, seen: "b"))
    }

    @Test func swappingIsCountedInBytes() {
        func check(_ moved: Int64, out: Int64 = 0) -> Condition? {
            verdicts(
                ["swap:in_pages": 100, "swap:out_pages": 50, "swap:page_bytes": Self.page],
                ["swap:in_pages": 100 + moved, "swap:out_pages": 50 + out, "swap:page_bytes": Self.page])[
                    "swap"]
        }
        #expect(check(0) == Condition("swap", .pass, seen: "0.0 MiB in, 0.0 MiB out"))
        #expect(check(256)?.verdict == .pass)
        #expect(check(257)?.verdict == .fail)
        #expect(check(0, out: 25_600) == Condition("swap", .fail, seen: "0.0 MiB in, 100.0 MiB out"))
        #expect(
            verdicts(["swap:in_pages": 1, "swap:out_pages": 1, "swap:page_bytes": 4096], nil)["swap"]?.verdict
                == .cannotTell)
        // Numbers that no kernel has trap nothing.
        let most = ["swap:in_pages": Int64.max, "swap:out_pages": .max, "swap:page_bytes": .max]
        #expect(
            verdicts(["swap:in_pages": .min, "swap:out_pages": 0, "swap:page_bytes": .max], most)["swap"]
                != nil)
    }

    /// What drivers of boards say while they work, of the boards in use.
    @Test func heatThatADriverNames() throws {
        #expect(verdicts([:], [:], slowed: [("nvml:0", 0.25)])["throttling"]?.verdict == .fail)
        var run = SyntheticRun()
        run.seconds = 30
        var trace = try Trace.parse(try run.bytes, name: "t")
        // 0x4 is the software power cap: the board's own limit and no heat.
        trace.read("nvml:0/throttle-reasons", .gauge, .state) { $0 < 30 ? 0x4 : 0x24 }
        let slowed = ChangesOverRun.slowed(trace)
        #expect(slowed.map(\.board) == ["nvml:0"])
        #expect(slowed[0].share > 0.1 && slowed[0].share < 0.9)
        let filter = Analyze.record(from: trace).environment.filter
        #expect(!filter.excluded)
        #expect(filter.verdicts.contains { $0.name == "throttling" && $0.verdict == .fail })
    }

    /// A version that kept no counts is told nothing it did not look at.
    @Test func tracesWithoutCountsHaveNoSuchChecks() {
        #expect(verdicts([:], [:]).isEmpty)
        #expect(verdicts([:], nil).isEmpty)
    }

    @Test func countsAreReadAsTheyAreWritten() throws {
        let line = ConditionsLine(moment: .after, checks: [], counts: ["throttle:cores": 3])
        var run = SyntheticRun()
        run.seconds = 1
        let bytes = try run.bytes + TraceLine.conditions(line).encodedLine()
        #expect(try Trace.parse(bytes, name: "t").conditions.last == line)
    }

    /// The lines of one moment add up: machine, idleness, engine.
    @Test func severalLinesOfAMoment() {
        let environment = Environment([
            ConditionsLine(
                moment: .before, checks: [Condition("governor", .pass, seen: "performance")],
                identity: ["kernel": .known("6.12")], counts: ["throttle:cores": 1]),
            ConditionsLine(moment: .before, checks: [Condition("other_load", .fail, seen: "80 %")]),
            ConditionsLine(
                moment: .before, checks: [Condition("engine_build", .pass, seen: "release")],
                identity: ["env:OMP_NUM_THREADS": .known("4"), "kernel": .known("other")],
                counts: ["throttle:cores": 9]),
            ConditionsLine(moment: .after, checks: [], counts: ["throttle:cores": 1]),
        ])
        #expect(environment.before.map(\.name) == ["governor", "other_load", "engine_build"])
        #expect(environment.identity["kernel"] == .known("6.12"))
        #expect(environment.identity["env:OMP_NUM_THREADS"] == .known("4"))
        #expect(
            environment.filter.verdicts.map(\.name) == [
                "governor", "other_load", "engine_build", "throttling", "swap",
            ])
        #expect(environment.filter.verdicts[3].verdict == .pass)
        #expect(environment.filter.excluded)
    }
}
