import Analysis

/// Records made in code: plausible figures of a small model, with or without energy.
struct RecordBuilder {
    var id = "20261130T005600Z-smollm2-a1b2c3"
    var label: String?
    var model: String? = "llama 135M Q4_1"
    var path = "/models/SmolLM2-135M-Instruct.Q4_1.gguf"
    var parameters: [String: JSONValue] = RecordBuilder.usualParameters
    var backends = ["CPU"]
    /// What the command line asked for, beside what every run was asked.
    var asked: [String: JSONValue] = [:]
    var engineBuild = "0.5.0 (b1234)"
    /// nil: nothing counts energy.
    var joulesPerToken: Double? = 0.3731
    var sustained: Double? = 128.92
    var status: OutcomeLine.Status = .completed
    var failedCheck: String?
    var tokenCounts = "exact"
    var seconds = 600.0
    var includes = ["rapl:package-0", "rapl:package-0/dram"]
    var scope: String? = "package + dram"
    var identity: [String: Maybe<String>] = ["cpu_model": .known("Example 9000"), "kernel": .known("6.12.1")]

    static let usualParameters: [String: JSONValue] = [
        "threads": .integer(2), "batch_tokens": .integer(2048), "micro_batch_tokens": .integer(512),
        "gpu_layers": .integer(0), "cache_type_k": .string("f16"), "cache_type_v": .string("f16"),
        "flash_attention": .string("auto"), "load_mode": .string("auto"),
    ]

    static let noEnergy = "no energy source: /sys/class/powercap is absent"

    func build() -> Record {
        Record(
            id: id, label: label, started: "2026-11-30T00:56:00Z",
            tool: ToolBuild(
                version: "0.1.0", commit: "abc1234", buildType: "release", compiler: "Swift 6.3.1"),
            artifact: artifact, engine: engine,
            protocol: Workload(
                name: "sustained-v1", promptTokens: 128, generatedTokens: 256, contextTokens: 384,
                seconds: Seconds(seconds), cycles: nil, sampling: "greedy", seed: 0),
            options: .object(
                ["seconds": .integer(Int64(seconds)), "power": .string("auto")].merging(asked) { $1 }),
            environment: environment, sources: sources,
            total: joulesPerToken == nil
                ? Total(includes: [], excludes: [], unavailable: Self.noEnergy)
                : Total(
                    includes: includes,
                    excludes: [.init(id: "rapl:package-0/core", reason: "inside package-0")], scope: scope),
            windows: windows, metrics: metrics, memory: memory, overhead: .known(overhead),
            warnings: ["threads 2 leave no core for the system"], outcome: outcome)
    }

    private var artifact: Maybe<ArtifactLine> {
        var line = ArtifactLine(
            path: path, sizeBytes: 98_400_000, sha256: .known(String(repeating: "0f", count: 32)),
            format: "gguf v3")
        line.tensorBytes = 96_551_424
        line.name = "SmolLM2 135M Instruct"
        line.architecture = "llama"
        line.quantization = .known("Q4_1")
        line.parameters = .known(134_515_008)
        line.bitsPerWeight = 5.742
        line.tensorTypes = ["Q4_1": 0.79, "Q8_0": 0.21]
        line.trainedContextTokens = 8192
        line.layers = 30
        return .known(line)
    }

    private var engine: Maybe<EngineSummary> {
        .known(
            EngineSummary(
                kind: "llama", build: engineBuild, buildType: .known("release"),
                librarySHA256: .known(String(repeating: "ab", count: 32)),
                libraries: ["/opt/llama/lib/libllama.so": .known(String(repeating: "ab", count: 32))],
                parameters: .object(parameters), backends: backends, location: "local",
                tokenCounts: tokenCounts, modelDescription: model))
    }

    private var environment: Environment {
        let governor = Condition("governor", .cannotTell, seen: "no cpufreq")
        var verdicts = [Condition("release_build", .pass, seen: "release"), governor]
        if let failedCheck { verdicts.append(Condition(failedCheck, .fail, seen: "0.80 of a core")) }
        return Environment(
            identity: identity,
            before: verdicts, after: .known([governor]),
            filter: .init(verdicts: verdicts, excluded: failedCheck != nil))
    }

