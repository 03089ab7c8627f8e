import Analysis
import Reports

/// An earlier run whose build is measured again as the reference.
struct Baseline {
    private let record: Record
    private let path: String

    /// - Throws: a `Failure` (exit 2) where the build cannot be had again: figures of another session are no control.
    init(_ path: String) throws(Failure) {
        let found = Store.find(in: [path])
        guard let record = found.lazy.compactMap(\.record).first else {
            var cause = "holds no record"
            if case .problem(_, let reason)? = found.first { cause = reason }
            throw Failure(
                thing: "--baseline \(path)", cause: cause, remedy: "name a run's directory or its run.json",
                exit: .usage)
        }
        guard record.artifact.value?.sha256.value != nil, record.outcome.status == .completed else {
            throw Failure(
                thing: "--baseline \(path)", cause: "is no completed run of a model whose hash is known",
                remedy: "name the model itself as the first one", exit: .usage)
        }
        self.record = record
        self.path = path
    }

    /// A record may be anybody's: a program or a library that it names is not run unless the user names it too, or says
    /// that the record is to be trusted.
    ///
    /// - Throws: a usage error that names them.
    func checkPrograms(_ parsed: ParsedOptions) throws(Failure) {
        guard !parsed.isSet("trust-baseline") else { return }
        for key in ["exec", "llama-lib"] {
            let known = Set(parsed.values[key] ?? [])
            guard let stranger = values(key)?.first(where: { !known.contains($0) && $0 != "default" }) else {
                continue
            }
            throw Failure(
                thing: "--baseline \(path)",
                cause: "names a program that this call does not: --\(key) \(stranger)",
                remedy: "--trust-baseline, if the record is your own", exit: .usage)
        }
    }

    /// The values that the run was given for an option; nil for none.
    private func values(_ key: String) -> [String]? {
        switch record.options[key] {
        case .array(let values)?: values.isEmpty ? nil : values.map(\.text)
        case .string(let text)?: [text]
        default: nil
        }
    }

    /// What the user gave, under the baseline's protocol where nothing else was asked for.
    func underItsProtocol(_ parsed: ParsedOptions) -> ParsedOptions {
        let shape = ["n-prompt", "n-gen", "ctx-size", "protocol"]
        guard !shape.contains(where: parsed.isSet) else { return parsed }
        let named = record.protocol.name.hasPrefix("custom-") ? nil : [record.protocol.name]
        var result = parsed.with("ctx-size", values("ctx-size")).with("protocol", named)
        if named == nil {
            result = result.with("n-prompt", [String(record.protocol.promptTokens)])
                .with("n-gen", [String(record.protocol.generatedTokens)])
        }
        return result.with("sampling", [record.protocol.sampling])
    }

    func draft(_ parsed: ParsedOptions) -> Draft {
        var options = parsed
        let model = record.artifact.value?.path
        options = options.with("model", model.map { [$0] })
        let build = [
            "engine", "llama-lib", "exec", "threads", "n-gpu-layers", "batch-size", "ubatch-size",
            "cache-type-k", "cache-type-v", "flash-attn", "load-mode",
        ]
        for key in build { options = options.with(key, values(key)) }
        // The table's default stands beside a program that was named.
        if options.isSet("exec") { options = options.with("engine", ["exec"]) }
        for key in ["n-prompt", "n-gen", "ctx-size"] {
            options = options.with(key, parsed.values[key]?.first.map { [$0] })
        }
        var draft = Draft(options: options)
        draft.model = model
        draft.engine = "baseline"
        draft.expectedSHA256 = record.artifact.value?.sha256.value
        return draft.withRecord()
    }
}
