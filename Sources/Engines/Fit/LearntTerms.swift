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
        let onBuild = input.history.filter { $0.engine == engine }
        // Runs of the same model say more than any other, once there are two that differ.
        let ofModel = onBuild.filter { $0.artifact == input.artifact }
        let asked = FitTerms.compute(input)
        let points = (Self.differ(ofModel) ? ofModel : onBuild)
            .filter { $0.sizedCompute.origin == asked.origin }.map(Self.point)
        guard !points.isEmpty else { return nil }
        let compute = Self.filled(asked, input.parameters)
        let line = Self.fit(points, towards: compute)
        let worst = points.map { $0.rest - line.fixed - line.scale * $0.compute }.max() ?? 0
        fixedBytes = UInt64(1).scaled(max(0, line.fixed))
        transientBytes = UInt64(1).scaled(max(0, worst))
        computeBytes = UInt64(1).scaled(line.scale * compute)
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

    /// The line through the points. Of points at one place a slope is not known: then further compute is taken
    /// to be used in full, and less of it to save nothing.
    private static func fit(_ points: [Point], towards asked: Double) -> (fixed: Double, scale: Double) {
        let count = Double(points.count)
        let meanX = points.reduce(0) { $0 + $1.compute } / count
        let meanY = points.reduce(0) { $0 + $1.rest } / count
        let spread = points.reduce(0) { $0 + ($1.compute - meanX) * ($1.compute - meanX) }
        guard spread > 1e-6 * max(1, meanX * meanX) else {
            return asked > meanX ? (max(0, meanY - meanX), 1) : (max(0, meanY), 0)
        }
        let slope = points.reduce(0) { $0 + ($1.compute - meanX) * ($1.rest - meanY) } / spread
        if slope <= 0 { return (max(0, meanY), 0) }
        let fixed = meanY - slope * meanX
        if fixed >= 0 { return (fixed, slope) }
        let squares = points.reduce(0) { $0 + $1.compute * $1.compute }
        return (0, max(0, points.reduce(0) { $0 + $1.compute * $1.rest } / squares))
    }
}
