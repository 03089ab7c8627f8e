import Analysis

/// The fixed, transient and compute terms as finished runs of the same engine's build show them.
///
/// What a peak holds beyond weights, caches and tokenizer is taken as fixed + scale x compute, by least squares
/// without negative parts; the worst that a run exceeded this by is the transient. So no run that was learnt
/// from would have been under.
struct LearntTerms: Sendable, Hashable {
    var fixedBytes: UInt64
    var transientBytes: UInt64
    var computeBytes: UInt64
    /// Runs learnt from.
    var runs: Int

    /// nil while no run of the build is known.
    init?(_ input: FitInput) {
        guard let engine = input.engine else { return nil }
        // What a driver and its libraries take is not there without a board.
        let usesBoards = input.parameters.gpuLayers != 0
        let onBuild = input.history.filter {
            $0.engine == engine && ($0.parameters.gpuLayers != 0) == usesBoards
        }
        // Runs of the same model say more than any other, once there are two that differ.
        let ofModel = onBuild.filter { $0.artifact == input.artifact }
        let asked = FitTerms.compute(input)
        let points = (Self.differ(ofModel) ? ofModel : onBuild)
            .filter { $0.sizedCompute.origin == asked.origin }.map(Self.point)
        guard !points.isEmpty else { return nil }
        let compute = Self.filled(asked, input.parameters)
        let line = Line(points)
        let worst = points.map { $0.rest - line.value(at: $0.compute) }.max() ?? 0
        fixedBytes = UInt64(1).scaled(line.value(at: 0))
        transientBytes = UInt64(1).scaled(worst)
        computeBytes = UInt64(1).scaled(line.value(at: compute) - line.value(at: 0))
        runs = points.count
    }

    /// A run's compute buffer, as far as its batches fill it, and what its peak held beside all that is known.
    private struct Point {
        var compute: Double
        var rest: Double
    }

    private static func differ(_ runs: [FitObservation]) -> Bool {
        Set(runs.map { $0.parameters.contextTokens }).count > 1
    }

    private static func point(_ run: FitObservation) -> Point {
        let unlearnt: [FitTerm.Name] = [.compute, .fixed, .transient]
        let known = run.terms.filter { !unlearnt.contains($0.name) }
        return Point(
            compute: filled(run.sizedCompute, run.parameters),
            rest: Double(run.peakBytes) - Double(UInt64.saturatingSum(known.map(\.bytes))))
    }

    /// A compute buffer as far as the largest batch fills it.
    private static func filled(_ compute: FitTerm, _ parameters: FitParameters) -> Double {
        Double(compute.bytes) * Double(parameters.stepTokens) / Double(max(1, parameters.microBatchTokens))
    }

    /// fixed + scale x compute, neither of them negative.
    ///
    /// Beyond the largest compute that was seen all more of it is taken to be used, below the smallest no more is
    /// saved than there is less; where all are alike, none is saved. The runs may have used little of theirs.
    private struct Line {
        let fixed: Double
        let scale: Double
        let seen: ClosedRange<Double>

        init(_ points: [Point]) {
            let count = Double(points.count)
            let (xs, ys) = (points.map(\.compute), points.map(\.rest))
            let (meanX, meanY) = (xs.reduce(0, +) / count, ys.reduce(0, +) / count)
            let spread = xs.reduce(0) { $0 + ($1 - meanX) * ($1 - meanX) }
            let slope =
                spread > 1e-6 * max(1, meanX * meanX)
                ? zip(xs, ys).reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) } / spread : 0
            seen = (xs.min() ?? 0)...(xs.max() ?? 0)
            if slope <= 0 {
                (fixed, scale) = (max(0, meanY), 0)
            } else if meanY >= slope * meanX {
                (fixed, scale) = (meanY - slope * meanX, slope)
            } else {
                let squares = xs.reduce(0) { $0 + $1 * $1 }
                (fixed, scale) = (0, max(0, zip(xs, ys).reduce(0) { $0 + $1.0 * $1.1 } / squares))
            }
        }

        func value(at compute: Double) -> Double {
            let inside = min(max(compute, seen.lowerBound), seen.upperBound)
            let beyond = max(0, compute - seen.upperBound) * max(1, scale)
            let below = max(0, seen.lowerBound - compute) * min(1, scale)
            return max(0, fixed + scale * inside + beyond - below)
        }
    }
}
