import Analysis

/// The figures of a whole run that tables, exports and frontiers show. The raw values are places in the index of
/// records: a new one goes to the end, and `RecordIndex.layout` changes by itself.
enum RunFigure: Int, CaseIterable, Sendable {
    case burst, sustained, retained, droopOnset, secondsTo90Percent, secondsTo50Percent, canaryKept
    case ceilingShare, firstTokenP50, firstTokenP99, interTokenP50, interTokenP99, medianWarmDecode
    case peakRSS, peakAnonymous, peakFileMapped
}

/// The figures of one phase that tables, exports and frontiers show.
enum PhaseFigure: Int, CaseIterable, Sendable {
    case tokensPerSecond, watts, joulesGross, joulesPerTokenGross, joulesPerTokenNet, joulesPerTokenNetLoaded
}

/// What a report keeps of one run: a few kilobytes where the record has a megabyte.
///
/// Its members have the types and names of the record's. What no table shows is left out, also inside of them:
/// conditions are merged, sources are those of the total and the dead.
struct RunDigest: DescribedRun, Sendable, Hashable {
    struct Phase: Sendable, Hashable {
        var seconds: Maybe<Double>
        var tokens: Maybe<Int>
        var figures: [Figure]
        var samples: Samples

        subscript(_ figure: PhaseFigure) -> Figure {
            get { figures[figure.rawValue] }
            set { figures[figure.rawValue] = newValue }
        }
    }

    var id: String
    var label: String?
    var started: String
    var artifact: Maybe<ArtifactLine>
    var engine: Maybe<EngineSummary>
    var `protocol`: Workload
    /// Those of the command line that a report asks about, by their long names.
    var options: JSONValue
    var environment: Environment
    var sources: [SourceSummary]
    var total: Total
    var outcome: OutcomeSummary
    /// "mapped", "anonymous", "gpu", "not our process": figures of different kinds are never ranked.
    var memoryAccounting: String
    /// What disturbed the idle windows, so that net is unreliable.
    var netDisturbance: String?
    var prefill: Phase
    var decode: Phase
    var figures: [Figure]
    /// The rolling decode rate in a few steps, for a sparkline; empty where there is none.
    var course: [Float]

    subscript(_ figure: RunFigure) -> Figure {
        get { figures[figure.rawValue] }
        set { figures[figure.rawValue] = newValue }
    }

    var sustainedFigure: Figure { self[.sustained] }

    /// Who made the run: the name given with `--submitter`, and the boards' own ids, because two of a model are
    /// two devices in the hands of two people.
    var submitter: String {
        let named = options["submitter"]?.string ?? ""
        return named + "\n" + (environment.identity["gpu_uuid"]?.value ?? "")
    }

    /// Steps of a sparkline.
    static let courseSteps = 24
}

extension RunDigest {
    /// Options of the command line that a report asks about.
    private static let askedOptions = EngineParameter.all.map(\.option) + ["env", "submitter"]
    /// Of records made before a figure was.
    private static let older = Figure.unavailable("not computed by the version that made the record")

