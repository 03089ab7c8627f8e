@testable import Analysis

extension Record {
    /// Phases in which J/token differs from W / (tok/s) by more than rounding, of those that have all three:
    /// the check that energy and rate were divided by the same seconds and the same tokens.
    var brokenIdentities: [String] {
        let phases = [
            ("first_token", metrics.firstToken), ("from_idle.prefill", metrics.fromIdle.prefill),
            ("from_idle.decode", metrics.fromIdle.decode), ("prefill", metrics.prefill),
            ("decode", metrics.decode), ("cycle", metrics.cycle),
        ]
        return phases.flatMap { name, phase in
            [("gross", phase.gross), ("net", phase.net), ("net_loaded", phase.netLoaded)].compactMap {
                kind, energy -> String? in
                guard let watts = energy.watts.number, let rate = phase.tokensPerSecond.number,
                    let joules = energy.joulesPerToken.number
                else { return nil }
                let expected = watts / rate
                return abs(joules - expected) <= 1e-9 * abs(expected) ? nil : "\(name).\(kind)"
            }
        }
    }
}
