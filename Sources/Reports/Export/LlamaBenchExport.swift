import Analysis

/// `-o llama-bench`: JSON with llama-bench's keys and no others, for programs that read its output (llama.cpp,
/// scripts/compare-llama-bench.py).
struct LlamaBenchExport {
    let runs: [Run]

    /// The keys of `test::get_fields` that `KeyFigure.all` has as well.
    private static let shared: [KeyFigure] = {
        let names: Set = [
            "cpu_info", "gpu_info", "backends", "model_filename", "model_type", "model_size",
            "model_n_params",
            "n_batch", "n_ubatch", "n_threads", "type_k", "type_v", "n_gpu_layers", "flash_attn", "n_prompt",
            "n_gen", "n_depth", "test_time", "avg_ns", "stddev_ns", "avg_ts", "stddev_ts", "samples_ns",
            "samples_ts",
        ]
        return KeyFigure.all.filter { names.contains($0.key) }
    }()

    /// What `sustain` leaves to the engine, so that its value is not known here.
    private static let unknown = [
        "build_number", "cpu_mask", "cpu_strict", "poll", "split_mode", "main_gpu", "no_kv_offload",
        "tensor_split", "tensor_buft_overrides", "embeddings", "no_op_offload",
    ]

    func text() throws(Failure) -> String {
        try JSONText.rows(runs.flatMap { RunRow.rows(of: $0) }.map(Self.object), lines: false)
    }

    private static func object(_ row: RunRow) -> JSONValue {
        var members = Dictionary(
            shared.map { ($0.key, $0.value(row).json) }, uniquingKeysWith: { first, _ in first })
        // Rows are joined there by what describes them, and a null joins nothing: it is a word instead. Without a GPU
        // llama-bench writes "".
        for key in unknown { members[key] = .string("unknown") }
        for (key, value) in members where value == .null && !measured.contains(key) {
            members[key] = .string(key == "gpu_info" ? "" : "unknown")
        }
        let engine = row.record.engine.value
        // Only tells builds apart there: the library's hash does, where a commit may say "unknown".
        members["build_commit"] =
            (engine?.librarySHA256.value ?? engine?.build).map { .string(String($0.prefix(8))) } ?? .null
        members["use_mmap"] = isMapped(engine?.parameters["load_mode"]?.string)
        return .object(members)
    }

    private static func isMapped(_ mode: String?) -> JSONValue {
        switch mode {
        case "mmap", "mmap+mlock": .bool(true)
        case "none", "mlock", "direct-io": .bool(false)
        default: .string("unknown")
        }
    }

    private static let measured: Set = [
        "avg_ns", "stddev_ns", "avg_ts", "stddev_ts", "model_size", "model_n_params",
    ]
}
