import Testing

@testable import Analysis

@Suite struct StatisticsTests {
    /// From SciPy 1.17, `scipy.stats.t.ppf(0.975, n)`.
    @Test(arguments: [
        (1, 12.706_204_736), (2, 4.302_652_730), (7, 2.364_624_251), (20, 2.085_963_447), (21, 2.079_613_845),
        (30, 2.042_272_456), (60, 2.000_297_822), (1_000, 1.962_339_081),
    ])
    func studentFactors(degrees: Int, expected: Double) {
        #expect(abs((StudentT.twoSided95(degreesOfFreedom: degrees) ?? 0) - expected) < 1e-6)
    }

    @Test func noFactorWithoutADegreeOfFreedom() {
        #expect(StudentT.twoSided95(degreesOfFreedom: 0) == nil)
        #expect(StudentT.twoSided95(degreesOfFreedom: -3) == nil)
    }

    /// From NumPy, `numpy.quantile([1, 2, 4, 8, 16], q)`.
    @Test(arguments: [(0.0, 1.0), (0.1, 1.4), (0.5, 4), (0.9, 12.8), (0.99, 15.68), (1, 16)])
    func quantilesOfTypeSeven(probability: Double, expected: Double) {
        #expect(abs((Quantile.of([1, 2, 4, 8, 16], probability: probability) ?? 0) - expected) < 1e-12)
    }

    @Test func quantilesOfLittle() {
        #expect(Quantile.of([Int](), probability: 0.5) == nil)
        #expect(Quantile.of([3], probability: 0.99) == 3)
        #expect(Quantile.median(ofSorted: [1, 2, 3, 10]) == 2.5)
    }

    @Test func moments() {
        #expect(Moments.mean([Double]()) == nil)
        #expect(Moments.mean([1.0, 2, 3, 6]) == 3)
    }

    /// The published first outputs for seed 1234567 (Rosetta Code, "Pseudo-random numbers/Splitmix64").
    @Test func generatorKnownAnswers() {
        var random = SeededGenerator(seed: 1_234_567)
        #expect(
            (0..<3).map { _ in random.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
        var one = SeededGenerator(text: "run-a")
        var same = SeededGenerator(text: "run-a")
        var other = SeededGenerator(text: "run-b")
        let first = one.next()
        #expect(first == same.next() && first != other.next())
        #expect((0..<1_000).allSatisfy { _ in (0..<1).contains(one.unit()) })
    }

    /// With equal token counts of cycles that do not follow one another it is the t interval of the ratios:
    /// y = 1 to 8 in no order, mean 4.5, s = 2.449489743, t(7) = 2.364624, half width 2.047826 of 4.5.
    @Test func spreadOfEqualCyclesIsTheTInterval() throws {
        let pairs = [4.0, 1, 7, 2, 8, 3, 6, 5].map { (y: $0, x: 1.0) }
        let share = try RatioSpread.relativeHalfWidth(pairs).get()
        #expect(abs(share - 2.047_825 / 4.5) < 1e-5)
        let scaled = try RatioSpread.relativeHalfWidth(pairs.map { (y: $0.y, x: 10) }).get()
        #expect(abs(scaled - share) < 1e-12)
    }

    @Test func spreadOfTooFewOrEmptyCyclesIsUnavailable() {
        let seven = (1...7).map { (y: Double($0), x: 1.0) }
        #expect(RatioSpread.relativeHalfWidth(seven) == .failure(Unavailable("fewer than 8 cycles")))
        let zeros = (1...8).map { _ in (y: 0.0, x: 0.0) }
        #expect(RatioSpread.relativeHalfWidth(zeros) == .failure(Unavailable("a sum is 0")))
        let wide = RatioSpread.interval(around: 3, .success(1.5))
        #expect(wide == .unavailable(Unavailable("the cycles differ too much for an interval")))
    }

    /// 500 runs of 60 cycles with unequal tokens and independent noise: of the intervals that are given 95 %
    /// hold the truth (92 % to 97.6 % is what chance makes likely).
    @Test func intervalsHoldTheTruth() {
        var random = SeededGenerator(seed: 95)
        var given = 0
        var hits = 0
        for _ in 0..<500 {
            let pairs = (0..<60).map { _ in
                let tokens = 100 + 100 * random.unit()
                // A sum of twelve uniform numbers is nearly normal with variance 1.
                let noise = (0..<12).reduce(-6) { sum, _ in sum + random.unit() }
                return (y: tokens * 0.01 * (1 + 0.05 * noise), x: tokens)
            }
            let ratio = pairs.reduce(0) { $0 + $1.y } / pairs.reduce(0) { $0 + $1.x }
            let interval = RatioSpread.interval(around: 1 / ratio, RatioSpread.relativeHalfWidth(pairs))
            guard case .bounds(let low, let high) = interval else { continue }
            given += 1
            if (low...high).contains(100) { hits += 1 }
        }
        #expect(given > 450, "\(given)")
        let share = Double(hits) / Double(given)
        #expect((0.92...0.976).contains(share), "\(share)")
    }

    /// y = 2, 4, 5, 4, 5 over x = 1...5: slope 0.6, standard error 0.282842712, t(3) = 3.182446.
    @Test func lineThroughPoints() throws {
        let line = try #require(
            LineFit([2.0, 4, 5, 4, 5].enumerated().map { (x: Double($0.offset + 1), y: $0.element) }))
        #expect(abs(line.slope - 0.6) < 1e-12)
        #expect(abs(line.halfWidth - 0.282_842_712 * 3.182_446) < 1e-6)
        #expect(LineFit([(1, 1), (2, 2)]) == nil)
        #expect(LineFit([(1, 1), (1, 2), (1, 3)]) == nil)
    }

    @Test func numbersInTexts() {
        #expect(12.34.inTenths == "12.3")
        #expect((-0.04).inTenths == "0.0")
        #expect((-7.26).inTenths == "-7.3")
        #expect(599.96.inTenths == "600.0")
    }
}
