import Analysis
import Testing
import WorkerProtocol

@testable import Session

/// The numbers of the progress line: never stored, and right all the same.
@Suite struct LiveFiguresTests {
    private func batch(_ start: Double, _ deltas: [Double]) -> TokenBatch {
        TokenBatch(
            cycle: 0, stream: 0, first: 0, startNanoseconds: UInt64(start * 1e9),
            deltaNanoseconds: deltas.map { UInt64($0 * 1e9) })
    }

    private func shown(_ live: LiveFigures) -> ProgressState {
        var state = ProgressState()
        live.fill(&state)
        return state
    }

    /// A late batch and the burst after it are 100 steps a second together, not the mean of 50 and 1000.
    @Test func aRateIsARatioOfSums() throws {
        let live = LiveFigures()
        live.add(batch(0, [Double](repeating: 0.02, count: 50)))
        live.add(batch(1, [Double](repeating: 0.001, count: 50)))
        let rate = try #require(shown(live).tokensPerSecond)
        // The older batch counts a tenth less: 95 steps in 0.95 s.
        #expect(abs(rate - 95 / 0.95) < 0.01, "\(rate)")
        live.forgetRate()
        #expect(shown(live).tokensPerSecond == nil)
    }

    @Test func keptIsOfTheSustainedPartAlone() throws {
        let live = LiveFigures()
        live.add(batch(0, [Double](repeating: 0.1, count: 200)))
        #expect(shown(live).kept == nil)
        live.add(.sustainedStart, at: Instant(nanoseconds: 20_000_000_000))
        live.forgetRate()
        var time = 20.0
        for _ in 0..<10 {
            #expect(shown(live).kept == nil)
            live.add(batch(time, [Double](repeating: 0.01, count: 100)))
            time += 1
        }
        live.add(batch(time, [Double](repeating: 0.01, count: 100)))
        for _ in 0..<100 { live.add(batch(time, [Double](repeating: 0.02, count: 50))) }
        let kept = try #require(shown(live).kept)
        #expect(abs(kept - 0.5) < 0.01, "\(kept)")
    }
}
