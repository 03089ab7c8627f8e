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
        // A commit and nothing else: programs look for it in git. The library's hash is in sustain's own exports.
        members["build_commit"] = .string(engine?.commit ?? "")
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

extension EngineSummary {
    /// The commit that the engine says it was built from: a hash alone in parentheses, as in ggml's
    /// "0.25.3 (6b74bab)", or after the word "commit"; nil where it tells none. What compilers say of themselves
    /// may hold hashes too, but none that stands so.
    var commit: String? {
        for piece in build.split(separator: "(").dropFirst() {
            let inner = piece.prefix { $0 != ")" }
            if inner.endIndex < piece.endIndex, Self.isCommit(inner) { return String(inner) }
        }
        let words = build.split { !$0.isLetter && !$0.isNumber && $0 != "-" }
        return zip(words, words.dropFirst()).first { $0.lowercased() == "commit" && Self.isCommit($1) }.map {
            String($0.1)
        }
    }

    /// Seven to 40 hexadecimal digits; one of figures alone is a date as well as it is a commit.
    private static func isCommit(_ text: Substring) -> Bool {
        let hash = text.hasSuffix("-dirty") ? text.dropLast(6) : text
        return (7...40).contains(hash.utf8.count) && hash.utf8.contains { $0 >= 0x61 }
            && hash.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
