import Replay
import Testing

@testable import Analysis

/// Prefills too short for any fit between long decodes, as a GPU runs a small prompt.
@Suite struct RestBoundTests {
    private static func scenario(prefill: Double) -> Scenario {
        var scenario = Scenario()
        (scenario.prefill, scenario.decode, scenario.gap) = (prefill, 0.77, 0.001)
        (scenario.prefillWatts, scenario.decodeWatts, scenario.poll) = (550, 470, 0.05)
        scenario.seconds = 60
        // Updates at odd times: no clock tells them better than the reads around them.
        scenario.jitter = 0.3
        return scenario
    }

    private func record(
        prefill: Double = 0.018, limit: Double?, domain: String = "gpu-board"
    ) -> (Record, Double) {
        let simulated = SimulatedTrace(Self.scenario(prefill: prefill), seed: 5)
        var trace = simulated.trace
        trace.sources[0].limitWatts = limit
        trace.sources[0].scope.domain = domain
        return (Analyze.record(from: trace), simulated.decodePerToken)
    }

    @Test func theDecodeIsBoundedAndThePrefillIsNot() throws {
        let (record, truth) = record(limit: 700)
        let decode = record.metrics.decode.gross.joulesPerToken
        let bounds = try #require(intervalBounds(decode))
        #expect(bounds.low <= truth && truth <= bounds.high, "\(decode) \(truth)")
        // 1050 W for 19 of 789 ms against 470 W: half of it is 2.7 %.
        let width = (bounds.high - bounds.low) / 2 / truth
        #expect(width > 0.02 && width < 0.04, "\(width)")
        guard case .value(_, _, let method) = decode else { return }
        #expect(method.hasPrefix("bounded rest, 0 to 1050 W in the 2.4 % between windows, counter at edges"))
        #expect(record.metrics.prefill.gross.joulesPerToken.reason?.contains("phases not separable") == true)
        // What was taken for the prefill and the decode are not more than the cycle.
        let cycle = try #require(record.metrics.cycle.gross.joules.number)
        #expect(try #require(record.metrics.decode.gross.joules.number) < cycle)
    }

    @Test(
        arguments: [
            (0.018, nil, "gpu-board"), (0.018, 700, "package"), (0.018, .infinity, "gpu-board"),
            (0.018, 0, "gpu-board"), (0.06, 700, "gpu-board"),
        ] as [(Double, Double?, String)])
    func withoutALimitOrWithMuchBetweenItIsRefused(prefill: Double, limit: Double?, domain: String) {
        let (record, _) = record(prefill: prefill, limit: limit, domain: domain)
        #expect(record.metrics.decode.gross.joules.reason?.contains("phases not separable") == true)
    }
}
