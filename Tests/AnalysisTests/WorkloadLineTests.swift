import Testing

@testable import Analysis

/// The workload in force, and what the record says of one that is not the header's.
@Suite struct WorkloadLineTests {
    private func record(
        _ change: (inout Workload) -> Void, hash: (Int) -> String? = { _ in nil }
    ) throws -> Record {
        var run = SyntheticRun()
        run.seconds = 30
        var lines = run.lines
        var workload = run.header.workload
        change(&workload)
        lines.insert(.workload(workload), at: 1)
        lines = lines.map { line in
            guard case .done(var done) = line else { return line }
            done.tokenHash = hash(done.cycle)
            return .done(done)
        }
        return Analyze.record(from: try Trace.parse(try lines.flatMap { try $0.encodedLine() }, name: "t"))
    }

    @Test func theLaterWorkloadStands() throws {
        let record = try record {
            $0.name = "sustained-slow-v1"
            $0.variedGap = Seconds(0.5)
        }
        #expect(record.protocol.name == "sustained-slow-v1")
        #expect(record.protocol.variedGap == Seconds(0.5))
        #expect(record.warnings.isEmpty)
        #expect(record.metrics.coldAndWarm == nil)
    }

    @Test func oldWorkloadsHaveNoNewKeys() throws {
        let line = String(decoding: try TraceLine.header(SyntheticRun().header).encodedLine(), as: UTF8.self)
        for key in ["varied_gap_s", "fixed_prompt", "prefill_batch_tokens"] { #expect(!line.contains(key)) }
    }

    /// One prompt and greedy sampling: whoever gets other tokens of it is not deterministic.
    @Test(arguments: [(true, "greedy", true), (false, "greedy", false), (true, "random", false)])
    func differentTokensOfOnePromptAreNamed(fixed: Bool, sampling: String, warns: Bool) throws {
        func warnings(_ hash: (Int) -> String?) throws -> [String] {
            try record(
                {
                    $0.fixedPrompt = fixed ? true : nil
                    $0.sampling = sampling
                }, hash: hash
            ).warnings.filter { $0.contains("not deterministic") }
        }
        #expect(try warnings { $0 == 4 ? "aa" : "bb" }.isEmpty == !warns)
        #expect(try warnings { _ in "bb" }.isEmpty)
        #expect(try warnings { _ in nil }.isEmpty)
    }

    @Test func pbRandomSaysThatItIsNotControlled() throws {
        let record = try record { $0.name = "pb-random-v1" }
        #expect(record.warnings.count { $0.contains("NOT a controlled-environment benchmark") } == 1)
        let runs = try #require(record.metrics.coldAndWarm)
        expect(runs.cold.decodeTokensPerSecond, near: 100)
        // This run made more than the protocol's three: their median is not its figure.
        #expect(runs.warm.count > 3 && runs.medianWarmDecode.reason?.contains("of 3 warm") == true)
    }
}
