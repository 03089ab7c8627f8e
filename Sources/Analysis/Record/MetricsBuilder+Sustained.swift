extension MetricsBuilder {
    /// The figures that explain the sustained ones.
    func add(to metrics: inout Metrics) {
        metrics.secondsTo90Percent = droop.ninety
        metrics.secondsTo50Percent = droop.half
        metrics.droopCause = cause
        metrics.decodeCanary = droop.canary
        metrics.coldAndWarm = ColdAndWarm.of(trace.workload, timeline)
        metrics.ceiling = Ceiling(trace, depth: meanDepth, rate: metrics.decode.tokensPerSecond)
        if trace.workload.name == ColdAndWarm.protocolName { nameWhatIsNoPart(of: &metrics) }
    }

    /// A protocol that leaves parts out is the reason why their figures are missing, not their absence itself.
    private func nameWhatIsNoPart(of metrics: inout Metrics) {
        let name = ColdAndWarm.protocolName
        let shape = "it loads once and makes one cold and \(ColdAndWarm.warmRuns) warm generations"
        for part in [\Metrics.loadWarm, \.firstToken, \.loadedIdle]
        where metrics[keyPath: part].seconds.value == nil {
            metrics[keyPath: part] = .unavailable("\(name) has no such part: \(shape)")
        }
        let none = Figure.unavailable("\(name) is too short for it: \(shape)")
        for figure in [
            \Metrics.burst, \.sustained, \.retained, \.droopOnsetSeconds, \.firstUse.seconds,
            \.firstUse.joules,
        ]
        where metrics[keyPath: figure].number == nil {
            metrics[keyPath: figure] = none
        }
        if metrics.droopOnsetSeconds.number == nil {
            metrics.secondsTo90Percent = none
            metrics.secondsTo50Percent = none
            metrics.droopCause = .unavailable(none.reason ?? name)
        }
        if metrics.decodeCanary?.kept.number == nil {
            metrics.decodeCanary = .unavailable(Unavailable(none.reason ?? name))
        }
    }

    /// What the protocol itself says of its figures.
    var protocolWarnings: [String] {
        var result: [String] = []
        if trace.workload.name == ColdAndWarm.protocolName { result.append(ColdAndWarm.label) }
        let isRepeated = trace.workload.fixedPrompt == true && trace.workload.sampling == "greedy"
        let whole = trace.done.filter { $0.stop == "length" }
        let hashes = Set(whole.compactMap(\.tokenHash))
        if isRepeated, hashes.count > 1 {
            result.append(
                "the engine is not deterministic: one prompt gave \(hashes.count) different greedy "
                    + "generations of \(whole.count)")
        }
        return result
    }

    private var witness: DroopWitness {
        DroopWitness(contention: contention, trace: trace, temperatures: temperatures)
    }

    private var cause: Maybe<DroopCause> {
        guard let onset = droop.onset.number, let burst = rates?.burstStretch,
            case .success(let part) = sustained
        else { return .unavailable(droop.onset.reason ?? "no droop") }
        return .known(
            witness.cause(
                before: part.span(burst.lowerBound, max(onset, burst.upperBound)),
                after: part.span(onset, part.end)))
    }

    /// Mean number of positions that a decode step of a whole cycle has before it: its own is read too.
    private var meanDepth: Double? {
        var positions = 0.0
        var steps = 0.0
        for counts in whole.compactMap(\.counts) {
            let count = Double(counts.decodeSteps)
            positions += count * (Double(counts.prompt) + (count + 1) / 2)
            steps += count
        }
        return steps > 0 ? positions / steps : nil
    }

    /// What a neighbour took from the run is not what the machine lost by heat.
    func neighbourWarnings(on metrics: Metrics) -> [String] {
        var result: [String] = []
        if let burst = rates?.burstStretch, let last = rates?.sustainedStretch,
            metrics.retained.number != nil, case .success(let part) = sustained
        {
            let found = witness.neighbours(
                part.span(burst.lowerBound, burst.upperBound), part.span(last.lowerBound, last.upperBound))
            if !found.isEmpty {
                result.append(
                    "sustained ran beside others (\(found.joined(separator: "; "))): what it lost to them is "
                        + "not throttling")
            }
        }
        if let slow = slowStart(metrics) { result.append(slow) }
        if let share = metrics.ceiling?.share.number, share > 1 {
            result.append(
                "decode implies \(share.inTenths) x the measured memory bandwidth: not all of the weights are "
                    + "read for each token, or a cache holds them")
        }
        return result
    }

    /// A first repetition that is far slower than the rest is warm-up, and is called so.
    private func slowStart(_ metrics: Metrics) -> String? {
        let most = 0.8
        guard let first = metrics.fromIdle.decode.tokensPerSecond.number,
            let settled = metrics.decode.tokensPerSecond.number, first < most * settled
        else { return nil }
        return
            "the first generation after idle decoded at \((first / settled * 100).inTenths) % of the settled "
            + "rate: it is warm-up, kept as from_idle, and in no mean"
    }
}

extension SustainedPart {
    /// - Parameters: seconds since t = 0.
    func span(_ begin: Double, _ end: Double) -> Span {
        Span(begin: start + Nanoseconds(Seconds(begin)), end: start + Nanoseconds(Seconds(end)))
    }
}
