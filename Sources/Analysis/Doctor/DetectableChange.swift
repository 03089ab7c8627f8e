/// What limits the mean power that a source tells over a run.
public struct PowerPrecision: Sendable, Hashable {
    /// Joules by which a counter advances at least; 0 for a gauge.
    public var step: Double
    /// Watts between two values that a gauge can show; 0 for a counter.
    public var rounding: Double
    /// Joules drawn in one update period (or averaging time): what is not known of the energy at each edge.
    public var edge: Double
    /// Variance of the mean power of a block, watts squared, and how many blocks of how many seconds told it.
    public var noise: Double
    public var blocks: Int
    public var blockSeconds: Double

    public init(
        step: Double, rounding: Double, edge: Double, noise: Double, blocks: Int, blockSeconds: Double
    ) {
        self.step = step
        self.rounding = rounding
        self.edge = edge
        self.noise = noise
        self.blocks = blocks
        self.blockSeconds = blockSeconds
    }

    /// The smallest change of mean watts between two runs of `seconds` that a 95 % interval tells from none.
    ///
    /// The mean of a run is (E2 - E1) / T. A counter shows energy rounded down to its step q: the error of each
    /// edge is even over q, variance q^2 / 12, and there are two. The moment of its last update is unknown by
    /// a period p, which at power P makes an error even over e = P p at each edge. A gauge rounds each reading to
    /// r; a steady power is rounded alike each time, so that the mean keeps r^2 / 12. Power itself
    /// fluctuates: if blocks of b seconds have the variance s^2, the mean of T seconds has s^2 b / T. The
    /// difference of two runs has twice the variance of one. With z = 1.96, and t for the part that
    /// n blocks told (n - 1 degrees of freedom):
    ///
    ///     sqrt(z^2 (q^2 + e^2) / (3 T^2) + z^2 r^2 / 6 + 2 t^2 s^2 b / T)
    ///
    /// Nil with fewer than two blocks or without a length.
    public func smallestChange(over seconds: Double) -> Double? {
        guard seconds > 0, let t = StudentT.twoSided95(degreesOfFreedom: blocks - 1) else { return nil }
        let z = 1.959_963_984_540_054
        let edges = z * z * (step * step + edge * edge) / (3 * seconds * seconds)
        let rounded = z * z * rounding * rounding / 6
        let fluctuation = 2 * t * t * max(0, noise) * blockSeconds / seconds
        return (edges + rounded + fluctuation).squareRoot()
    }
}
