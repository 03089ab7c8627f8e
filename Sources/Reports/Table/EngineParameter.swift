import Analysis

/// A parameter of the engine that llama-bench shows as a column where it matters.
struct EngineParameter: Sendable {
    /// The column's title in llama-bench's tables.
    var title: String
    /// llama-bench's name in its exports.
    var export: String
    /// The names under which an engine may report it.
    var keys: [String]
    /// The value at which llama-bench leaves the column out; nil where the backend decides.
    var usual: String?
    /// Whether a run of these backends shows the column even at the usual value.
    var always: @Sendable (_ backends: String) -> Bool

    /// In llama-bench's column order (tools/llama-bench/llama-bench.cpp, `markdown_printer::print_header`).
    static let all: [EngineParameter] = [
        .init("ngl", "n_gpu_layers", ["gpu_layers", "n_gpu_layers"], nil, always: { !isCPU($0) }),
        .init("threads", "n_threads", ["threads", "n_threads"], nil, always: isCPU),
        .init("n_batch", "n_batch", ["batch_tokens", "n_batch"], "2048"),
        .init("n_ubatch", "n_ubatch", ["micro_batch_tokens", "n_ubatch"], "512"),
        .init("type_k", "type_k", ["cache_type_k", "type_k"], "f16"),
        .init("type_v", "type_v", ["cache_type_v", "type_v"], "f16"),
        .init("fa", "flash_attn", ["flash_attention", "flash_attn"], "auto"),
        .init("lm", "load_mode", ["load_mode"], "auto"),
    ]

    private init(
        _ title: String, _ export: String, _ keys: [String], _ usual: String?,
        always: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.title = title
        self.export = export
        self.keys = keys
        self.usual = usual
        self.always = always
    }

    /// The value in force, nil where the engine does not report it.
    func value(in record: Record) -> JSONValue? {
        guard let parameters = record.engine.value?.parameters else { return nil }
        for key in keys {
            if let value = parameters[key], value != .null { return value }
        }
        return nil
    }

    /// Whether the column stands in a table of these runs: it differs between them, is unusual in one, or
    /// belongs to the backend of one.
    func isShown(for records: [Record]) -> Bool {
        let values = Set(records.compactMap { value(in: $0)?.text })
        if values.count > 1 { return true }
        if let usual, values.contains(where: { $0 != usual }) { return true }
        return records.contains { record in
            record.backendNames.value.map(always) ?? false
        }
    }

    func cell(_ record: Record) -> Cell {
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
