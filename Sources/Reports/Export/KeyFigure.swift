import Analysis

/// One key of the flat exports: llama-bench's name where it has one, with llama-bench's meaning.
struct KeyFigure: Sendable {
    var key: String
    var value: @Sendable (RunRow) -> FlatValue

    init(_ key: String, _ value: @escaping @Sendable (RunRow) -> FlatValue) {
        self.key = key
        self.value = value
    }

    /// All keys, llama-bench's first (tools/llama-bench/llama-bench.cpp, `test::get_fields`).
    static let all = machine + model + engine + workload + rates + identity + energy + endurance + memory

    private static let machine = [
        KeyFigure("cpu_info") { fact($0, ["cpu_model", "cpu"]) },
        KeyFigure("gpu_info") { fact($0, ["gpu_model", "gpu"]) },
    ]

    private static let model = [
        KeyFigure("model_filename") { artifact($0) { .text($0.path) } },
        KeyFigure("model_type") { FlatValue($0.record.modelName) { .text($0) } },
        KeyFigure("model_size") { row in
            artifact(row) {
                $0.tensorBytes.map { FlatValue($0) } ?? .missing("the tensors' bytes are unknown")
            }
        },
        KeyFigure("model_n_params") { artifact($0) { FlatValue($0.parameters) { FlatValue($0) } } },
    ]

    private static let engine =
        [KeyFigure("backends") { FlatValue($0.record.backendNames) { .text($0) } }]
        + EngineParameter.all.map { parameter in KeyFigure(parameter.export) { parameter.exported($0.record) }
        }

    private static let workload = [
        KeyFigure("n_prompt") { .integer($0.phase == .prefill ? Int64($0.record.protocol.promptTokens) : 0) },
        KeyFigure("n_gen") { .integer($0.phase == .decode ? Int64($0.record.protocol.generatedTokens) : 0) },
        KeyFigure("n_depth") { .integer($0.phase == .decode ? Int64($0.record.protocol.promptTokens) : 0) },
        KeyFigure("test_time") { .text($0.record.started) },
    ]

    private static let rates =
        [
            KeyFigure("avg_ns") { Samples.whole(Samples.mean(Samples($0).nanoseconds)) },
            KeyFigure("stddev_ns") { Samples.whole(Samples.deviation(Samples($0).nanoseconds)) },
            KeyFigure("avg_ts") { Samples.mean(Samples($0).rates) },
            KeyFigure("stddev_ts") { Samples.deviation(Samples($0).rates) },
            KeyFigure("samples_ns") { .numbers(Samples($0).nanoseconds) },
            KeyFigure("samples_ts") { .numbers(Samples($0).rates) },
        ] + figure("tokens_per_second", .tokensPerSecond)

    private static let identity = [
        KeyFigure("test") { .text($0.test) },
        KeyFigure("id") { ofOneRun($0, $0.record.id, else: "run_ids") },
        KeyFigure("runs") { .integer(Int64($0.run.runs.count)) },
        KeyFigure("run_ids") { .text($0.run.runs.map(\.digest.id).joined(separator: " ")) },
        KeyFigure("provisional") { .flag($0.run.isProvisional) },
        KeyFigure("label") { FlatValue($0.record.label, else: "no label was given") },
        KeyFigure("submitter") { FlatValue($0.record.options["submitter"]?.string, else: "none was named") },
        KeyFigure("path") { ofOneRun($0, $0.run.path, else: "run_ids") },
        KeyFigure("status") { .text($0.record.outcome.status.rawValue) },
        KeyFigure("excluded") { .flag($0.record.environment.filter.excluded) },
        KeyFigure("ending") { FlatValue($0.record.ending, else: "the run ended as it should and counts") },
        KeyFigure("protocol") { .text($0.record.protocol.name) },
        KeyFigure("run_seconds") { FlatValue(finite: $0.record.protocol.seconds.value) },
        KeyFigure("engine_kind") { engine($0) { .text($0.kind) } },
        KeyFigure("engine_build") { engine($0) { .text($0.build) } },
        KeyFigure("engine_library_sha256") { engine($0) { FlatValue($0.librarySHA256) { .text($0) } } },
        KeyFigure("token_counts") { engine($0) { .text($0.tokenCounts) } },
        KeyFigure("artifact_sha256") { artifact($0) { FlatValue($0.sha256) { .text($0) } } },
        KeyFigure("artifact_size_bytes") { artifact($0) { FlatValue($0.sizeBytes) } },
        KeyFigure("quantization") { artifact($0) { FlatValue($0.quantization) { .text($0) } } },
        KeyFigure("weights") { artifact($0) { FlatValue($0.weights, else: "the file does not say") } },
        KeyFigure("seconds") { FlatValue($0.metrics.seconds) { FlatValue(finite: $0) } },
        KeyFigure("tokens") { FlatValue($0.metrics.tokens) { .integer(Int64($0)) } },
    ]

