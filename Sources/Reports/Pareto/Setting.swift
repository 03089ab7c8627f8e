import Analysis

/// What two runs must share before one may be called better than the other: device, protocol and how
/// tokens are counted.
struct Setting: Hashable {
    var device: [String: String]
    var workload: String
    var seconds: Double
    var tokenCounts: String

    init(_ record: some DescribedRun, _ shape: Workload) {
        let identity = record.environment.identity
        device = Self.hardware.reduce(into: [:]) { $0[$1] = identity[$1]?.value }
        workload = "\(shape.name) (\(shape.promptTokens) + \(shape.generatedTokens), \(shape.sampling))"
        seconds = shape.seconds.value
        tokenCounts = record.engine.value?.tokenCounts ?? "exact"
    }

    init(_ run: RunDigest) { self.init(run, run.protocol) }

    /// Rates and J/token over tokens that nobody counted rank nothing.
    var isRanked: Bool { tokenCounts == "exact" }

    static let notRanked = "tokens are estimated: not to be ranked"

    /// One line for a heading.
    var text: String {
        let parts = [workload, Notation.seconds(seconds), isRanked ? nil : "\(tokenCounts) tokens"]
        let names = device.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return (parts.compactMap(\.self) + names).joined(separator: ", ")
    }

    /// Identity entries that make it another device. Versions of software and firmware do not, nor which of several
    /// boards of a model it was: that is another submitter (`RunDigest.submitter`).
    private static let hardware = [
        "product", "cpu_model", "cpu_stepping", "usable_cpus", "virtualization", "gpu_model",
    ]
}

/// Energies that may be compared: of the same scopes, estimated the same way.
struct EnergyBasis: Hashable {
    var includes: [String]
    /// "counter at edges", "integrated", ...
    var estimator: String

    /// The basis of a figure of a run, nil where there is none.
    init?(_ total: Total, _ figure: Figure) {
        guard let estimator = Self.estimator(of: figure) else { return nil }
        includes = total.includes.sorted()
        self.estimator = estimator
    }

    /// That of a run's decode J/token.
    init?(_ run: RunDigest) { self.init(run.total, run.decode[.joulesPerTokenGross]) }

    init?(_ record: Record) { self.init(record.total, record.metrics.decode.gross.joulesPerToken) }

    /// The estimators behind a figure of energy by the names that its method gives them; nil where there is no
    /// value.
    static func estimator(of figure: Figure) -> String? {
        guard case .value(_, _, let method) = figure else { return nil }
        // A method is its sources' methods joined by " + ", each with its details after a comma; how the
        // interval was made, which differs with the number of cycles, stands after a semicolon. By bytes: every run
        // of a report is asked, and letters take ten times as long.
        let made = Substring(method.utf8.prefix { $0 != UInt8(ascii: ";") })
        func name(_ part: Substring) -> Substring { Substring(part.utf8.prefix { $0 != UInt8(ascii: ",") }) }
        guard made.utf8.contains(UInt8(ascii: "+")) else { return String(name(made)) }
        var names: [Substring] = []
        for part in made.split(separator: " + ") {
            let name = name(part)
            if !names.contains(name) { names.append(name) }
        }
        return names.joined(separator: " + ")
    }

    var text: String { includes.joined(separator: " + ") + " (" + estimator + ")" }
}
