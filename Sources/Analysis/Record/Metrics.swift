/// The figures of a run (docs/metrics.md derives each).
public struct Metrics: Sendable, Hashable, Codable {
    /// Mean of the idle windows; with `net` unavailable by definition.
    public var idle: PhaseMetrics
    /// What another program did in the idle windows, so that no net figure is to be relied on; nil where they were
    /// quiet, and in records of a version that told it in the figures' methods only.
    public var idleDisturbance: String?
    public var loadCold: PhaseMetrics
    public var loadWarm: PhaseMetrics
    public var firstToken: PhaseMetrics
    public var loadedIdle: PhaseMetrics
    public var fromIdle: FromIdle
    public var prefill: PhaseMetrics
    public var decode: PhaseMetrics
    public var cycle: PhaseMetrics
    /// Decode steps per second, METRICS "Sustained".
    public var burst: Figure
    public var sustained: Figure
    /// sustained / burst.
    public var retained: Figure
    public var droopOnsetSeconds: Figure
    /// Seconds since t = 0 after which the rate stays under 90 % and under 50 % of burst, by the change-point
    /// that gives the onset. Nil, as are the three below, in records of a version that did not compute it.
    public var secondsTo90Percent: Figure?
    public var secondsTo50Percent: Figure?
    public var droopCause: Maybe<DroopCause>?
    public var decodeCanary: DecodeCanary?
    public var ceiling: Ceiling?
    /// The generations of `pb-random-v1` one by one; nil for all other protocols.
    public var coldAndWarm: ColdAndWarm?
    /// Cold load + first token + one cycle.
    public var firstUse: FirstUse
    /// Time to first token over the whole cycles, seconds.
    public var timeToFirstToken: Distribution
    /// Time between decode steps over the whole cycles, seconds.
    public var interTokenLatency: Distribution
    /// Share of the time after warm-up that lies inside prefill or decode windows.
    public var busyShare: Figure
    public var wholeCycles: Int
    /// Generations that ended with any stop reason but `length` or the deadline.
    public var truncated: Int
    /// (Sum of prefill, decode and gaps - energy of the stretch they fill, taken from its own two edges) /
    /// the latter, over the whole cycles. Within 0.005 the phases' energies close.
    public var closure: Figure
    /// Tokens generated for each percent by which the battery's level fell in the sustained part; nil in
    /// records of versions that did not estimate it.
    public var tokensPerBatteryPercent: Figure?
    /// One row a minute of the sustained part.
    public var perMinute: [Minute]
    /// Rolling decode rate over the sustained part, one point a window step.
    public var rolling: [RollingPoint]

    public init(
        idle: PhaseMetrics, loadCold: PhaseMetrics, loadWarm: PhaseMetrics, firstToken: PhaseMetrics,
        loadedIdle: PhaseMetrics, fromIdle: FromIdle, prefill: PhaseMetrics, decode: PhaseMetrics,
        cycle: PhaseMetrics, burst: Figure, sustained: Figure, retained: Figure, droopOnsetSeconds: Figure,
        firstUse: FirstUse, timeToFirstToken: Distribution, interTokenLatency: Distribution,
        busyShare: Figure, wholeCycles: Int, truncated: Int, closure: Figure, perMinute: [Minute],
        rolling: [RollingPoint]
    ) {
        self.idle = idle
        self.loadCold = loadCold
        self.loadWarm = loadWarm
        self.firstToken = firstToken
        self.loadedIdle = loadedIdle
        self.fromIdle = fromIdle
        self.prefill = prefill
        self.decode = decode
        self.cycle = cycle
        self.burst = burst
        self.sustained = sustained
        self.retained = retained
        self.droopOnsetSeconds = droopOnsetSeconds
        self.firstUse = firstUse
        self.timeToFirstToken = timeToFirstToken
        self.interTokenLatency = interTokenLatency
        self.busyShare = busyShare
        self.wholeCycles = wholeCycles
        self.truncated = truncated
        self.closure = closure
        self.perMinute = perMinute
        self.rolling = rolling
    }

