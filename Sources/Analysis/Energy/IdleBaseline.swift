/// The power below the work: of the idle machine, or of the machine with the model resident.
public struct IdleBaseline: Sendable, Hashable {
    public var watts: Double
    /// 95 % half width. It is systematic: an error of the baseline is the same in every window, so that it
    /// scales with their seconds and does not shrink with their number.
    public var half: Double
    /// "idle before and after", "idle_before only".
    public var method: String

    public init(watts: Double, half: Double, method: String) {
        self.watts = watts
        self.half = half
        self.method = method
    }

    public var figure: Figure {
        Figure(watts, .bounds(low: watts - half, high: watts + half), method: method)
    }

    /// Idle before and after the work: their mean; its half width is the blocks' spread and half the
    /// difference of the two. With one of them alone the spread is doubled and the method says so.
    ///
    /// - Parameters:
    ///   - before, after: nil where the run has no such window.
    ///   - contention: what another program did meanwhile; named in every net figure.
    static func idle(
        _ ledger: EnergyLedger, before: Span?, after: Span?, contention: String?
    ) -> Result<IdleBaseline, Unavailable> {
        let first =
            before.map { level(ledger, $0) } ?? .failure(Unavailable("no idle window before the work"))
        let second = after.map { level(ledger, $0) } ?? .failure(Unavailable("no idle window after the work"))
        let warning = contention.map { ", unreliable: \($0)" } ?? ""
        switch (first, second) {
        case (.success(let first), .success(let second)):
            let drift = abs(first.watts - second.watts) / 2
            let spread = (first.half * first.half + second.half * second.half).squareRoot() / 2
            return .success(
                IdleBaseline(
                    watts: (first.watts + second.watts) / 2,
                    half: (spread * spread + drift * drift).squareRoot(),
                    method: "idle before and after" + warning))
        case (.success(let only), .failure):
            return .success(only.alone("idle_before only" + warning))
        case (.failure, .success(let only)):
            return .success(only.alone("idle_after only" + warning))
        case (.failure(let why), .failure):
            return .failure(before == nil && after == nil ? Unavailable("no idle window") : why)
        }
    }

    /// The machine with the model resident and no work.
    static func loaded(_ ledger: EnergyLedger, _ phase: PhaseSpans) -> Result<IdleBaseline, Unavailable> {
        guard let longest = phase.spans.max(by: { $0.seconds < $1.seconds }) else {
            return .failure(Unavailable("no loaded_idle window"))
        }
        return level(ledger, longest).map {
            IdleBaseline(watts: $0.watts, half: $0.half, method: "loaded_idle")
        }
    }

    private func alone(_ method: String) -> IdleBaseline {
        IdleBaseline(watts: watts, half: 2 * half, method: method)
    }
}

extension IdleBaseline {
    private static let periodsNeeded = 20.0
    /// Blocks of a window of 20 update periods are two and a half periods long.
    private static let blocks = MovingBlocks.fewest

    /// Mean power of one window; its half width is the spread of its blocks and what its edges are unsure by.
    private static func level(_ ledger: EnergyLedger, _ span: Span) -> Result<IdleBaseline, Unavailable> {
        let period = ledger.slowestPeriod ?? 0
        let needed = periodsNeeded * period
        guard span.seconds > 0, span.seconds >= needed else {
            return .failure(
                Unavailable(
                    "the idle window lasts \(short(span.seconds)) s, under 20 update periods of "
                        + "\(short(period)) s: it takes --idle \(Int(min(needed, 1e9).rounded(.up)))"))
        }
        return ledger.energy(over: [span], judged: false).flatMap { whole in
            let edges = whole.half / span.seconds
            return blockSpread(ledger, span).map { spread in
                IdleBaseline(
                    watts: whole.joules / span.seconds, half: (edges * edges + spread * spread).squareRoot(),
                    method: whole.method)
            }
        }
    }

    /// 95 % half width of the mean by the spread of its blocks.
    private static func blockSpread(_ ledger: EnergyLedger, _ span: Span) -> Result<Double, Unavailable> {
        let length = span.length.value / Int64(blocks)
        var powers: [Double] = []
        for index in 0..<blocks {
            let begin = span.begin + Nanoseconds(length * Int64(index))
            let part = Span(begin: begin, end: begin + Nanoseconds(length))
            switch ledger.energy(over: [part], judged: false) {
            case .failure(let why): return .failure(why)
            case .success(let energy): powers.append(energy.joules / part.seconds)
            }
        }
        guard let variance = Moments.variance(powers),
            let factor = StudentT.twoSided95(degreesOfFreedom: blocks - 1), variance.isFinite
        else { return .failure(Unavailable("the idle window is too short for blocks")) }
        return .success(factor * (variance / Double(blocks)).squareRoot())
    }
}