    private static let energy =
        [
            KeyFigure("energy_covers") { covers($0.record) },
            KeyFigure("energy_estimator") { row in
                let joules = row.metrics[.joulesGross]
                return FlatValue(EnergyBasis.estimator(of: joules), else: joules.reason ?? "no energy")
            },
            KeyFigure("net_disturbance") {
                FlatValue(
                    $0.record.netDisturbance, else: "nothing is known to have disturbed the idle windows")
            },
        ]
        + figure("watts", .watts)
        + figure("joules_gross", .joulesGross)
        + figure("joules_per_token_gross", .joulesPerTokenGross)
        + figure("joules_per_token_net", .joulesPerTokenNet)
        + figure("joules_per_token_net_loaded", .joulesPerTokenNetLoaded)

    private static let endurance =
        ofRun("burst", .burst)
        + ofRun("sustained", .sustained)
        + [KeyFigure("short_run") { $0.isMain ? .flag($0.record.isShortRun) : .missing(elsewhere) }]
        + ofRun("retained", .retained)
        + ofRun("droop_onset_seconds", .droopOnset)
        + ofRun("seconds_to_90_percent", .secondsTo90Percent)
        + ofRun("seconds_to_50_percent", .secondsTo50Percent)
        + ofRun("decode_canary_kept", .canaryKept)
        + ofRun("ceiling_share", .ceilingShare)
        + ofRun("median_warm_decode_tokens_per_second", .medianWarmDecode)
        + ofRun("time_to_first_token_p50_seconds", .firstTokenP50)
        + ofRun("time_to_first_token_p99_seconds", .firstTokenP99)
        + ofRun("inter_token_latency_p50_seconds", .interTokenP50)
        + ofRun("inter_token_latency_p99_seconds", .interTokenP99)

    private static let memory =
        [
            KeyFigure("memory_accounting") {
                $0.isMain ? .text($0.record.memoryAccounting) : .missing(elsewhere)
            }
        ]
        + ofRun("peak_rss_bytes", .peakRSS)
        + ofRun("peak_anonymous_bytes", .peakAnonymous)
        + ofRun("peak_file_mapped_bytes", .peakFileMapped)

    /// Why the row of one phase lacks what is told once a run.
    private static let elsewhere = "a figure of the whole run: in its row of generation (tg)"

    private static func ofOneRun(_ row: RunRow, _ text: String, else key: String) -> FlatValue {
        row.run.members.isEmpty
            ? .text(text) : .missing("medians of \(row.run.members.count) runs: see \(key)")
    }

    /// A figure and the ends of its interval.
    private static func ends(
        _ key: String, _ figure: @escaping @Sendable (RunRow) -> Figure
    ) -> [KeyFigure] {
        func end(_ pick: @escaping @Sendable (Double, Double) -> Double) -> @Sendable (RunRow) -> FlatValue {
            { row in
                switch figure(row) {
                case .unavailable(let why): .missing(why.reason)
                case .value(_, .bounds(let low, let high), _): FlatValue(finite: pick(low, high))
                case .value(_, .unavailable(let why), _): .missing(why.reason)
                }
            }
        }
        return [
            KeyFigure(key) { FlatValue(figure($0)) },
            KeyFigure(key + "_low", end { low, _ in low }),
            KeyFigure(key + "_high", end { _, high in high }),
        ]
    }

    private static func figure(_ key: String, _ figure: PhaseFigure) -> [KeyFigure] {
        ends(key) { $0.metrics[figure] }
    }

    /// A figure of the whole run: in the decode row, as in the table.
    private static func ofRun(_ key: String, _ figure: RunFigure) -> [KeyFigure] {
        ends(key) { $0.record[figure] }.map { member in
            KeyFigure(member.key) { $0.isMain ? member.value($0) : .missing(elsewhere) }
        }
    }

    private static func artifact(_ row: RunRow, _ value: (ArtifactLine) -> FlatValue) -> FlatValue {
        FlatValue(row.record.artifact, value)
    }

    private static func engine(_ row: RunRow, _ value: (EngineSummary) -> FlatValue) -> FlatValue {
        FlatValue(row.record.engine, value)
    }

    private static func covers(_ record: RunDigest) -> FlatValue {
        record.energyScope.map(FlatValue.text) ?? .missing(record.total.unavailable ?? "no energy source")
    }

    private static func fact(_ row: RunRow, _ keys: [String]) -> FlatValue {
        for key in keys {
            if let fact = row.record.environment.identity[key] { return FlatValue(fact) { .text($0) } }
        }
        return .missing("the record names no \(keys.joined(separator: " or "))")
    }
}

extension EngineParameter {
    /// The value as llama-bench exports it: flash attention as -1, 0 or 1 (`llama_flash_attn_type`).
    func exported(_ record: RunDigest) -> FlatValue {
        guard let value = value(in: record) else { return .missing("the engine does not report it") }
        if export == "flash_attn", let word = value.string {
            switch word {
            case "auto": return .integer(-1)
            case "off": return .integer(0)
            case "on": return .integer(1)
            default: return .text(word)
            }
        }
        return value.integer.map(FlatValue.integer) ?? .text(value.text)
    }
}
