/// Energy over one or many windows with its bounds.
public struct EnergyEstimate: Sendable, Hashable {
    public var joules: Double
    /// Bounds from the counter and the edges of the windows; how much the work itself varies is not in them.
    public var low: Double
    public var high: Double
    /// "counter at edges", "integrated, averaging time 1 s".
    public var method: String

    public init(joules: Double, low: Double, high: Double, method: String) {
        self.joules = joules
        self.low = low
        self.high = high
        self.method = method
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
        return EnergyEstimate(
            joules: joules, low: joules - below.squareRoot(), high: joules + above.squareRoot(),
            method: methods.joined(separator: " + "))
    }
}

/// Adds windows up from their edges.
///
/// The error of an edge has two parts. Where in its update period an edge falls differs from window to window:
/// these errors are independent, each even over its half width, and add in quadrature (1.96 / sqrt 3 of it for
/// 95 %, but never more than their plain sum). A counter whose updates keep step with the reads is off by the
/// same time at every edge: that part moves energy across each edge by the difference of the powers on its two
/// sides, and adds up over the windows.
struct EdgeSum {
    private(set) var joules = 0.0
    private var plain = 0.0
    private var squares = 0.0
    private var early = 0.0
    private var late = 0.0
    private var open: (edge: CounterCurve.Edge, moment: Instant)?

    mutating func add(from begin: CounterCurve.Edge, _ beginMoment: Instant, to end: CounterCurve.Edge, _ endMoment: Instant) {
        joules += end.joules - begin.joules
        if let last = open {
            join(last.edge, begin, gap: (beginMoment - last.moment).seconds.value)
        } else {
            term(begin.half)
            shift(begin, sign: -1)
        }
        open = (end, endMoment)
    }

    /// A short gap between windows cannot hide more energy than was drawn in it, however unsure its edges are.
    private mutating func join(_ end: CounterCurve.Edge, _ begin: CounterCurve.Edge, gap: Double) {
        let most = max(end.before, end.after, begin.before, begin.after) * max(gap, 0)
        term(min((end.half * end.half + begin.half * begin.half).squareRoot(), most))
        early += limited(end.timing * end.before - begin.timing * begin.before, most)
        late += limited(end.timing * end.after - begin.timing * begin.after, most)
    }

    private func limited(_ value: Double, _ limit: Double) -> Double { min(max(value, -limit), limit) }

    private mutating func term(_ half: Double) {
        plain += half
        squares += half * half
    }

    private mutating func shift(_ edge: CounterCurve.Edge, sign: Double) {
        early += sign * edge.timing * edge.before
        late += sign * edge.timing * edge.after
    }

    /// 95 % half width of the sum.
    mutating func half() -> Double {
        if let last = open {
            term(last.edge.half)
            shift(last.edge, sign: 1)
            open = nil
        }
        let independent = min(plain, 1.96 / 3.0.squareRoot() * squares.squareRoot())
        return independent + max(abs(early), abs(late))
    }
}