    private var sources: [SourceSummary] {
        let zones = joulesPerToken == nil ? [] : includes
        return zones.map { id in
            SourceSummary(
                id: id, kind: .known(.counter),
                scope: .known(.init(domain: domain(of: id), device: "package-0")),
                status: .ok, updatePeriodSeconds: .once(0.001, method: "median of movements"), wraps: 1,
                voidIntervals: [])
        } + [
            SourceSummary(
                id: "rapl:psys", kind: .unavailable("never read"), scope: .unavailable("never read"),
                status: .noPermission, reason: "energy_uj (errno 13)", remedy: "run as root",
                updatePeriodSeconds: .unavailable("never read"), resets: 1,
                voidIntervals: [.init(begin: 1, end: 2, reason: "reset")])
        ]
    }

    private func domain(of id: String) -> String {
        id.hasPrefix("nvml") ? "gpu-board" : id.hasSuffix("dram") ? "dram" : "package"
    }

    private var windows: [Window] {
        (0..<3).flatMap { cycle in
            let begin = Double(cycle) * 2.4 + 20
            return [
                Window(
                    name: "prefill", part: .sustained, cycle: cycle, begin: begin, end: begin + 0.4,
                    tokens: 128,
                    whole: true),
                Window(
                    name: "decode", part: .sustained, cycle: cycle, begin: begin + 0.4,
                    end: begin + 2.4 + Double(cycle) * 0.05, tokens: 255, whole: true),
            ]
        } + [
            Window(
                name: "idle_before", part: .idleBefore, cycle: nil, begin: 0, end: 15, tokens: nil,
                whole: true),
            Window(
                name: "decode", part: .sustained, cycle: 3, begin: 27.2, end: 27.9, tokens: 80, whole: false),
            Window(
                name: "sustained", part: .sustained, cycle: nil, begin: 20, end: 620, tokens: nil,
                whole: true,
                contention: .known(
                    Contention(otherCores: 0.02, stealCores: 0.01, involuntarySwitches: 3.25))),
        ]
    }

    private var burst: Double { (sustained ?? 128.92) * 1.0177 }

    private var metrics: Metrics {
        let short = Figure.unavailable("short run: under 20 s and 5 cycles after burst")
        let rate = sustained.map { figure($0, 0.4) } ?? short
        var metrics = Metrics(
            idle: phase(15, nil, nil, watts: 20.12), loadCold: phase(0.157, nil, nil, watts: 31.3),
            loadWarm: phase(0.0951, nil, nil, watts: 33.8), firstToken: phase(0.39, 128, 328.2, watts: 60.5),
            loadedIdle: phase(15, nil, nil, watts: 21.04),
            fromIdle: FromIdle(
                prefill: phase(0.41, 128, 312.2, watts: 61), decode: phase(2.1, 255, 121.4, watts: 47)),
            prefill: phase(98.1, 32_000, 326.2, watts: 62.3),
            decode: phase(494.2, 63_750, 128.998, watts: 48.13),
            cycle: phase(592.6, 64_000, 108.0, watts: 50.5), burst: figure(burst, 0.5), sustained: rate,
            retained: sustained.map { figure($0 / burst, 0.004) } ?? .unavailable("short run"),
            droopOnsetSeconds: .unavailable("the rate never fell below 95 % of burst"),
            firstUse: FirstUse(
                seconds: .once(2.9, method: "sum"),
                joules: joulesPerToken == nil ? .unavailable(Self.noEnergy) : .once(139.4, method: "sum")),
            timeToFirstToken: Distribution(
                count: 250, p50: .once(0.3921, method: "quantile"), p90: .once(0.401, method: "quantile"),
                p99: .once(0.46, method: "quantile"), max: .once(0.471, method: "quantile")),
            interTokenLatency: Distribution(
                count: 63_750, p50: .once(0.00771, method: "quantile"),
                p90: .once(0.0081, method: "quantile"),
                p99: .once(0.0123, method: "quantile"), max: .once(0.11, method: "quantile")),
            busyShare: .once(0.972, method: "ratio"), wholeCycles: 250, truncated: 0,
            closure: joulesPerToken == nil
                ? .unavailable("no energy source") : .once(0.0002, method: "counters at edges"),
            perMinute: minutes,
            rolling: [RollingPoint(seconds: 10, tokensPerSecond: 130.1, depthAdjusted: 130.2)])
        metrics.secondsTo90Percent = .unavailable("the rate does not stay under 90 % of burst")
        metrics.secondsTo50Percent = .unavailable("the rate does not stay under 50 % of burst")
        metrics.droopCause = .unavailable("the rate never fell below 95 % of burst")
        metrics.decodeCanary = DecodeCanary(
            floor: figure(131.5, 0.6), kept: .once(0.991, method: "shallow steps"),
            warmFromSeconds: .unavailable("the rate does not stay under 95 % of burst"))
        metrics.ceiling = Ceiling(
            bytesPerToken: .once(105_381_888, method: "weights that a step reads"),
            impliedBytesPerSecond: figure(1.3594e10, 8.4e7),
            measuredBytesPerSecond: .once(1.892e10, method: "sum"),
            share: figure(0.7185, 0.0044))
        return metrics
    }

