/// A straight line through points by least squares.
struct LineFit {
    /// Change of y for a unit of x.
    let slope: Double
    /// Half the width of the slope's 95 % interval, from the residuals taken as independent.
    let halfWidth: Double
    private let middle: (x: Double, y: Double)

    func value(at x: Double) -> Double { middle.y + slope * (x - middle.x) }

    /// Nil for fewer than three points or where all x are equal.
    init?(_ points: [(x: Double, y: Double)]) {
        guard points.count > 2, let factor = StudentT.twoSided95(degreesOfFreedom: points.count - 2) else {
            return nil
        }
        let count = Double(points.count)
        let meanX = points.reduce(0) { $0 + $1.x } / count
        let meanY = points.reduce(0) { $0 + $1.y } / count
        let squares = points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
        guard squares > 0 else { return nil }
        let slope = points.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) } / squares
        let residuals = points.reduce(0) { sum, point in
            let residual = point.y - meanY - slope * (point.x - meanX)
            return sum + residual * residual
        }
        self.slope = slope
        middle = (meanX, meanY)
        halfWidth = factor * (residuals / (count - 2) / squares).squareRoot()
    }
}
