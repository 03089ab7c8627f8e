import Analysis
import Engines

/// A run that is in the output directory already.
public struct EarlierRun: Sendable {
    public let record: Record
    /// The record's file.
    public let path: String

    public init(record: Record, path: String) {
        self.record = record
        self.path = path
    }
}

/// Which points of a sweep have been measured: complete runs of the same bytes with the same options, on the same
/// machine and the same build of the engine.
struct EarlierRuns {
    private let complete: [EarlierRun]
    private let shouldContinue: () -> Bool
    /// The engines that were asked who they are: one word of each is enough.
    private var engines: [RunOptions.Engine: EngineSummary?] = [:]

    /// Options that change nothing of what is measured. The model is known by its hash.
    private static let without: Set<String> = [
        "model", "output", "output-format", "json", "quiet", "again", "strict", "require-energy",
        "engine-timeout",
    ]
    /// What makes it another machine; versions of its software do not.
    private static let hardware = ["product", "cpu_model", "cpu_stepping", "usable_cpus", "virtualization"]

    /// - Parameter shouldContinue: asked while a model is hashed; false ends it.
    init(_ runs: [EarlierRun], shouldContinue: @escaping () -> Bool) {
        complete = runs.filter { $0.record.outcome.status == .completed && Self.hasMeasured($0.record) }
        self.shouldContinue = shouldContinue
    }

    /// A run too short for one whole cycle has measured nothing; some protocols are not made of such.
    private static func hasMeasured(_ record: Record) -> Bool {
        switch RunProtocol(rawValue: record.protocol.name) {
        case .pbRandom, .untilFailure: true
        default: record.metrics.wholeCycles > 0
        }
    }

    /// The latest run that measured this already; nil where there is none.
    ///
    /// - Parameter options: with the workload as it fits the model.
    /// - Throws: `.interrupted` when told to stop; `.failed` for a model that changes while it is read.
    mutating func find(_ options: RunOptions, model: ModelFile?) throws(Failure) -> EarlierRun? {
        let asked = Self.essence(options.recorded)
        var candidates = complete.filter { Self.essence($0.record.options) == asked }
        candidates = candidates.filter { Self.isSize(of: model, $0.record) }
        guard !candidates.isEmpty else { return nil }
        let facts = HostFacts(sysfs: options.sysfs, procfs: options.procfs)
        let here = Identity.read(facts)
        candidates = candidates.filter { candidate in
            let there = candidate.record.environment.identity
            return Self.hardware.allSatisfy { there[$0]?.value == here[$0]?.value }
        }
        if let model, !candidates.isEmpty {
            let hash = try ArtifactHash.sha256(of: model, cache: HashCache.user()) { _ in shouldContinue() }
            // Without a hash nothing shows that it is the same model.
            guard let sha256 = hash.value else { return nil }
            candidates = candidates.filter { $0.record.artifact.value?.sha256.value == sha256 }
        }
        guard !candidates.isEmpty, let engine = engine(of: options) else { return nil }
        return candidates.filter { Self.isSame(engine, $0.record) }.max { $0.record.id < $1.record.id }
    }

    static func essence(_ options: JSONValue) -> JSONValue {
        guard case .object(let members) = options else { return options }
        return .object(members.filter { !without.contains($0.key) })
    }

    /// Told before anything is hashed.
    private static func isSize(of model: ModelFile?, _ record: Record) -> Bool {
        record.artifact.value?.sizeBytes == model?.sizeBytes
    }

    /// Who the engine says it is; nil where it says nothing.
    private mutating func engine(of options: RunOptions) -> EngineSummary? {
        if let known = engines[options.engine] { return known }
        let summary = Self.ask(options)
        engines[options.engine] = .some(summary)
        return summary
    }

    private static func ask(_ options: RunOptions) -> EngineSummary? {
        guard
            let launch = try? options.engine.launch(environment: options.environment, logPath: "/dev/null"),
            let conversation = try? EngineConversation(launch),
            let hello = try? conversation.greet(within: options.engineTimeout)
        else { return nil }
        return EngineSummary(hello.engineLine)
    }

    private static func isSame(_ engine: EngineSummary, _ record: Record) -> Bool {
        guard let there = record.engine.value else { return false }
        return there.build == engine.build && there.librarySHA256.value == engine.librarySHA256.value
    }
}
