/// Sums of products of a few columns and what they are to explain: all that least squares need to know of
/// their rows.
///
/// Kept flat, so that sums of a thousand cycles are sums of arrays: the lower triangle of X'X, then X'y, then
/// y'y.
struct NormalEquations: Sendable {
    let columns: Int
    var sums: [Double]

    static func width(_ columns: Int) -> Int { columns * (columns + 1) / 2 + columns + 1 }

    init(columns: Int) {
        self.columns = columns
        sums = [Double](repeating: 0, count: Self.width(columns))
    }

    static func position(_ row: Int, _ column: Int) -> Int {
        row >= column ? row * (row + 1) / 2 + column : column * (column + 1) / 2 + row
    }

    /// Where X'y begins in `sums`.
    var vector: Int { columns * (columns + 1) / 2 }
    /// X'y of one column.
    func product(_ column: Int) -> Double { sums[vector + column] }
    /// X'X of two columns.
    func gram(_ row: Int, _ column: Int) -> Double { sums[Self.position(row, column)] }

    /// A pivot below this share of its own column's square is no pivot: the column is a sum of the others.
    private static let smallestPivot = 1e-9

    /// The lower triangle of Cholesky's factor of X'X, in the order of `sums`; nil where columns depend on
    /// one another.
    private func factored() -> [Double]? {
        var factor = [Double](repeating: 0, count: vector)
        for row in 0..<columns {
            for column in 0...row {
                var left = gram(row, column)
                for inner in 0..<column {
                    left -= factor[Self.position(row, inner)] * factor[Self.position(column, inner)]
                }
                if row == column {
                    guard left > Self.smallestPivot * gram(row, row), left > 0 else { return nil }
                    factor[Self.position(row, row)] = left.squareRoot()
                } else {
                    factor[Self.position(row, column)] = left / factor[Self.position(column, column)]
                }
            }
        }
        return factor
    }

    /// X'X solved for a right side.
    private func solve(_ right: [Double], _ factor: [Double]) -> [Double] {
        var result = right
        for row in 0..<columns {
            for inner in 0..<row { result[row] -= factor[Self.position(row, inner)] * result[inner] }
            result[row] /= factor[Self.position(row, row)]
        }
        for row in (0..<columns).reversed() {
            for inner in row + 1..<max(row + 1, columns) {
                result[row] -= factor[Self.position(inner, row)] * result[inner]
            }
            result[row] /= factor[Self.position(row, row)]
        }
        return result
    }

    /// The coefficients and the sum of squares that they leave; nil where columns depend on one another.
    func solution() -> (coefficients: [Double], residual: Double)? {
        guard let factor = factored() else { return nil }
        let right = Array(sums[vector..<vector + columns])
        let coefficients = solve(right, factor)
        let explained = zip(coefficients, right).reduce(0) { $0 + $1.0 * $1.1 }
        return (coefficients, max(0, sums[vector + columns] - explained))
    }

    /// The inverse of X'X by rows; nil where columns depend on one another.
    func inverse() -> [[Double]]? {
        guard let factor = factored() else { return nil }
        return (0..<columns).map { column in
            solve((0..<columns).map { $0 == column ? 1 : 0 }, factor)
        }
    }

    /// The condition number of X with columns scaled to length 1 (Belsley, Kuh, Welsch 1980, "Regression
    /// Diagnostics", chapter 3: from 30 on, what belongs to which column is no longer told by the data);
    /// infinite where columns depend on one another.
    var condition: Double {
        var matrix = (0..<columns).map { row in
            (0..<columns).map { column in
                gram(row, column) / (gram(row, row) * gram(column, column)).squareRoot()
            }
        }
        guard matrix.allSatisfy({ $0.allSatisfy(\.isFinite) }) else { return .infinity }
        Self.diagonalize(&matrix)
        let values = matrix.indices.map { matrix[$0][$0] }
        guard let largest = values.max(), let smallest = values.min(), smallest > 0 else { return .infinity }
        return (largest / smallest).squareRoot()
    }

    /// Jacobi's rotations (Golub and Van Loan, "Matrix Computations", section 8.5): a few sweeps leave the
    /// eigenvalues of a small symmetric matrix on its diagonal.
    private static func diagonalize(_ matrix: inout [[Double]]) {
        let sweeps = 12
        for _ in 0..<sweeps {
            for row in matrix.indices {
                for column in row + 1..<max(row + 1, matrix.count) where abs(matrix[row][column]) > 1e-15 {
                    let theta = (matrix[column][column] - matrix[row][row]) / (2 * matrix[row][column])
                    let tangent = (theta < 0 ? -1 : 1) / (abs(theta) + (theta * theta + 1).squareRoot())
                    let cosine = 1 / (tangent * tangent + 1).squareRoot()
                    rotate(&matrix, row, column, cosine: cosine, sine: tangent * cosine)
                }
            }
        }
    }

    private static func rotate(
        _ matrix: inout [[Double]], _ row: Int, _ column: Int, cosine: Double, sine: Double
    ) {
        for index in matrix.indices {
            let (left, right) = (matrix[index][row], matrix[index][column])
            matrix[index][row] = cosine * left - sine * right
            matrix[index][column] = sine * left + cosine * right
        }
        for index in matrix.indices {
            let (upper, lower) = (matrix[row][index], matrix[column][index])
            matrix[row][index] = cosine * upper - sine * lower
            matrix[column][index] = sine * upper + cosine * lower
        }
    }
}
