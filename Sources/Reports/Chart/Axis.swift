/// One axis of a chart: which values it covers, where they lie, and its tick labels.
struct Axis: Sendable {
    struct Tick: Sendable, Hashable {
        var value: Double
        var label: String
    }

    var title: String
    var range: ClosedRange<Double>
    /// What a label's number is multiplied by to get a value: 60 where the labels are minutes.
    var unit = 1.0
    var isLogarithmic = false

    /// Where a value lies between the ends of the axis, 0 to 1, held there.
    func position(_ value: Double) -> Double {
        let (low, high, at) =
            isLogarithmic
            ? (log2(range.lowerBound), log2(range.upperBound), log2(max(value, range.lowerBound)))
            : (range.lowerBound, range.upperBound, value)
        let share = (at - low) / (high - low)
        return share.isFinite ? min(max(share, 0), 1) : 0.5
    }

    /// Round values within the range, `count` or fewer where that can be.
    func ticks(most count: Int) -> [Tick] {
        isLogarithmic ? logarithmicTicks(count) : linearTicks(count)
    }

    private func linearTicks(_ count: Int) -> [Tick] {
        let (low, high) = (range.lowerBound / unit, range.upperBound / unit)
        guard high > low, high.isFinite, low.isFinite else { return [] }
        let step = Self.roundStep((high - low) / Double(max(1, count)))
        let first = (low / step - 1e-9).rounded(.up)
        let last = (high / step + 1e-9).rounded(.down)
        guard last >= first, last - first < 1000 else { return [] }
        let decimals = max(0, -Self.exponent(step))
        return (0...Int(last - first)).map { number in
            let value = (first + Double(number)) * step
            return Tick(value: value * unit, label: fixed(value, decimals: decimals))
        }
    }

    /// 1, 2 and 5 in each power of ten; only some of them where there are many.
    private func logarithmicTicks(_ count: Int) -> [Tick] {
        var decade = Self.power(Self.exponent(range.lowerBound / unit))
        let ratio = range.upperBound / range.lowerBound
        let factors = ratio > 500 ? [1.0] : ratio > 20 ? [1.0, 2, 5] : [1.0, 1.5, 2, 3, 5, 7]
        var ticks: [Tick] = []
        while decade * unit <= range.upperBound, ticks.count < 200 {
            for factor in factors {
                let value = factor * decade
                guard value * unit >= range.lowerBound, value * unit <= range.upperBound else { continue }
                let label = fixed(value, decimals: max(0, (factor == 1.5 ? 1 : 0) - Self.exponent(decade)))
                ticks.append(Tick(value: value * unit, label: label))
            }
            decade *= 10
        }
        let each = max(1, (ticks.count + count - 1) / max(1, count))
        return ticks.enumerated().filter { $0.offset % each == 0 }.map(\.element)
    }

    /// 1, 2 or 5 times a power of ten, at least `step`.
    private static func roundStep(_ step: Double) -> Double {
        let unit = power(exponent(step))
        for factor in [1.0, 2, 5] where factor * unit >= step * (1 - 1e-9) { return factor * unit }
        return 10 * unit
    }

    /// floor(log10(value)) for a positive, finite value.
    private static func exponent(_ value: Double) -> Int {
        guard value > 0, value.isFinite else { return 0 }
        var exponent = 0
        while power(exponent + 1) <= value * (1 + 1e-12) { exponent += 1 }
        while power(exponent) > value * (1 + 1e-12) { exponent -= 1 }
        return exponent
    }

    private static func power(_ exponent: Int) -> Double {
        var result = 1.0
        for _ in 0..<exponent.magnitude { result *= 10 }
        return exponent < 0 ? 1 / result : result
    }

    /// The logarithm to base 2, to 30 binary places: a position needs no more, and this no library.
    private func log2(_ value: Double) -> Double {
        guard value > 0, value.isFinite else { return 0 }
        var result = Double(value.exponent)
        var rest = value.significand
        var place = 0.5
        for _ in 0..<30 {
            rest *= rest
            if rest >= 2 {
                rest /= 2
                result += place
            }
            place /= 2
        }
        return result
    }
}

extension Axis {
    /// Time in seconds, minutes or hours, whichever keeps the labels short.
    static func time(_ range: ClosedRange<Double>, since origin: String) -> Axis {
        let length = range.upperBound - range.lowerBound
        let (unit, name) =
            length <= 1200 ? (1.0, "seconds") : length <= 21_600 ? (60.0, "minutes") : (3600, "hours")
        return Axis(title: "\(name) since \(origin)", range: range, unit: unit)
    }

    /// Values with a little air above. From 0, or, where all lie close together, from well below the least:
    /// then the title says so, and a change of 1 % still looks small.
    static func values(
        _ title: String, _ range: ClosedRange<Double>, fromZero: Bool = false, unit: Double = 1
    )
        -> Axis
    {
        let high = range.upperBound
        let isClose = !fromZero && range.lowerBound > 0.5 * high
        let low = isClose ? min(range.lowerBound - 0.02 * high, 0.9 * high) : min(0, range.lowerBound)
        let top = high > low ? high + 0.05 * (high - low) : low + max(unit, abs(low) * 0.1)
        return Axis(
            title: isClose ? title + " (axis not from 0)" : title, range: low...top, unit: unit)
    }
}
