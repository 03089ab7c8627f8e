import Testing

@testable import Analysis

@Suite struct NormalEquationsTests {
    private func equations(_ rows: [(x: [Double], y: Double)]) -> NormalEquations {
        var result = NormalEquations(columns: rows[0].x.count)
        for (x, y) in rows {
            for row in x.indices {
                for column in 0...row {
                    result.sums[NormalEquations.position(row, column)] += x[row] * x[column]
                }
                result.sums[result.vector + row] += x[row] * y
            }
            result.sums[result.vector + x.count] += y * y
        }
        return result
    }

    /// y = 2 a + 3 b - c through four points without error, then with one of 1 at right angles to all
    /// columns.
    @Test func knownCoefficients() throws {
        let exact = equations([([1, 0, 0], 2), ([0, 1, 0], 3), ([0, 0, 1], -1), ([1, 1, 1], 4)])
        let found = try #require(exact.solution())
        for (value, truth) in zip(found.coefficients, [2.0, 3, -1]) { #expect(abs(value - truth) < 1e-12) }
        #expect(found.residual < 1e-12)
        let off = equations([([1, 0], 2), ([0, 1], 3), ([0, 0], 1)])
        #expect(abs(try #require(off.solution()).residual - 1) < 1e-12)
    }

    /// Two columns whose angle has the cosine r: sqrt((1 + r) / (1 - r)), whatever their lengths.
    @Test(arguments: [0.0, 0.6, 0.8, 0.96])
    func knownCondition(cosine: Double) {
        let sine = (1 - cosine * cosine).squareRoot()
        for length in [1.0, 1000] {
            let found = equations([([1, cosine * length], 0), ([0, sine * length], 0)]).condition
            #expect(abs(found - ((1 + cosine) / (1 - cosine)).squareRoot()) < 1e-9)
        }
    }

    @Test func columnsThatDependOnOneAnother() {
        let equal = equations([([1, 2], 1), ([2, 4], 2), ([3, 6], 3)])
        #expect(equal.solution() == nil && equal.inverse() == nil)
        #expect(equal.condition > 1e6)
        let absent = equations([([1, 0], 1), ([2, 0], 2)])
        #expect(absent.solution() == nil && absent.condition == .infinity)
    }

    @Test func inverseTimesMatrixIsOne() throws {
        let made = equations([([2, 1, 0], 0), ([1, 3, 1], 0), ([0, 1, 4], 0)])
        let inverse = try #require(made.inverse())
        for row in 0..<3 {
            for column in 0..<3 {
                let product = (0..<3).reduce(0) { $0 + made.gram(row, $1) * inverse[$1][column] }
                #expect(abs(product - (row == column ? 1 : 0)) < 1e-12)
            }
        }
    }
}

@Suite struct MovingBlocksTests {
    @Test func independentValuesAreBlocksOfOne() throws {
        let residuals = (0..<16).map { $0.isMultiple(of: 2) ? 1.0 : -1 }
        let blocks = MovingBlocks(residuals)
        #expect(blocks.length == 1 && blocks.blocks == 16 && blocks.restoration == 1)
        #expect(abs(blocks.standardError(ofSum: residuals) - 4) < 1e-12)
        #expect(abs(try blocks.factor.get() - 2.131_450 * (16.0 / 15).squareRoot()) < 1e-6)
    }

    @Test func neighboursAlikeMakeLongBlocks() {
        // Runs of five equal values: about five in a block, and the variance that follows.
        let residuals = (0..<400).map { ($0 / 5) % 4 < 2 ? 1.0 : -1 }
        let blocks = MovingBlocks(residuals)
        #expect(blocks.length >= 5)
        #expect(blocks.blocks == 400 / blocks.length)
        #expect(
            MovingBlocks((0..<40).map { Double($0) - 19.5 }).factor.reason?.hasPrefix("insufficient") == true)
        #expect(MovingBlocks([]).factor.reason != nil)
        #expect(MovingBlocks.longest(of: [(0..<400).map { Double($0 % 2) - 0.5 }, residuals]) == blocks)
    }

    @Test func drawsHoldAsManyAsThereAre() {
        let blocks = MovingBlocks((0..<103).map { ($0 / 4) % 2 == 0 ? 1.0 : -1 })
        #expect(blocks.length > 1)
        var one = SeededGenerator(text: "a")
        var same = SeededGenerator(text: "a")
        var other = SeededGenerator(text: "b")
        let draws = BlockDraws(blocks, number: 20, using: &one)
        #expect(draws == BlockDraws(blocks, number: 20, using: &same))
        #expect(draws != BlockDraws(blocks, number: 20, using: &other))
        for draw in 0..<20 { #expect(draws.counts(of: draw).reduce(0, +) == 103) }
    }

    /// A bootstrap of a sum comes to what overlapping blocks give at once.
    @Test func drawsSpreadAsTheirLimit() {
        var random = SeededGenerator(seed: 5)
        var state = 0.0
        let values = (0..<200).map { _ in
            state = 0.5 * state + random.unit() - 0.5
            return state
        }
        let mean = values.reduce(0, +) / 200
        let residuals = values.map { $0 - mean }
        let blocks = MovingBlocks(residuals)
        let draws = BlockDraws(blocks, number: 4000, using: &random)
        let sums = (0..<4000).map { draw in
            zip(draws.counts(of: draw), residuals).reduce(0) { $0 + $1.0 * $1.1 }
        }
        let spread = (Moments.variance(sums) ?? 0).squareRoot()
        #expect(abs(spread / blocks.standardError(ofSum: residuals) - 1) < 0.06)
    }
}
