/// Energy over one or many windows with its bounds.
public struct EnergyEstimate: Sendable, Hashable {
    public var joules: Double
    /// Bounds from the counter and the edges of the windows; how much the work itself varies is not in them.
    public var low: Double
    public var high: Double
    /// "counter at edges", "phase fit, lag 0.05 s", "integrated, averaging time 1 s".
    public var method: String
    /// The energy of each window, joules; their spread tells how much the work varies.
    public var windows: [Double]
    /// What a fit comes to in draws of cycles; nil for energy that was read at edges.
    public internal(set) var resampled: Resampled?

    public init(joules: Double, low: Double, high: Double, method: String, windows: [Double]) {
        self.joules = joules
        self.low = low
        self.high = high
        self.method = method
        self.windows = windows
    }

    /// The wider side of the bounds.
    public var half: Double { max(high - joules, joules - low) }

    /// As a figure, divided by `divisor`. What a fit is unsure by is in the interval.
    public func figure(per divisor: Double = 1) -> Figure {
        guard let resampled else {
            return Figure(joules / divisor, .bounds(low: low / divisor, high: high / divisor), method: method)
        }
        return named(resampled.note).figure(
            joules / divisor, half: resampled.half(resampled.same).map { $0 / divisor }, divisor)
    }

    /// How the interval was found goes after a semicolon; what stands before it is the estimator.
    private func named(_ note: String) -> EnergyEstimate {
        var result = self
        result.method += "; " + note
        return result
    }

    /// A value whose spread stands in quadrature with the bounds of the energy.
    private func figure(_ value: Double, half: Result<Double, Unavailable>, _ divisor: Double) -> Figure {
        switch half {
        case .failure(let why): return Figure(value, .unavailable(why), method: method)
        case .success(let spread):
            func wide(_ part: Double) -> Double {
                (part * part / divisor / divisor + spread * spread).squareRoot()
            }
            return Figure(
                value, .bounds(low: value - wide(joules - low), high: value + wide(high - joules)),
                method: method)
        }
    }

    /// The ratio to a divisor each window has a share of: the bounds of the energy and the spread of the
    /// windows in quadrature.
    func figure(perWindow divisors: [Double]) -> Figure {
        let whole = divisors.reduce(0, +)
        if let resampled {
            let ratios = zip(resampled.joules, resampled.sums(of: divisors)).map { $0 / $1 }
            return named(resampled.note).figure(joules / whole, half: resampled.half(ratios), whole)
        }
        let spread = WindowSpread(values: windows).half(per: divisors)
        guard case .success = spread else { return figure(joules / whole, half: spread, whole) }
        return named("t interval over \(windows.count) windows in quadrature").figure(
            joules / whole, half: spread, whole)
    }

    /// What is left above a baseline; it may be negative.
    func above(_ baseline: IdleBaseline, _ spans: [Span]) -> EnergyEstimate {
        let lengths = spans.map(\.seconds)
        let seconds = lengths.reduce(0, +)
        let net = joules - baseline.watts * seconds
        let idle = baseline.half * seconds
        func wide(_ part: Double) -> Double { (part * part + idle * idle).squareRoot() }
        var result = EnergyEstimate(
            joules: net, low: net - wide(joules - low), high: net + wide(high - joules),
            method: "\(method), less \(baseline.method)",
            windows: zip(windows, lengths).map { $0 - baseline.watts * $1 })
        if var resampled {
            let drawn = resampled.sums(of: lengths)
            for draw in drawn.indices {
                resampled.joules[draw] -= baseline.watts * drawn[draw]
                resampled.same[draw] -= baseline.watts * seconds
            }
            result.resampled = resampled
        }
        return result
    }

    func divided(by divisor: Double) -> EnergyEstimate {
        var result = EnergyEstimate(
            joules: joules / divisor, low: low / divisor, high: high / divisor, method: method,
            windows: windows.map { $0 / divisor })
        if var resampled {
            resampled.joules = resampled.joules.map { $0 / divisor }
            resampled.same = resampled.same.map { $0 / divisor }
            result.resampled = resampled
        }
        return result
    }
}

extension EnergyEstimate {
    /// The sum over sources: their errors of reading have nothing to do with each other, so that these add in
    /// quadrature. What the work varies by they share: windows and draws add one by one.
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
        var result = EnergyEstimate(
            joules: joules, low: joules - below.squareRoot(), high: joules + above.squareRoot(),
            method: methods.joined(separator: " + "), windows: windows)
        result.resampled = resampled(parts)
        return result
    }

    /// Draws of all parts together, when one of them was fitted; energy read at edges is drawn with its
    /// windows.
    private static func resampled(_ parts: [EnergyEstimate]) -> Resampled? {
        guard var result = parts.lazy.compactMap(\.resampled).first else { return nil }
        let all = parts.map { part in
            part.resampled
                ?? Resampled(
                    draws: result.draws, cycles: result.cycles, joules: result.sums(of: part.windows),
                    same: result.same.map { _ in part.joules })
        }
        for draw in result.joules.indices {
            result.joules[draw] = all.reduce(0) { $0 + $1.joules[draw] }
            result.same[draw] = all.reduce(0) { $0 + $1.same[draw] }
        }
        return result
    }
}
