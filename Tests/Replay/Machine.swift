import Analysis

/// Independent numbers of mean 0 and variance 1, near enough to normal: the sum of twelve even ones.
struct Noise {
    private var generator: SeededGenerator
    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }
    mutating func next() -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += generator.unit() }
        return sum
    }
    mutating func even(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * generator.unit()
    }
}

/// Noise in which each value resembles the one before: AR(1) of variance 1.
struct Autoregression {
    let correlation: Double
    private var state: Double

    init(correlation: Double, _ noise: inout Noise) {
        self.correlation = correlation
        state = noise.next()
    }

    mutating func next(_ noise: inout Noise) -> Double {
        state = correlation * state + (1 - correlation * correlation).squareRoot() * noise.next()
        return state
    }
}

/// Power over time in steps, with its exact integral; read with ascending times.
struct Course {
    private var begins: [Double] = []
    private var watts: [Double] = []
    private var energies: [Double] = []
    private var position = 0

    mutating func append(_ begin: Double, _ power: Double) {
        let before = begins.count - 1
        let gathered = before < 0 ? 0 : energies[before] + watts[before] * (begin - begins[before])
        begins.append(begin)
        watts.append(power)
        energies.append(gathered)
    }

    /// Joules from the first step to `time`, which is no earlier than that of the call before.
    mutating func energy(_ time: Double) -> Double {
        while position + 1 < begins.count, begins[position + 1] <= time { position += 1 }
        return energies[position] + watts[position] * (time - begins[position])
    }
}
