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
