import Testing

@testable import Analysis

@Suite struct PairedEffectTests {
    private func quads(_ ratio: Double, count: Int = 8, noise: (Int) -> Double = { _ in 0 }) throws -> [Quad]
    {
        try (0..<count).map { quad in
            // A drift of 1 % a quad, straight over its four blocks.
            func block(_ position: Int) -> Double {
                let drift = 1 + 0.0025 * Double(4 * quad + position)
                return drift * (1 + noise(4 * quad + position))
            }
            return try #require(
                Quad(block(0), block(1) * ratio, block(2) * ratio, block(3)))
        }
    }

    @Test func aStraightDriftCancels() throws {
        let effect = try #require(PairedEffect.of(try quads(1.05)).value)
        #expect(abs(effect.ratio - 1.05) < 1e-5)
        #expect(effect.verdict == .different)
        #expect(effect.low < effect.ratio && effect.ratio < effect.high)
        #expect(effect.floor < 1e-4)
    }

    /// Log ratios of 1 % and 3 % in turn: mean 2 %, standard deviation 1.069 %, t(7) = 2.364624.
    @Test func theIntervalIsStudents() throws {
        let list = try (0..<8).map { index in
            let ratio = (index.isMultiple(of: 2) ? 0.01 : 0.03).exponential
            return try #require(Quad(10, 10 * ratio, 10 * ratio, 10))
        }
        let effect = try #require(PairedEffect.of(list).value)
        #expect(abs(effect.ratio.logarithm - 0.02) < 1e-12)
        let half = 2.364624 * 0.010690450 / 8.0.squareRoot()
        #expect(abs(effect.high.logarithm - 0.02 - half) < 1e-8)
        #expect(abs(0.02 - effect.low.logarithm - half) < 1e-8)
        // Each arm repeats itself exactly within a quad: the control sees nothing.
        #expect(effect.figure.number == effect.ratio)
    }

    /// The session's own control differs by more than the arms do: the interval alone is not believed.
    @Test func anEffectUnderTheFloorIsNone() throws {
        let list = try (0..<8).map { index in
            // The later block of each arm is 4 % higher in every other quad: the arms differ by 1 % only.
            let up = index.isMultiple(of: 2) ? 1.04 : 1
            return try #require(Quad(10, 10.1, 10.1 * up, 10 * up))
        }
        let effect = try #require(PairedEffect.of(list).value)
        #expect(effect.low > 1 && effect.ratio < 1.011)
        #expect(effect.floor > 0.015)
        #expect(effect.verdict == .noDetectableDifference)
        #expect(effect.minimumDetectable >= effect.floor)
    }

    @Test func tooFewQuadsAndBadNumbersAreRefused() throws {
        #expect(PairedEffect.of(try quads(1.1, count: 7)).failure?.reason.contains("7 quads") == true)
        #expect(PairedEffect.of([]).value == nil)
        for bad in [0, -1, Double.nan, .infinity] { #expect(Quad(1, bad, 1, 1) == nil) }
    }

    /// METRICS "Comparing": blocks of three cycles with 2 % AR(1) noise and 5 % drift over the session.
    private func replay(_ ratio: Double, seed: UInt64) throws -> PairedEffect {
        var generator = SeededGenerator(seed: seed)
        func normal() -> Double { (0..<12).reduce(-6.0) { sum, _ in sum + generator.unit() } }
        var state = normal()
        func block(_ index: Int) -> Double {
            var sum = 0.0
            for cycle in 0..<4 {
                state = 0.4 * state + (1 - 0.4 * 0.4).squareRoot() * normal()
                // One generation is discarded after each switch.
                if cycle > 0 { sum += 1 + 0.02 * state }
            }
            return sum / 3 * (1 + 0.05 * Double(index) / 32)
        }
        let list = try (0..<8).map { quad in
            let values = (0..<4).map { block(4 * quad + $0) }
            return try #require(Quad(values[0], values[1] * ratio, values[2] * ratio, values[3]))
        }
        return try #require(PairedEffect.of(list).value)
    }

    @Test func replayedSessionsAreToldApart() throws {
        var (quiet, found, held) = (0, 0, 0)
        for seed in 0..<200 as Range<UInt64> {
            if try replay(1, seed: seed).verdict == .noDetectableDifference { quiet += 1 }
            let effect = try replay(1.03, seed: 1000 + seed)
            if effect.verdict == .different, effect.ratio > 1 { found += 1 }
            if effect.low <= 1.03, 1.03 <= effect.high { held += 1 }
        }
        #expect(quiet >= 184, "\(quiet)")
        #expect(found >= 180, "\(found)")
        #expect((181...198).contains(held), "\(held)")
    }

    @Test(arguments: [1e-300, 1e-9, 0.5, 0.999, 1, 1.0001, 2, 10, 12345.678, 1e300])
    func logarithmAndExponential(value: Double) {
        #expect(abs(value.logarithm.exponential / value - 1) < 1e-12)
    }

    @Test func knownLogarithms() {
        #expect(abs(10.0.logarithm - 2.302585092994046) < 1e-15)
        #expect(abs(1.0.exponential - 2.718281828459045) < 1e-15)
        #expect(1.0.logarithm == 0 && 0.0.exponential == 1)
        #expect(0.0.logarithm.isNaN && (-1.0).logarithm.isNaN && 800.0.exponential == .infinity)
        #expect((-800.0).exponential == 0)
        #expect(abs((StudentT.oneSided80(degreesOfFreedom: 7) ?? 0) - 0.896030) < 1e-4)
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let why) = self { why } else { nil } }
}
