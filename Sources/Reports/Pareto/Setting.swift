import Analysis

/// What two runs must share before one may be called better than the other: device, protocol and how
/// tokens are counted.
struct Setting: Hashable {
    var device: [String: String]
    var workload: String
    var seconds: Double
    var tokenCounts: String

    init(_ record: Record) {
        let identity = record.environment.identity.compactMapValues(\.value)
        device = identity.filter { Self.namesHardware($0.key) }
        let shape = record.protocol
        workload = "\(shape.name) (\(shape.promptTokens) + \(shape.generatedTokens), \(shape.sampling))"
        seconds = shape.seconds.value
        tokenCounts = record.engine.value?.tokenCounts ?? "exact"
    }

    /// One line for a heading.
    var text: String {
        let parts = [
            workload, Notation.seconds(seconds), tokenCounts == "exact" ? nil : "\(tokenCounts) tokens",
        ]
        let names = device.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return (parts.compactMap(\.self) + names).joined(separator: ", ")
    }

    /// Identity entries that make it another device; versions of software and firmware do not.
    private static func namesHardware(_ key: String) -> Bool {
        let hardware = ["product", "cpu_model", "cpu_stepping", "usable_cpus", "virtualization", "gpu_model"]
        return hardware.contains(key) || key.hasPrefix("gpu_uuid")
    }
}

/// Energies that may be compared: of the same scopes, estimated the same way.
struct EnergyBasis: Hashable {
    var includes: [String]
    /// "counter at edges", "integrated", ...
    var estimator: String

    /// The basis of a run's decode J/token, nil where there is none.
    init?(_ record: Record) {
        guard let estimator = Self.estimator(of: record.metrics.decode.gross.joulesPerToken) else {
            return nil
        }
        includes = record.total.includes.sorted()
        self.estimator = estimator
    }

    /// The estimators behind a figure of energy by the names that its method gives them; nil where there is no
    /// value.
    static func estimator(of figure: Figure) -> String? {
        guard case .value(_, _, let method) = figure else { return nil }
        // A method is its sources' methods joined by " + ", each with its details after a comma; how the
        // interval was made, which differs with the number of cycles, stands after a semicolon.
        var names: [Substring] = []
        for part in method.prefix(while: { $0 != ";" }).split(separator: " + ") {
            let name = part.prefix { $0 != "," }
            if !names.contains(name) { names.append(name) }
        }
        return names.joined(separator: " + ")
    }

    var text: String { includes.joined(separator: " + ") + " (" + estimator + ")" }
}
