import Analysis

/// A figure that runs may be ranked by, and which way is better.
struct ParetoMeasure: Sendable {
    enum Kind: Sendable { case plain, energy, memory }

    /// The name in exports, and the column's title; `--axes` takes either.
    var key: String
    var title: String
    var unit: String
    var kind: Kind
    var lessIsBetter: Bool
    /// From the record's unit to the shown one.
    var scale = 1.0
    var figure: @Sendable (RunDigest) -> Figure

    static let all: [ParetoMeasure] = [
        energy("joules_per_token_gross", "J/tok gross", .joulesPerTokenGross),
        energy("joules_per_token_net", "net", .joulesPerTokenNet),
        energy("joules_per_token_net_loaded", "net loaded", .joulesPerTokenNetLoaded),
        .init(key: "watts", title: "W", unit: "W", kind: .energy, lessIsBetter: true) { $0.decode[.watts] },
        .init(
            key: "prefill_joules_per_token_gross", title: "prefill J/tok gross", unit: "J/token",
            kind: .energy,
            lessIsBetter: true
        ) { $0.prefill[.joulesPerTokenGross] },
        rate("tokens_per_second", "t/s") { $0.decode[.tokensPerSecond] },
        rate("prefill_tokens_per_second", "prefill t/s") { $0.prefill[.tokensPerSecond] },
        rate("burst", "burst") { $0[.burst] },
        rate("sustained", "sustained") { $0[.sustained] },
        .init(key: "retained", title: "kept", unit: "%", kind: .plain, lessIsBetter: false, scale: 100) {
            $0[.retained]
        },
        memory("peak_rss_bytes", "peak mem", .peakRSS),
        memory("peak_anonymous_bytes", "peak anonymous", .peakAnonymous),
        .init(
            key: "model_size", title: "size", unit: "MiB", kind: .plain, lessIsBetter: true,
            scale: 1 / 1_048_576
        ) { run in
            switch run.modelBytes {
            case .known(let bytes): .once(Double(bytes), method: "of the file")
            case .unavailable(let why): .unavailable(why)
            }
        },
        latency("time_to_first_token_p50_seconds", .firstTokenP50),
        latency("time_to_first_token_p99_seconds", .firstTokenP99),
        latency("inter_token_latency_p50_seconds", .interTokenP50),
        latency("inter_token_latency_p99_seconds", .interTokenP99),
    ]

    private static func energy(_ key: String, _ title: String, _ figure: PhaseFigure) -> ParetoMeasure {
        .init(key: key, title: title, unit: "J/token", kind: .energy, lessIsBetter: true) {
            $0.decode[figure]
        }
    }

    private static func rate(
        _ key: String, _ title: String, _ figure: @escaping @Sendable (RunDigest) -> Figure
    ) -> ParetoMeasure {
        .init(key: key, title: title, unit: "tok/s", kind: .plain, lessIsBetter: false, figure: figure)
    }

    private static func memory(_ key: String, _ title: String, _ figure: RunFigure) -> ParetoMeasure {
        .init(
            key: key, title: title, unit: "MiB", kind: .memory, lessIsBetter: true, scale: 1 / 1_048_576
        ) { $0[figure] }
    }

    private static func latency(_ key: String, _ figure: RunFigure) -> ParetoMeasure {
        .init(
            key: key, title: key.replacing("_seconds", with: "").replacing("_", with: " "), unit: "ms",
            kind: .plain, lessIsBetter: true, scale: 1000
        ) { $0[figure] }
    }

    /// "J/tok gross (lower is better)".
    var described: String { "\(name) (\(lessIsBetter ? "lower" : "higher") is better)" }

    /// The figure's name with its unit where the name does not say it: "decode J/tok gross", "sustained t/s".
    var name: String {
        switch (kind, key) {
        case (.energy, "watts"): "decode W"
        case (.energy, "joules_per_token_net"), (.energy, "joules_per_token_net_loaded"):
            "decode J/tok \(title)"
        case (.energy, "joules_per_token_gross"): "decode \(title)"
        case (_, "burst"), (_, "sustained"): "\(title) t/s"
        case (_, "tokens_per_second"): "decode t/s"
        case (.energy, _), (_, "prefill_tokens_per_second"): title
        default: "\(title), \(unit)"
        }
    }
}

/// Two figures that are weighed against one another.
struct ParetoAxes: Sendable {
    var x: ParetoMeasure
    var y: ParetoMeasure

    static let usual = "joules_per_token_gross,sustained"

    /// - Parameter text: two names of `ParetoMeasure.all`, a comma between them.
    /// - Throws: a usage `Failure` that lists the names.
    init(_ text: String = usual) throws(Failure) {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map {
            $0.lowercased().trimmingEnds()
        }
        func failure(_ cause: String) -> Failure {
            Failure(
                thing: "--axes \(text)", cause: cause,
                remedy: "X,Y of: " + ParetoMeasure.all.map(\.key).joined(separator: ", "), exit: .usage)
        }
        guard names.count == 2 else { throw failure("not two names with a comma between them") }
        let found = names.map { name in
            ParetoMeasure.all.first { $0.key == name || $0.title.lowercased() == name }
        }
        for (name, measure) in zip(names, found) where measure == nil {
            throw failure("no figure \"\(name)\"")
        }
        guard let x = found[0], let y = found[1], x.key != y.key else {
            throw failure("twice the same figure")
        }
        self.init(x: x, y: y)
    }

    init(x: ParetoMeasure, y: ParetoMeasure) {
        self.x = x
        self.y = y
    }

    /// "decode J/tok gross (lower is better) against sustained t/s (higher is better)".
    var described: String { "\(x.described) against \(y.described)" }

    /// A run's coordinates, turned so that less of the first and more of the second is better; nil when it lacks one
    /// or does not count.
    func point(_ run: Run) -> ParetoFrontier.Point? {
        guard run.digest.mark == nil, Setting(run.digest).isRanked,
            let x = x.figure(run.digest).number, let y = y.figure(run.digest).number, x.isFinite, y.isFinite
        else { return nil }
        return ParetoFrontier.Point(
            cost: self.x.lessIsBetter ? x : -x, benefit: self.y.lessIsBetter ? -y : y)
    }

    /// Why a run has no place on a frontier; nil when it has both coordinates and counts.
    func reason(_ run: Run) -> String? {
        let digest = run.digest
        if let mark = digest.mark { return mark + (digest.ending.map { " (\($0))" } ?? "") }
        if !Setting(digest).isRanked { return Setting.notRanked }
        return x.figure(digest).reason ?? y.figure(digest).reason
    }

    /// What else two runs must share for these figures to be held against one another.
    func basis(_ run: Run) -> ParetoBasis {
        let digest = run.digest
        let energy = [x, y].first { $0.kind == .energy }.flatMap {
            EnergyBasis(digest.total, $0.figure(digest))
        }
        let hasMemory = [x, y].contains { $0.kind == .memory }
        return ParetoBasis(energy: energy, memory: hasMemory ? digest.memoryAccounting : nil)
    }
}

/// Joules of the same scopes, estimated the same way; memory counted alike.
struct ParetoBasis: Hashable {
    var energy: EnergyBasis?
    var memory: String?

    /// "energy of rapl:package-0 (counter at edges)"; "" where the axes need none.
    var text: String {
        [energy.map { "energy of \($0.text)" }, memory.map { "memory counted as \($0)" }]
            .compactMap(\.self).joined(separator: ", ")
    }
}

extension String {
    func trimmingEnds() -> String {
        String(drop { $0 == " " }).trimmingEnd()
    }
}
