/// How a series in order of time is cut into blocks, so that neighbours that resemble each other are not taken
/// for independent observations (Künsch 1989, "The jackknife and the bootstrap for general stationary
/// observations"; Liu and Singh 1992).
struct MovingBlocks: Sendable, Hashable {
    /// Observations of the series.
    let count: Int
    /// Observations of a block: at least the autocorrelation time.
    let length: Int
    /// Blocks of finite length cut the correlations that reach over their edges: the variance they show times
    /// this is the whole.
    let restoration: Double

    /// Fewer blocks say too little of their own spread.
    static let fewest = 8

    /// - Parameter residuals: deviations from what is expected; their mean is taken to be 0.
    init(_ residuals: [Double]) {
        let correlations = Self.correlations(residuals)
        let time = 1 + 2 * correlations.reduce(0, +)
        count = residuals.count
        length = max(1, Int(time.rounded(.up)))
        var seen = 1.0
        for (index, correlation) in correlations.enumerated() where index + 1 < length {
            seen += 2 * (1 - Double(index + 1) / Double(length)) * correlation
        }
        restoration = time / seen
    }

    /// Of several series over the same observations the one that needs the longest blocks.
    static func longest(of series: [[Double]]) -> MovingBlocks? {
        series.map { MovingBlocks($0) }.max {
            ($0.length, $0.restoration) < ($1.length, $1.restoration)
        }
    }

    /// Blocks that fit side by side.
    var blocks: Int { count / length }

    /// Standard errors to either side that hold 95 %, for a standard error that the blocks themselves gave:
    /// Student's factor, the bias of a variance about its own mean, and what the blocks cut off.
    var factor: Result<Double, Unavailable> {
        guard blocks >= Self.fewest, let student = StudentT.twoSided95(degreesOfFreedom: blocks - 1) else {
            return .failure(
                Unavailable("insufficient: \(blocks) independent blocks of windows, under \(Self.fewest)"))
        }
        return .success(student * (Double(blocks) / Double(blocks - 1) * restoration).squareRoot())
    }

    /// The standard error of the series' sum over overlapping blocks: what a bootstrap of them comes to with
    /// ever more draws.
    func standardError(ofSum residuals: [Double]) -> Double {
        guard residuals.count == count, count >= length else { return 0 }
        var sum = residuals[..<length].reduce(0, +)
        var squares = sum * sum
        for end in length..<max(length, count) {
            sum += residuals[end] - residuals[end - length]
            squares += sum * sum
        }
        let starts = Double(count - length + 1)
        return (squares / starts * Double(count) / Double(length)).squareRoot()
    }

    /// Correlations by lag from 1 up to the first that is within the standard error of none.
    ///
    /// Taken about the series' own mean they come out too small by the autocorrelation time over the number of
    /// observations (Marriott and Pope 1954, to first order), which is added again.
    private static func correlations(_ residuals: [Double]) -> [Double] {
        let variance = residuals.reduce(0) { $0 + $1 * $1 }
        guard variance > 0 else { return [] }
        let chance = 1 / Double(residuals.count).squareRoot()
        var found: [Double] = []
        for lag in 1..<max(2, residuals.count / 4) {
            var products = 0.0
            for index in lag..<max(lag, residuals.count) {
                products += residuals[index] * residuals[index - lag]
            }
            let correlation = products / variance
            guard correlation > chance else { break }
            found.append(correlation)
        }
        let time = 1 + 2 * found.reduce(0, +)
        return found.map { $0 + time / Double(residuals.count) }
    }
}

/// Draws of a moving block bootstrap: how often each observation is in each draw.
struct BlockDraws: Sendable, Hashable {
    let blocks: MovingBlocks
    let number: Int
    /// Draw by draw, observation by observation.
    private let counts: [Double]

    /// - Parameter generator: the same seed draws the same.
    init(_ blocks: MovingBlocks, number: Int, using generator: inout SeededGenerator) {
        self.blocks = blocks
        self.number = number
        var counts = [Double](repeating: 0, count: number * blocks.count)
        let starts = UInt64(max(1, blocks.count - blocks.length + 1))
        for draw in 0..<number {
            var left = blocks.count
            while left > 0 {
                let start = Int(generator.next() % starts)
                for offset in 0..<min(blocks.length, left) {
                    counts[draw * blocks.count + start + offset] += 1
                }
                left -= blocks.length
            }
        }
        self.counts = counts
    }

    /// How often each observation is in one draw.
    func counts(of draw: Int) -> ArraySlice<Double> {
        counts[draw * blocks.count..<(draw + 1) * blocks.count]
    }
}