    enum CodingKeys: String, CodingKey {
        case idle, prefill, decode, cycle, burst, sustained, retained, truncated, closure, rolling
        case idleDisturbance = "idle_disturbance"
        case loadCold = "load_cold"
        case loadWarm = "load_warm"
        case firstToken = "first_token"
        case loadedIdle = "loaded_idle"
        case fromIdle = "from_idle"
        case ceiling
        case coldAndWarm = "cold_and_warm"
        case droopOnsetSeconds = "droop_onset_seconds"
        case secondsTo90Percent = "seconds_to_90_percent"
        case secondsTo50Percent = "seconds_to_50_percent"
        case droopCause = "droop_cause"
        case decodeCanary = "decode_canary"
        case firstUse = "first_use"
        case timeToFirstToken = "time_to_first_token_seconds"
        case interTokenLatency = "inter_token_latency_seconds"
        case busyShare = "busy_share"
        case wholeCycles = "whole_cycles"
        case tokensPerBatteryPercent = "tokens_per_battery_percent"
        case perMinute = "per_minute"
    }
}

/// One phase: its length, its tokens and its energy.
public struct PhaseMetrics: Sendable, Hashable, Codable {
    /// Sum over the phase's windows, seconds.
    public var seconds: Maybe<Double>
    /// The divisor of the per-token figures: prompt tokens, decode steps or generated tokens.
    public var tokens: Maybe<Int>
    public var tokensPerSecond: Figure
    public var gross: EnergyFigures
    /// Above the idle machine.
    public var net: EnergyFigures
    /// Above the machine with the model resident and no work.
    public var netLoaded: EnergyFigures
    /// Events per token; only in the phases over whole cycles: `prefill`, `decode`, `cycle`.
    public var counters: EventFigures?

    public init(
        seconds: Maybe<Double>, tokens: Maybe<Int>, tokensPerSecond: Figure, gross: EnergyFigures,
        net: EnergyFigures, netLoaded: EnergyFigures
    ) {
        self.seconds = seconds
        self.tokens = tokens
        self.tokensPerSecond = tokensPerSecond
        self.gross = gross
        self.net = net
        self.netLoaded = netLoaded
    }

    enum CodingKeys: String, CodingKey {
        case seconds, tokens, gross, net, counters
        case tokensPerSecond = "tokens_per_second"
        case netLoaded = "net_loaded"
    }
}

/// Energy of a phase over the total's scopes.
public struct EnergyFigures: Sendable, Hashable, Codable {
    public var joules: Figure
    public var watts: Figure
    public var joulesPerToken: Figure
    /// Tokens per joule, the inverse.
    public var tokensPerJoule: Figure
    /// Joules by source id; only in `gross`. An empty one is written as the reason why it is.
    public var bySource: [String: Figure]
    /// What vendors say of the accuracy of the total's sensors, "unknown" where one says nothing; it is in no
    /// interval. Nil where there is no energy.
    public var sensorAccuracy: String?

    public init(
        joules: Figure, watts: Figure, joulesPerToken: Figure, tokensPerJoule: Figure,
        bySource: [String: Figure] = [:], sensorAccuracy: String? = nil
    ) {
        self.joules = joules
        self.watts = watts
        self.joulesPerToken = joulesPerToken
        self.tokensPerJoule = tokensPerJoule
        self.bySource = bySource
        self.sensorAccuracy = sensorAccuracy
    }

    /// Every figure unavailable for one reason.
    public static func unavailable(_ reason: String) -> EnergyFigures {
        EnergyFigures(
            joules: .unavailable(reason), watts: .unavailable(reason), joulesPerToken: .unavailable(reason),
            tokensPerJoule: .unavailable(reason))
    }

