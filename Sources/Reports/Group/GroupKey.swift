import Analysis

/// What runs must share before their median means anything (METRICS, "Groups"). `--label` is no part of it.
struct GroupKey: Hashable {
    private let setting: Setting
    /// Hash of the model file; a path where the file was not hashed.
    private let artifact: String
    private let weights: String?
    private let engine: [String]
    private let parameters: JSONValue
    /// Variables that were set for the engine with `--env`.
    private let variables: JSONValue?
    private let workload: Workload
    private let includes: [String]
    private let estimator: String?
    /// Power limits, governor and platform profile, as the conditions saw them.
    private let limits: [String?]
    private let supply: Supply
    /// Memory that is counted in another way has no common median.
    private let memoryAccounting: String

    private enum Supply { case mains, battery, unknown }

    private static let limitChecks = [
        "rapl_power_limit", "gpu_power_limit", "governor", "epp", "platform_profile", "turbo",
    ]

    init(_ run: RunDigest) {
        setting = Setting(run)
        let file = run.artifact.value
        artifact = file.map { $0.sha256.value ?? "not hashed: \($0.path), \($0.sizeBytes)" } ?? "none"
        weights = file?.weights
        let engine = run.engine.value
        self.engine = [engine?.kind, engine?.build, engine?.librarySHA256.value].map { $0 ?? "" }
        parameters = engine?.parameters ?? .null
        variables = run.options["env"]
        var shape = run.protocol
        // Other prompts of the same shape are the same work.
        shape.seed = 0
        workload = shape
        includes = run.total.includes.sorted()
        estimator = EnergyBasis(run)?.estimator
        let seen = Dictionary(
            run.environment.filter.verdicts.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        limits = Self.limitChecks.map { seen[$0]?.seen }
        supply = Self.supply(seen["ac_power"])
        memoryAccounting = run.memoryAccounting
    }

    /// The value seen has the battery's level in it, which no two runs share.
    private static func supply(_ check: Condition?) -> Supply {
        switch check?.verdict {
        case .pass: .mains
        case .fail: .battery
        case .cannotTell, nil: .unknown
        }
    }
}