    private var minutes: [Minute] {
        (0..<10).map { minute in
            Minute(
                minute: minute, tokensPerSecond: figure(131 - 0.2 * Double(minute), 1),
                watts: joulesPerToken == nil ? .unavailable(Self.noEnergy) : figure(48, 1),
                joulesPerToken: joulesPerToken == nil ? .unavailable(Self.noEnergy) : figure(0.37, 0.01),
                temperature: .unavailable("no temperature was read"),
                clock: .once(3.2e9 - 1e7 * Double(minute), method: "mean"),
                contention: .known(Contention(otherCores: 0.02, stealCores: 0.01)))
        }
    }

    private func figure(_ value: Double, _ half: Double, method: String = "t interval") -> Figure {
        Figure(value, .bounds(low: value - half, high: value + half), method: method)
    }

    private func phase(_ seconds: Double, _ tokens: Int?, _ rate: Double?, watts: Double) -> PhaseMetrics {
        let none = "not defined for this window"
        return PhaseMetrics(
            seconds: .known(seconds), tokens: Maybe(tokens, else: none),
            tokensPerSecond: rate.map { figure($0, 0.8) } ?? .unavailable(none),
            gross: energy(seconds, tokens, watts: watts, sources: true),
            net: energy(seconds, tokens, watts: watts - 20.12, sources: false),
            netLoaded: energy(seconds, tokens, watts: watts - 21.04, sources: false))
    }

    /// Scaled so that the decode window's gross J/token is `joulesPerToken`.
    private func energy(_ seconds: Double, _ tokens: Int?, watts: Double, sources: Bool) -> EnergyFigures {
        guard let joulesPerToken else { return .unavailable(Self.noEnergy) }
        let factor = joulesPerToken / (48.13 * 494.2 / 63_750)
        let power = watts * factor
        let joules = power * seconds
        let each = tokens.map { joules / Double($0) }
        let none = Figure.unavailable("not defined for this window")
        return EnergyFigures(
            joules: figure(joules, joules * 0.006), watts: figure(power, power.magnitude * 0.006),
            joulesPerToken: each.map { figure($0, $0.magnitude * 0.008) } ?? none,
            tokensPerJoule: each.map { figure(1 / $0, 0.02) } ?? none,
            bySource: sources ? ["rapl:package-0": figure(joules * 0.9, joules * 0.006)] : [:])
    }

    private var memory: MemorySummary {
        MemorySummary(
            points: [
                "before_load": ["rss": 15_953_920],
                "after_load": ["rss": 131_686_400, "anonymous": 21_069_824],
                "after_first_token": ["rss": 140_933_120], "at_end": ["rss": 140_933_120],
            ],
            peakRSSBytes: .once(144_079_872, method: "VmHWM"),
            peakAnonymousBytes: .once(28_909_568, method: "1 Hz"),
            peakFileMappedBytes: .once(112_025_600, method: "1 Hz"),
            loadCostBytes: .once(115_732_480, method: "difference"),
            firstStepCostBytes: .once(9_246_720, method: "difference"), accounting: "mapped")
    }

    private var overhead: OverheadSummary {
        OverheadSummary(
            samplerCoreShare: 0.0008, processCoreShare: 0.0021, ticks: 6312, missedDeadlines: 2, lostTicks: 0,
            worstJitterSeconds: 0.0031, peakRSSBytes: .known(14_680_064))
    }

    private var outcome: OutcomeSummary {
        var line = OutcomeLine(status)
        if status != .completed {
            line.part = .sustained
            line.cause = status == .interrupted ? "SIGINT" : "SIGSEGV"
            if status == .engineFailed { line.signal = 11 }
        }
        return OutcomeSummary(line)
    }
}
