import Analysis
import Engines
import WorkerProtocol

/// The parts of the run in which the engine generates.
extension RunDriver {
    /// A part with marks at its edges.
    func within(
        _ part: Part, length: Seconds? = nil, _ work: () throws(Stop) -> Void
    ) throws(Stop) {
        self.part = part
        begin(part.rawValue, length: length)
        try mark(.begin)
        try work()
        try mark(.end)
    }

    // MARK: First token, and the shape of a cycle

    /// Decode steps that follow the first token where they decide on the protocol.
    private static let stepsToPredict = 5

    func firstToken() throws(Stop) {
        part = .firstToken
        begin(part.rawValue, length: nil)
        let steps = options.request.mayBeSlowed ? Self.stepsToPredict : 0
        try generate(promptTokens: workload.promptTokens, tokens: 1 + steps, deadline: nil)
        try memoryPoint(.afterFirstToken)
        // Once more: some engines open the device with the first token.
        try gpuPoint()
        if steps > 0 { try chooseProtocol(tokens: 1 + steps) }
    }

    /// The slow protocol takes over where a cycle would take too long: before the first generation that counts,
    /// so that all have one shape.
    ///
    /// - Parameter tokens: of the generation that was just made.
    private func chooseProtocol(tokens: Int) throws(Stop) {
        guard let prefill = answers.edges.prefill, let step = answers.edges.step(tokens: tokens) else {
            return
        }
        var prediction = CyclePrediction(
            prefill: prefill, step: step, generatedTokens: workload.generatedTokens)
        if prediction.verdict(isFirst: true) == .unclear {
            try generate(promptTokens: workload.promptTokens, tokens: 1, deadline: nil)
            prediction.prefill = min(prefill, answers.edges.prefill ?? prefill)
        }
        guard prediction.verdict(isFirst: false) == .tooLong else { return }
        let before = workload.name
        var request = options.request
        request.named = .sustainedSlow
        do {
            workload = try request.workload(trainedContext: nil)
        } catch {
            throw .failed(error)
        }
        try write(.workload(workload))
        try warn(
            "a cycle of \(before) would take about \(short(prediction.cycle.value)) s (the prompt "
                + "\(short(prediction.prefill.value)) s, a token \(short(step.value)) s), over "
                + "\(short(CyclePrediction.longest.value)) s: \(workload.name) is run instead; "
                + "--protocol \(before) keeps it")
    }

    // MARK: Cycles

    /// The first generation of the full shape after idle; returns how long it took.
    func fromIdle() throws(Stop) -> Nanoseconds {
        var length = Nanoseconds(0)
        try within(.fromIdle) { () throws(Stop) in length = try generation() }
        if options.request.named == .sustained, length > Nanoseconds(CyclePrediction.longest) {
            try warn(
                "a cycle takes \(short(length.seconds.value)) s: "
                    + "--protocol \(RunProtocol.sustainedSlow.rawValue) has shorter ones")
        }
        return length
    }

    /// Cycles until the rate has settled, within a tenth of the sustained part's length.
    ///
    /// - Parameter predicted: how long a cycle took so far.
    /// - Returns: how long the last one took.
    func warmUp(predicted: Nanoseconds) throws(Stop) -> Nanoseconds {
        var last = predicted
        if case .cycles(let count) = options.warmup {
            guard count > 0 else { return last }
            try within(.warmup) { () throws(Stop) in
                for _ in 0..<count { last = try generation() }
            }
            return last
        }
        let end = Clock.now + Nanoseconds(Seconds(workload.seconds.value / 10))
        guard Clock.now + last <= end else { return last }
        try within(.warmup) { () throws(Stop) in
            var agrees = false
            while !agrees, Clock.now + last <= end {
                let length = try generation()
                agrees = abs(Double(length.value) / Double(max(1, last.value)) - 1) < 0.02
                last = length
            }
        }
        return last
    }

    /// - Parameter cycle: how long the last cycle took.
    func sustain(cycle: Nanoseconds) throws(Stop) {
        try warnOfFewCycles(of: cycle)
        let dither = try dither(cycle: cycle)
        try within(.sustained, length: workload.seconds) { () throws(Stop) in
            let deadline = try startOfSustained()
            let most = workload.cycles ?? .max
            var cycles = 0
            while Clock.now < deadline, cycles < most {
                _ = try generation(deadline: deadline)
                cycles += 1
                guard let dither, cycles < most else { continue }
                let gap = Nanoseconds(dither.gap(after: cycles))
                try pump(until: min(deadline, Clock.now + gap))
            }
        }
    }

