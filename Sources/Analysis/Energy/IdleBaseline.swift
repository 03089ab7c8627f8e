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
    private static let mostBlocks = 8
    private static let fewestBlocks = 3
    private static let shortestBlock = 0.5
    private static let periodsInBlock = 5.0

    /// Mean power of one window and the spread of its blocks.
    private static func level(_ ledger: EnergyLedger, _ span: Span) -> Result<IdleBaseline, Unavailable> {
        let period = ledger.slowestPeriod ?? 0
        guard span.seconds > 0, span.seconds >= periodsNeeded * period else {
            return .failure(
                Unavailable(
                    "the idle window lasts \(short(span.seconds)) s, under 20 update periods of "
                        + "\(short(period)) s"))
        }
        return ledger.energy(over: [span], judged: false).map { whole in
            let edges = whole.half / span.seconds
            let spread = blockSpread(ledger, span, period: period) ?? 0
            return IdleBaseline(
                watts: whole.joules / span.seconds, half: (edges * edges + spread * spread).squareRoot(),
                method: whole.method)
        }
    }

    /// 95 % half width of the mean by the spread of up to 8 blocks; nil where fewer than 3 fit.
    private static func blockSpread(_ ledger: EnergyLedger, _ span: Span, period: Double) -> Double? {
        let block = max(shortestBlock, periodsInBlock * period)
        let count = min(mostBlocks, Int(min(span.seconds / block, 1000)))
        guard count >= fewestBlocks, let factor = StudentT.twoSided95(degreesOfFreedom: count - 1) else {
            return nil
        }
        let length = span.length.value / Int64(count)
        var powers: [Double] = []
        for index in 0..<count {
            let begin = span.begin + Nanoseconds(length * Int64(index))
            let part = Span(begin: begin, end: begin + Nanoseconds(length))
            guard case .success(let energy) = ledger.energy(over: [part], judged: false) else { return nil }
            powers.append(energy.joules / part.seconds)
        }
        return Moments.variance(powers).map { factor * ($0 / Double(count)).squareRoot() }
    }
}