    enum CodingKeys: String, CodingKey {
        case joules, watts
        case joulesPerToken = "joules_per_token"
        case tokensPerJoule = "tokens_per_joule"
        case bySource = "by_source"
        case sensorAccuracy = "sensor_accuracy"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        joules = try container.decode(Figure.self, forKey: .joules)
        watts = try container.decode(Figure.self, forKey: .watts)
        joulesPerToken = try container.decode(Figure.self, forKey: .joulesPerToken)
        tokensPerJoule = try container.decode(Figure.self, forKey: .tokensPerJoule)
        bySource = try container.decode(Maybe<[String: Figure]>.self, forKey: .bySource).value ?? [:]
        sensorAccuracy = try container.decodeIfPresent(String.self, forKey: .sensorAccuracy)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(joules, forKey: .joules)
        try container.encode(watts, forKey: .watts)
        try container.encode(joulesPerToken, forKey: .joulesPerToken)
        try container.encode(tokensPerJoule, forKey: .tokensPerJoule)
        let known: Maybe<[String: Figure]> =
            bySource.isEmpty
            ? .unavailable(joules.reason ?? "what idle takes is known of the total only") : .known(bySource)
        try container.encode(known, forKey: .bySource)
        try container.encodeIfPresent(sensorAccuracy, forKey: .sensorAccuracy)
    }
}

/// The first full-shape generation after idle, kept as its own row.
public struct FromIdle: Sendable, Hashable, Codable {
    public var prefill: PhaseMetrics
    public var decode: PhaseMetrics
    public init(prefill: PhaseMetrics, decode: PhaseMetrics) {
        self.prefill = prefill
        self.decode = decode
    }
}

/// What the first use of a build costs: cold load + first token + one cycle.
public struct FirstUse: Sendable, Hashable, Codable {
    public var seconds: Figure
    public var joules: Figure
    public init(seconds: Figure, joules: Figure) {
        self.seconds = seconds
        self.joules = joules
    }
}

/// Quantiles of a set of times in seconds.
public struct Distribution: Sendable, Hashable, Codable {
    public var count: Int
    public var p50: Figure
    public var p90: Figure
    public var p99: Figure
    public var max: Figure
    public init(count: Int, p50: Figure, p90: Figure, p99: Figure, max: Figure) {
        self.count = count
        self.p50 = p50
        self.p90 = p90
        self.p99 = p99
        self.max = max
    }
}

/// One minute of the sustained part.
public struct Minute: Sendable, Hashable, Codable {
    /// 0 for the first.
    public var minute: Int
    public var tokensPerSecond: Figure
    public var watts: Figure
    public var joulesPerToken: Figure
    public var temperature: Figure
    public var clock: Figure
    /// Who else used the machine; nil in records of a version that did not look.
    public var contention: Maybe<Contention>?
    public init(
        minute: Int, tokensPerSecond: Figure, watts: Figure, joulesPerToken: Figure, temperature: Figure,
        clock: Figure, contention: Maybe<Contention>? = nil
    ) {
        self.minute = minute
        self.tokensPerSecond = tokensPerSecond
        self.watts = watts
        self.joulesPerToken = joulesPerToken
        self.temperature = temperature
        self.clock = clock
        self.contention = contention
    }
    enum CodingKeys: String, CodingKey {
        case minute, watts, temperature, clock, contention
        case tokensPerSecond = "tokens_per_second"
        case joulesPerToken = "joules_per_token"
    }
}

/// The rolling rate at one moment of the sustained part.
public struct RollingPoint: Sendable, Hashable, Codable {
    /// End of the rolling window, seconds since t = 0.
    public var seconds: Double
    /// Decode steps per decode second, as counted.
    public var tokensPerSecond: Double
    /// The same with every step's time divided by the run's reference at its position; nil until it exists.
    public var depthAdjusted: Double?
    public init(seconds: Double, tokensPerSecond: Double, depthAdjusted: Double? = nil) {
        self.seconds = seconds
        self.tokensPerSecond = tokensPerSecond
        self.depthAdjusted = depthAdjusted
    }
    enum CodingKeys: String, CodingKey {
        case seconds
        case tokensPerSecond = "tokens_per_second"
        case depthAdjusted = "depth_adjusted"
    }
}
