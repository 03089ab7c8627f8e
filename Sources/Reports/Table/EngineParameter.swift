import Analysis

/// A parameter of the engine that llama-bench shows as a column where it matters.
struct EngineParameter: Sendable {
    /// The column's title in llama-bench's tables.
    var title: String
    /// llama-bench's name in its exports.
    var export: String
    /// The names under which an engine may report it.
    var keys: [String]
    /// The option that asks for it, under its long name.
    var option: String
    /// The value at which llama-bench leaves the column out; nil where the backend decides.
    var usual: String?
    /// Whether a run of these backends shows the column even at the usual value.
    var always: @Sendable (_ backends: String) -> Bool

    /// In llama-bench's column order (tools/llama-bench/llama-bench.cpp, `markdown_printer::print_header`).
    static let all: [EngineParameter] = [
        .init("ngl", "n_gpu_layers", ["gpu_layers"], "n-gpu-layers", nil, always: { !isCPU($0) }),
        .init("threads", "n_threads", ["threads"], "threads", nil, always: isCPU),
        .init("n_batch", "n_batch", ["batch_tokens"], "batch-size", "2048"),
        .init("n_ubatch", "n_ubatch", ["micro_batch_tokens"], "ubatch-size", "512"),
        .init("type_k", "type_k", ["cache_type_k"], "cache-type-k", "f16"),
        .init("type_v", "type_v", ["cache_type_v"], "cache-type-v", "f16"),
        .init("fa", "flash_attn", ["flash_attention"], "flash-attn", "auto"),
        .init("lm", "load_mode", [], "load-mode", "auto"),
    ]

    private init(
        _ title: String, _ export: String, _ others: [String], _ option: String, _ usual: String?,
        always: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.title = title
        self.export = export
        self.keys = [export] + others
        self.option = option
        self.usual = usual
        self.always = always
    }

    /// The value in force, nil where the engine does not report it.
    func value(in record: RunDigest) -> JSONValue? {
        guard let parameters = record.engine.value?.parameters else { return nil }
        for key in keys {
            if let value = parameters[key], value != .null { return value }
        }
        return nil
    }

    /// The option and the value it was given, "--threads 64", of a run whose engine reports none; nil where the
    /// record does not say, or where all of the runs it stands among were asked for the usual value.
    func asked(of record: RunDigest, among records: [RunDigest]) -> String? {
        guard value(in: record) == nil, let value = asked(in: record) else { return nil }
        let isUsual = value == usual && Set(records.map { asked(in: $0) }).count < 2
        return isUsual ? nil : "--\(option) \(value)"
    }

    /// What the command line asked for; nil where the record does not say.
    private func asked(in record: RunDigest) -> String? {
        guard let value = record.options[option] else { return nil }
        if case .array(let values) = value { return values.first?.text }
        return value.text
    }

    /// Whether the column stands in a table of these runs: it differs between them, one run asked for
    /// another value than usual, or it belongs to the backend of one.
    ///
    /// An engine may put its own value in force (a batch cut to the context, `auto` resolved), which the
    /// cell then shows; llama-bench goes by what was asked for, and so does this.
    func isShown(for records: [RunDigest]) -> Bool {
        if Set(records.compactMap { value(in: $0)?.text }).count > 1 { return true }
        return records.contains { record in
            if record.backendNames.value.map(always) ?? false { return true }
            guard let usual, let value = asked(in: record) ?? value(in: record)?.text else { return false }
            return value != usual
        }
    }

    func cell(_ record: RunDigest) -> Cell {
        guard let value = value(in: record) else { return .missing("the engine does not report it") }
        if let number = value.integer {
            return .number(shown: String(number), value: Double(number), spread: false)
        }
        return .text(value.text)
    }

    /// llama-bench's own test of what counts as a CPU backend.
    @Sendable private static func isCPU(_ backends: String) -> Bool {
        ["CPU", "BLAS", "ZenDNN"].contains { backends.contains($0) }
    }
}