    /// Rates come from whole cycles: said while there is still time to stop and ask for something else.
    private func warnOfFewCycles(of cycle: Nanoseconds) throws(Stop) {
        guard workload.cycles == nil, workload.seconds < cycle.seconds else { return }
        let took = Int(cycle.seconds.value.rounded(.up))
        try warn(
            "a cycle took \(took) s: \(Int(workload.seconds.value)) s may hold no whole one, and then there is no "
                + "rate; give more --seconds, smaller -p and -n, or --protocol sustained-slow-v1")
    }

    /// Marks t = 0; returns when no new cycle begins any more.
    private func startOfSustained() throws(Stop) -> Instant {
        let start = Clock.now
        try mark(.sustainedStart, at: start)
        live.add(.sustainedStart, at: start)
        return start + Nanoseconds(workload.seconds)
    }

    /// Whether the gap between cycles has to be varied, so that the steps of the slowest counter of the total
    /// come everywhere in a cycle; nil where not. The answers are those of the last cycle.
    private func dither(cycle: Nanoseconds) throws(Stop) -> CycleDither? {
        guard answers.done?.stop == .length, let slowest = renewals.slowest,
            let prefill = answers.edges.prefill
        else { return nil }
        let dither = CycleDither(
            cycle: cycle.seconds, shortestPhase: min(prefill, answers.edges.decode ?? prefill),
            updatePeriod: slowest.period, seed: workload.seed)
        guard dither.isNeeded else { return nil }
        workload.variedGap = slowest.period
        try write(.workload(workload))
        try warn(
            "cycles of \(short(cycle.seconds.value)) s keep step with \(slowest.id), which is renewed every "
                + "\(short(slowest.period.value)) s: after each, nothing runs for 0 up to so long (figures of "
                + "`cycle` include it)")
        return dither
    }

    // MARK: pb-random-v1

    /// The protocol lets the engine rest for so long before each generation.
    private static let pause = Nanoseconds(50_000_000)

    /// One generation on the engine as it was just made, then three more, all with one prompt.
    func coldAndWarm() throws(Stop) {
        try within(.fromIdle) { () throws(Stop) in
            try pump(until: Clock.now + Self.pause)
            _ = try generation()
        }
        try memoryPoint(.afterFirstToken)
        try gpuPoint()
        try within(.sustained, length: workload.seconds) { () throws(Stop) in
            let deadline = try startOfSustained()
            for _ in 0..<RunProtocol.warmGenerations where Clock.now < deadline {
                try pump(until: Clock.now + Self.pause)
                _ = try generation(deadline: deadline)
            }
        }
    }

    // MARK: One generation

    /// One generation of the workload's shape; returns how long it took.
    func generation(deadline: Instant? = nil) throws(Stop) -> Nanoseconds {
        let start = Clock.now
        try generate(
            promptTokens: workload.promptTokens, tokens: workload.generatedTokens, deadline: deadline)
        return Clock.now - start
    }

    func generate(promptTokens: Int, tokens: Int, deadline: Instant?) throws(Stop) {
        let cycle = nextCycle
        nextCycle += 1
        let request = GenerateRequest(
            cycle: cycle, promptTokens: promptTokens, generatedTokens: tokens,
            seed: workload.fixedPrompt == true ? workload.seed : workload.seed &+ UInt64(cycle),
            sampling: workload.sampling == Sampling.random.rawValue ? .random : .greedy,
            deadlineNanoseconds: deadline?.nanoseconds, prefillBatchTokens: workload.prefillBatchTokens)
        answers.edges = GenerationEdges()
        try send(.generate(request))
        try pump(silence: options.engineTimeout) { answers.done?.cycle == cycle }
        guard let done = answers.done else { return }
        try write(
            .done(
                DoneLine(
                    part: part, cycle: cycle, promptTokens: done.promptTokens ?? promptTokens,
                    generatedTokens: done.generatedTokens ?? 0, stop: (done.stop ?? .length).rawValue,
                    tokenHash: done.tokenHash)))
        if let asked = request.prefillBatchTokens, done.prefillBatchTokens != asked {
            throw engineStop(
                .protocolBroken,
                cause: "does not say that it took the prompt \(asked) token at a time, as \(workload.name) "
                    + "wants it",
                remedy: "docs/worker-protocol.md: prefill_batch_tokens")
        }
    }
}
