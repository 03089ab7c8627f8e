import Testing

@testable import Analysis

@Suite struct ChangeGateTests {
    /// An effect whose interval is about `ratio`, `half` to either side in the logarithm.
    private func effect(_ ratio: Double, half: Double) throws -> PairedEffect {
        let spread = half * 8.0.squareRoot() / 2.364624 / 1.0690450
        let quads = try (0..<8).map { index in
            let own = ratio * (index.isMultiple(of: 2) ? -spread : spread).exponential
            return try #require(Quad(10, 10 * own, 10 * own, 10))
        }
        return try PairedEffect.of(quads).get()
    }

    @Test func theWholeIntervalDecides() throws {
        let rise = try ChangeGate("decode.gross.joules_per_token > +3%")
        #expect(rise.metric == .decodeEnergy && rise.direction == .above && rise.threshold == 0.03)
        #expect(rise.judge(.success(try effect(1.05, half: 0.01))) == .failed)
        #expect(rise.judge(.success(try effect(1.01, half: 0.01))) == .passed)
        #expect(rise.judge(.success(try effect(1.03, half: 0.01))) == .inconclusive)
        let fall = try ChangeGate("decode.tokens_per_second<-3%")
        #expect(fall.judge(.success(try effect(0.95, half: 0.01))) == .failed)
        #expect(fall.judge(.success(try effect(0.99, half: 0.01))) == .passed)
        #expect(fall.judge(.success(try effect(0.97, half: 0.01))) == .inconclusive)
        #expect(rise.judge(.failure(Unavailable("no"))) == .unavailable(Unavailable("no")))
    }

    @Test(arguments: [
        "", "decode.gross.joules_per_token", "nothing > +3%", "> +3%", "decode.tokens_per_second < -3",
        "decode.tokens_per_second < 3%", "decode.tokens_per_second > -3%", "peak_rss_bytes < -100%",
        "peak_rss_bytes > +x%", "peak_rss_bytes > +inf%", "peak_rss_bytes > %",
    ])
    func whatCannotBeReadIsUsage(text: String) {
        #expect(throws: Failure.self) { try ChangeGate(text) }
        do { _ = try ChangeGate(text) } catch { #expect(error.exit == .usage && error.remedy != nil) }
    }

    @Test func theWorstCodeOfSeveralWins() throws {
        let energy = try ChangeGate("cycle.gross.joules_per_token > +1%")
        let speed = try ChangeGate("decode.tokens_per_second < -1%")
        let absent = ChangeGate.Verdict.unavailable(Unavailable("no energy source"))
        #expect(ChangeGate.exit([]) == .done)
        #expect(ChangeGate.exit([(energy, .passed), (speed, .passed)]) == .done)
        #expect(ChangeGate.exit([(energy, absent), (speed, .passed)]) == .noEnergySource)
        #expect(ChangeGate.exit([(speed, absent)]) == .inconclusive)
        #expect(ChangeGate.exit([(energy, absent), (speed, .failed)]) == .gateFailed)
        #expect(ChangeGate.exit([(energy, absent), (speed, .inconclusive)]) == .noEnergySource)
        #expect(ChangeGate.exit([(speed, .inconclusive)]) == .inconclusive)
        #expect(ChangeGate.exit([(speed, .inconclusive)], inconclusive: .done) == .done)
        #expect(ChangeGate.exit([(speed, .inconclusive)], inconclusive: .gateFailed) == .gateFailed)
    }
}
