/// Energy over one or many windows with its bounds.
public struct EnergyEstimate: Sendable, Hashable {
    public var joules: Double
    /// Bounds from the counter and the edges of the windows; how much the work itself varies is not in them.
    public var low: Double
    public var high: Double
    /// "counter at edges", "integrated, averaging time 1 s".
    public var method: String
    /// The energy of each window, joules; their spread tells how much the work varies.
    public var windows: [Double]

    public init(joules: Double, low: Double, high: Double, method: String, windows: [Double]) {
        self.joules = joules
        self.low = low
        self.high = high
        self.method = method
        self.windows = windows
    }

    /// The wider side of the bounds.
    public var half: Double { max(high - joules, joules - low) }

    /// As a figure, divided by `divisor`.
    public func figure(per divisor: Double = 1) -> Figure {
        Figure(joules / divisor, .bounds(low: low / divisor, high: high / divisor), method: method)
    }

    /// The sum over sources: their errors have nothing to do with each other, so that they add in quadrature.
    public static func sum(_ parts: [EnergyEstimate]) -> EnergyEstimate {
        let joules = parts.reduce(0) { $0 + $1.joules }
        let below = parts.reduce(0) { $0 + ($1.joules - $1.low) * ($1.joules - $1.low) }
        let above = parts.reduce(0) { $0 + ($1.high - $1.joules) * ($1.high - $1.joules) }
        var methods: [String] = []
        for part in parts where !methods.contains(part.method) { methods.append(part.method) }
        var windows = parts.first?.windows ?? []
        for part in parts.dropFirst() {
            for index in windows.indices where index < part.windows.count {
                windows[index] += part.windows[index]
            }
        }
        return EnergyEstimate(
            joules: joules, low: joules - below.squareRoot(), high: joules + above.squareRoot(),
            method: methods.joined(separator: " + "), windows: windows)
    }
}

/// Adds windows up from their edges.
///
/// The error of an edge has three parts. Where in its update period the counter stands differs from edge to
/// edge: these errors are independent, each even over its half width, and add in quadrature (1.96 / sqrt 3 of
/// it for 95 %, but never more than their plain sum). A counter whose updates keep step with the reads, or a
/// gauge that tells of the time before, is off by the same time at every edge: that moves energy across each
/// edge and adds up over the windows with its sign. What is not known of the phases' powers may be wrong in
/// the same direction at every edge, and adds up plainly.
struct EdgeSum {
    private var plain = 0.0
    private var squares = 0.0
    private var systematic = 0.0
    private var early = 0.0
    private var late = 0.0
    private var open: (edge: CurveEdge, moment: Instant)?

    mutating func add(_ begin: CurveEdge, at start: Instant, _ end: CurveEdge, at stop: Instant) {
        if let last = open {
            join(last.edge, begin, gap: (start - last.moment).seconds.value)
        } else {
            term(begin.half)
            systematic += begin.systematic
            early -= begin.after
            late -= begin.before
        }
        open = (end, stop)
    }

    /// A short gap between windows cannot hide more energy than was drawn in it, however unsure its edges
    /// are.
    private mutating func join(_ end: CurveEdge, _ begin: CurveEdge, gap: Double) {
        let most = max(end.power, begin.power) * max(gap, 0)
        term(min((end.half * end.half + begin.half * begin.half).squareRoot(), most))
        systematic += min(end.systematic + begin.systematic, most)
        early += min(max(end.after - begin.after, -most), most)
        late += min(max(end.before - begin.before, -most), most)
    }

    private mutating func term(_ half: Double) {
        plain += half
        squares += half * half
    }

    /// 95 % half width of the sum.
    func half() -> Double {
        var whole = self
        if let last = open {
            whole.term(last.edge.half)
            whole.systematic += last.edge.systematic
            whole.early += last.edge.after
            whole.late += last.edge.before
        }
        let independent = min(whole.plain, 1.96 / 3.0.squareRoot() * whole.squares.squareRoot())
        return independent + whole.systematic + max(abs(whole.early), abs(whole.late))
    }
}
