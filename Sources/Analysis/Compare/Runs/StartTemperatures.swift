/// How warm the machine was before each of the runs that take turns.
struct StartTemperatures {
    /// By source, in order of time.
    private let readings: [String: [(time: Instant, celsius: Double)]]

    /// A reading that is older says nothing of a run's start.
    private static let longestAge = Nanoseconds(10_000_000_000)
    /// Above this, in kelvin, runs have not begun alike.
    private static let alike = 3.0

    init(_ trace: Trace) {
        var found: [String: [(time: Instant, celsius: Double)]] = [:]
        let sources = Dictionary(
            trace.sources.filter { $0.quantity == .temperature }.map { ($0.index, $0) },
            uniquingKeysWith: { first, _ in first })
        for sample in trace.samples {
            for (position, index) in sample.sources.enumerated() where position < sample.values.count {
                guard let source = sources[index], let raw = sample.values[position],
                    let celsius = source.celsius(raw)
                else { continue }
                found[source.id, default: []].append((sample.time, celsius))
            }
        }
        readings = found
    }

    /// The last reading of every source up to a moment.
    func before(_ moment: Instant) -> [String: Double] {
        readings.compactMapValues { series in
            series.last { $0.time <= moment && moment - $0.time <= Self.longestAge }?.celsius
        }
    }

    /// What is to be said of runs that did not begin alike.
    static func warnings(_ runs: [ComparedRun]) -> [String] {
        var result: [String] = []
        let hot = runs.count { $0.line.cooling == .timedOut }
        if hot > 0 {
            result.append(
                "\(hot) of \(runs.count) runs began before the machine had cooled down to where the first one began: "
                    + "--cool-down allows longer waits")
        }
        if runs.contains(where: { $0.line.cooling == .blind }) {
            result.append("no temperature is read here: between runs there was a wait of a fixed length")
        }
        for source in Set(runs.flatMap(\.startedAt.keys)).sorted() {
            let starts = runs.compactMap { $0.startedAt[source] }
            guard let least = starts.min(), let most = starts.max(), most - least > alike else { continue }
            result.append("runs began at \(least.inTenths) to \(most.inTenths) C (\(source))")
        }
        return result
    }
}

extension SourceLine {
    /// What a working machine's sensor can show, degrees Celsius.
    private static let plausibleCelsius = -50.0...250

    /// Degrees Celsius of a raw value of a temperature; nil for what no working machine's sensor shows.
    package func celsius(_ raw: Int64) -> Double? {
        let celsius = Double(raw) * scale
        return Self.plausibleCelsius.contains(celsius) ? celsius : nil
    }
}
