/// In what two variants of a session differ, as far as their files, engines and protocols tell.
public enum Difference: String, Sendable, Hashable, Codable, CaseIterable {
    case checkpoint
    case quantisation
    /// The engine's build, or the parameters that it runs with.
    case engine
    case `protocol`

    /// - Returns: in the order of the cases; empty for a variant that is the reference again.
    static func between(_ reference: ComparedBuild, _ variant: ComparedBuild) -> [Difference] {
        var found: Set<Difference> = []
        if let one = reference.artifact, let other = variant.artifact { found = ofFiles(one, other) }
        if (reference.artifact == nil) != (variant.artifact == nil) { found.insert(.checkpoint) }
        if engine(reference) != engine(variant) { found.insert(.engine) }
        if shape(reference.line.workload) != shape(variant.line.workload) { found.insert(.protocol) }
        return allCases.filter(found.contains)
    }

    private static func ofFiles(_ one: ArtifactLine, _ other: ArtifactLine) -> Set<Difference> {
        if let hash = one.sha256.value, hash == other.sha256.value { return [] }
        var found: Set<Difference> = []
        if one.quantization.value != other.quantization.value || one.tensorTypes != other.tensorTypes {
            found.insert(.quantisation)
        }
        let isOneModel =
            one.architecture == other.architecture && one.layers == other.layers && one.name == other.name
            && one.parameters.value == other.parameters.value
        // Files of one description and other bytes hold other weights.
        if !isOneModel || (found.isEmpty && one.sha256.value != other.sha256.value) {
            found.insert(.checkpoint)
        }
        return found
    }

    private static func engine(_ variant: ComparedBuild) -> [JSONValue] {
        guard let summary = variant.engine else { return [variant.line.options] }
        var parameters = summary.parameters
        // The context is the protocol's.
        if case .object(var members) = parameters {
            members["n_ctx"] = nil
            parameters = .object(members)
        }
        return [
            .string(summary.kind), .string(summary.build), .string(summary.librarySHA256.value ?? ""),
            .array(summary.libraries.values.map { .string($0.value ?? "") }.sorted { $0.text < $1.text }),
            parameters, summary.kind.hasPrefix("exec:") ? variant.line.options["exec"] ?? .null : .null,
        ]
    }

    private static func shape(_ workload: Workload) -> [JSONValue] {
        [
            .string(workload.name), .integer(Int64(workload.promptTokens)),
            .integer(Int64(workload.generatedTokens)), .integer(Int64(workload.contextTokens)),
            .string(workload.sampling),
        ]
    }
}

/// What is held against another: a variant's file and engine, as far as they are known.
struct ComparedBuild {
    let line: VariantLine
    let artifact: ArtifactLine?
    let engine: EngineSummary?

    init(_ facts: VariantFacts) {
        self.init(facts.line, artifact: facts.artifact, engine: facts.engine.map(EngineSummary.init))
    }

    init(_ line: VariantLine, artifact: ArtifactLine?, engine: EngineSummary?) {
        self.line = line
        self.artifact = artifact
        self.engine = engine
    }
}
