import Analysis

/// Typed access to option values; every error names the option, the value and what is accepted.
extension ParsedOptions {
    private func spelling(_ key: String) -> String {
        command.options.first { $0.key == key }?.names[0] ?? key
    }

    private func wrong(_ key: String, _ value: String, _ accepted: String) -> Failure {
        Failure(thing: "\(spelling(key)) \(value)", cause: "not \(accepted)", exit: .usage)
    }

    /// The one value of a list option; a sweep takes its combinations apart first (`Combinations`).
    func single(_ key: String) throws(Failure) -> String? {
        let all = list(key)
        if all.count > 1 {
            throw Failure(
                thing: "\(spelling(key)) \(all.joined(separator: ","))",
                cause: "`sustain \(command.name)` takes one combination of values",
                remedy: "run it once for each value", exit: .usage)
        }
        return all.first
    }

    func integer(_ key: String, in range: ClosedRange<Int>) throws(Failure) -> Int? {
        guard let value = try single(key) else { return nil }
        guard let number = Int(value), range.contains(number) else {
            throw wrong(key, value, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func number(_ key: String, in range: ClosedRange<Double>) throws(Failure) -> Double? {
        guard let value = text(key) else { return nil }
        guard let number = Double(value), range.contains(number) else {
            throw wrong(key, value, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A time in seconds: "600", "1.5", "100ms", "10s", "5m".
    func seconds(_ key: String, in range: ClosedRange<Double>) throws(Failure) -> Seconds? {
        guard let value = text(key) else { return nil }
        let units: [(suffix: String, factor: Double)] = [
            ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("", 1),
        ]
        for unit in units where value.hasSuffix(unit.suffix) {
            guard let number = Double(value.dropLast(unit.suffix.count)), number.isFinite else { continue }
            let seconds = number * unit.factor
            if range.contains(seconds) { return Seconds(seconds) }
        }
        throw wrong(
            key, value,
            "a time from \(range.lowerBound) to \(range.upperBound) seconds (\"1.5\", \"100ms\", \"5m\")")
    }

    /// A size in bytes: "4GiB", "512MiB", "8GB", "1048576".
    func bytes(_ key: String) throws(Failure) -> UInt64? {
        guard let value = text(key) else { return nil }
        let units: [(suffix: String, factor: Double)] = [
            ("KiB", 0x1p10), ("MiB", 0x1p20), ("GiB", 0x1p30), ("TiB", 0x1p40), ("kB", 1e3), ("MB", 1e6),
            ("GB", 1e9), ("TB", 1e12), ("", 1),
        ]
        for unit in units where value.hasSuffix(unit.suffix) {
            guard let number = Double(value.dropLast(unit.suffix.count)), number.isFinite else { continue }
            let bytes = number * unit.factor
            if (1...0x1p62).contains(bytes) { return UInt64(bytes) }
        }
        throw wrong(key, value, "a size in bytes (\"8GiB\", \"512MiB\", \"8GB\")")
    }

    /// One of a fixed list of words.
    ///
    /// - Parameter known: makes the value of its word; the raw values where none is given.
    func choice<Value: RawRepresentable & CaseIterable>(
        _ key: String, _ type: Value.Type, _ known: (String) -> Value? = Value.init(rawValue:)
    ) throws(Failure) -> Value? where Value.RawValue == String {
        guard let value = try single(key) else { return nil }
        guard let known = known(value) else {
            let names = Value.allCases.map(\.rawValue)
            let near = Suggestion.nearest(to: value, among: names)
            throw Failure(
                thing: "\(spelling(key)) \(value)", cause: "not one of \(names.joined(separator: ", "))",
                remedy: near.map { "did you mean \($0)?" }, exit: .usage)
        }
        return known
    }
}
