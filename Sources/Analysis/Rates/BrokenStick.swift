/// A rate that holds one level, moves to another along a straight line, and stays there.
///
/// A throttled machine steps (the line has no length) or slides; one that is not throttled has two levels
/// that do not differ.
struct BrokenStick: Sendable, Hashable {
    var before: Double
    var after: Double
    /// Where the first level ends and where the second begins, seconds since t = 0; equal for a step.
    var bend: Double
    var settled: Double
    /// Sum of the squared residuals.
    var residual: Double

    /// The rate at a moment.
    func rate(at time: Double) -> Double {
        if time <= bend { return before }
        if time >= settled { return after }
        return before + (after - before) * (time - bend) / (settled - bend)
    }

    /// When the rate goes under a level that the second level is under; nil when it is not. At the bend where
    /// the first level is under it too.
    func crossing(of level: Double) -> Double? {
        guard after < level else { return nil }
        guard before > level else { return bend }
        return bend + (settled - bend) * (before - level) / (before - after)
    }
}

/// Least squares of broken sticks over a series of blocks, each block of the same weight.
///
/// The two bends lie at edges of blocks; for each pair of edges the levels are those of a linear regression,
/// whose sums come out of running sums. So all pairs together cost the square of the number of blocks.
struct BrokenStickFit: Sendable {
    private let origin: Double
    /// Begin of each block and end of the last, seconds since `origin`.
    private var edges: [Double] = []
    /// Running sums over the blocks before: middle, its square, rate, middle x rate.
    private var times: [Double] = [0]
    private var squares: [Double] = [0]
    private var rates: [Double] = [0]
    private var products: [Double] = [0]
    private var rateSquares = 0.0

    let count: Int

    init(_ blocks: [RateSeries.Block]) {
        count = blocks.count
        origin = blocks.first?.begin ?? 0
        for block in blocks {
            let middle = block.middle - origin
            edges.append(block.begin - origin)
            times.append(times[times.count - 1] + middle)
            squares.append(squares[squares.count - 1] + middle * middle)
            rates.append(rates[rates.count - 1] + block.rate)
            products.append(products[products.count - 1] + middle * block.rate)
            rateSquares += block.rate * block.rate
        }
        edges.append((blocks.last?.end ?? origin) - origin)
    }

    /// Calls `body` with the best levels for every pair of edges.
    ///
    /// - Parameter plateau: how many blocks the first level holds at least.
    func forEach(plateau: Int, _ body: (BrokenStick) -> Void) {
        for first in max(1, plateau)..<max(1, plateau, count) {
            for last in first...count {
                if let stick = solve(first, last) { body(stick) }
            }
        }
    }

    func best(plateau: Int) -> BrokenStick? {
        var best: BrokenStick?
        forEach(plateau: plateau) { stick in
            if stick.residual < best?.residual ?? .infinity { best = stick }
        }
        return best
    }

    /// - Parameters: the block at whose begin the line begins, and the one at whose begin it ends.
    private func solve(_ first: Int, _ last: Int) -> BrokenStick? {
        let sloped = Double(last - first)
        var share = 0.0
        var shareSquare = 0.0
        var shareRate = 0.0
        if last > first {
            let start = edges[first]
            let length = edges[last] - start
            guard length > 0 else { return nil }
            let time = times[last] - times[first]
            let square = squares[last] - squares[first]
            share = (time - sloped * start) / length
            shareSquare = (square - 2 * start * time + sloped * start * start) / (length * length)
            shareRate = (products[last] - products[first] - start * (rates[last] - rates[first])) / length
        }
        // Normal equations of rate = before x (1 - share) + after x share.
        let ownBefore = Double(first) + sloped - 2 * share + shareSquare
        let ownAfter = Double(count - last) + shareSquare
        let both = share - shareSquare
        let withBefore = rates[last] - shareRate
        let withAfter = rates[count] - rates[last] + shareRate
        let determinant = ownBefore * ownAfter - both * both
        guard determinant > 1e-9 * ownBefore else { return nil }
        let before = (withBefore * ownAfter - withAfter * both) / determinant
        let after = (withAfter * ownBefore - withBefore * both) / determinant
        return BrokenStick(
            before: before, after: after, bend: origin + edges[first], settled: origin + edges[last],
            residual: max(0, rateSquares - before * withBefore - after * withAfter))
    }
}
