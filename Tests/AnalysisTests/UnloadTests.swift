import Testing

@testable import Analysis

@Suite struct UnloadTests {
    private func moment(_ seconds: Double) -> Instant { SyntheticRun.moment(seconds) }

    private func points(before: UInt64?, after: UInt64?) -> [String: [String: UInt64]] {
        var points: [String: [String: UInt64]] = [:]
        if let before { points["at_end"] = ["rss": before << 20] }
        if let after { points["after_unload"] = ["rss": after << 20] }
        return points
    }

    @Test(
        arguments: [
            (1000, 100, .recovered), (132, 100, .recovered), (131, 100, .unchanged), (100, 131, .unchanged),
            (100, 132, .increased),
        ] as [(UInt64, UInt64, UnloadSummary.Status)])
    func thirtyTwoMebibytesDecide(before: UInt64, after: UInt64, status: UnloadSummary.Status) {
        let trace = Trace(header: SyntheticRun().header)
        let summary = UnloadSummary(trace, points: points(before: before, after: after), isOnGPU: false)
        #expect(summary.status == status && summary.reason == nil && summary.memory == "rss")
        #expect(summary.releasedBytes.number == (Double(before) - Double(after)) * 1_048_576)
    }

    @Test func withoutAPointThereIsNone() {
        let trace = Trace(header: SyntheticRun().header)
        let summary = UnloadSummary(trace, points: points(before: 5, after: nil), isOnGPU: false)
        #expect(summary.status == .unavailable && summary.reason == "no rss after_unload")
        #expect(summary.releasedBytes.reason == "no rss after_unload")
    }

    /// Two boards, of which the engine uses one; the reading right after the unload comes too early.
    @Test func theEnginesBoardsAreReadHalfASecondLater() {
        var trace = Trace(header: SyntheticRun().header)
        var engine = EngineLine(kind: "llama", version: "1")
        engine.devices = ["0000:01:00.0"]
        trace.engine = engine
        trace.sources = (0...1).map { index in
            var line = SourceLine(
                index: index, id: "nvml:\(index)/memory-used", kind: .gauge, quantity: .memory, scale: 1,
                scope: .init(domain: "gpu-board", device: "GPU-\(index)"), interface: "nvml",
                intervalNanoseconds: 1_000_000_000)
            line.pci = "0000:0\(index + 1):00.0"
            return line
        }
        func sample(_ seconds: Double, _ first: Int64, _ second: Int64) -> SampleLine {
            SampleLine(
                time: moment(seconds), sources: [0, 1], deltas: [1, 1], values: [first << 20, second << 20])
        }
        trace.marks = [
            MarkLine(.unloadBegin, part: .unload, time: moment(10)),
            MarkLine(.unloadEnd, part: .unload, time: moment(10.2)),
        ]
        trace.samples = [
            sample(9, 5000, 70), sample(9.9, 5100, 70), sample(10.3, 5100, 70), sample(10.8, 600, 90),
        ]
        let summary = UnloadSummary(trace, points: [:], isOnGPU: true)
        #expect(summary.status == .recovered && summary.memory == "gpu")
        #expect(summary.beforeBytes.number == Double(5100 << 20))
        #expect(summary.afterBytes.number == Double(600 << 20))
        trace.samples.removeLast()
        let early = UnloadSummary(trace, points: [:], isOnGPU: true)
        #expect(early.status == .unavailable)
        #expect(early.reason == "a GPU's memory was not read after the unload")
        trace.marks = []
        #expect(UnloadSummary(trace, points: [:], isOnGPU: true).reason?.contains("not unloaded") == true)
    }

    /// A share as only a hostile trace has it is a sentence, not a trap.
    @Test func anAbsurdShareOfResidentPages() {
        func objection(_ share: Double) -> String? {
            PageCacheLine(path: "m.gguf", before: .known(0), after: .known(share)).objection
        }
        for share in [1e19, 1e300, .infinity] {
            #expect(objection(share)?.hasSuffix("stayed in memory") == true)
        }
        #expect(objection(0.5) == "the load was not cold: 50.0 % of the model stayed in memory")
        #expect(objection(0.005) == nil && objection(-1e300) == nil)
    }
}