    init(_ record: Record) {
        let metrics = record.metrics
        let memory = record.memory
        id = record.id
        label = record.label
        started = record.started
        artifact = record.artifact.slim
        engine = record.engine
        `protocol` = record.protocol
        options = .object(
            Self.askedOptions.reduce(into: [:]) { kept, name in
                if let value = record.options[name] { kept[name] = value }
            })
        environment = Environment(
            identity: record.environment.identity, before: [], after: .unavailable("merged"),
            filter: record.environment.filter)
        sources = record.sources.filter { record.total.includes.contains($0.id) || $0.status == .dead }.map {
            SourceSummary(
                id: $0.id, kind: $0.kind, scope: $0.scope, status: $0.status, reason: $0.reason,
                updatePeriodSeconds: .unavailable("not kept"))
        }
        total = Total(
            includes: record.total.includes, excludes: [], scope: record.total.scope,
            unavailable: record.total.unavailable)
        outcome = record.outcome
        outcome.last = nil
        memoryAccounting = memory.accounting
        netDisturbance = metrics.idleDisturbance ?? Self.disturbance(in: metrics.decode.net.joules)
        prefill = Phase(metrics.prefill, Samples(record.windows, of: "prefill"))
        decode = Phase(metrics.decode, Samples(record.windows, of: "decode"))
        let ofCourse =
            record.protocol.name == "pb-random-v1" ? "the record has no such median" : "another protocol"
        figures = RunFigure.allCases.map { figure in
            switch figure {
            case .burst: metrics.burst
            case .sustained: metrics.sustained
            case .retained: metrics.retained
            case .droopOnset: metrics.droopOnsetSeconds
            case .secondsTo90Percent: metrics.secondsTo90Percent ?? Self.older
            case .secondsTo50Percent: metrics.secondsTo50Percent ?? Self.older
            case .canaryKept: metrics.decodeCanary?.kept ?? Self.older
            case .ceilingShare: metrics.ceiling?.share ?? Self.older
            case .firstTokenP50: metrics.timeToFirstToken.p50
            case .firstTokenP99: metrics.timeToFirstToken.p99
            case .interTokenP50: metrics.interTokenLatency.p50
            case .interTokenP99: metrics.interTokenLatency.p99
            case .medianWarmDecode: metrics.coldAndWarm?.medianWarmDecode ?? .unavailable(ofCourse)
            case .peakRSS: memory.peakRSSBytes
            case .peakAnonymous: memory.peakAnonymousBytes
            case .peakFileMapped: memory.peakFileMappedBytes
            }
        }
        course = Self.course(metrics.rolling)
    }

    /// Versions before `idle_disturbance` told it in the method of each net figure only.
    private static func disturbance(in net: Figure) -> String? {
        guard case .value(_, _, let method) = net else { return nil }
        let made = method.prefix { $0 != ";" }
        return made.firstRange(of: "unreliable: ").map { String(made[$0.upperBound...]) }
    }

    /// The mean of each of some equal stretches of the sustained part.
    private static func course(_ rolling: [RollingPoint]) -> [Float] {
        guard let end = rolling.last?.seconds, end > 0, end.isFinite else { return [] }
        var sums = Array(repeating: (total: 0.0, count: 0.0), count: courseSteps)
        for point in rolling {
            let place = point.seconds / end * Double(courseSteps)
            guard place.isFinite, place >= 0 else { continue }
            let step = min(courseSteps - 1, Int(min(place, Double(courseSteps))))
            sums[step].total += point.depthAdjusted ?? point.tokensPerSecond
            sums[step].count += 1
        }
        return sums.filter { $0.count > 0 }.map { Float($0.total / $0.count) }.filter(\.isFinite)
    }
}

extension RunDigest.Phase {
    init(_ metrics: PhaseMetrics, _ samples: Samples) {
        seconds = metrics.seconds
        tokens = metrics.tokens
        self.samples = samples
        figures = PhaseFigure.allCases.map { figure in
            switch figure {
            case .tokensPerSecond: metrics.tokensPerSecond
            case .watts: metrics.gross.watts
            case .joulesGross: metrics.gross.joules
            case .joulesPerTokenGross: metrics.gross.joulesPerToken
            case .joulesPerTokenNet: metrics.net.joulesPerToken
            case .joulesPerTokenNetLoaded: metrics.netLoaded.joulesPerToken
            }
        }
    }
}

extension Maybe<ArtifactLine> {
    /// Without the parts that only the page of a run shows.
    fileprivate var slim: Maybe<ArtifactLine> {
        guard case .known(var artifact) = self else { return self }
        artifact.tensorTypes = [:]
        artifact.tensorBlocks = nil
        artifact.decodeReads = nil
        return .known(artifact)
    }
}
