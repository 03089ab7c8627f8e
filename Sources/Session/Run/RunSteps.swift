import Analysis
import Energy
import Engines
import Glibc
import WorkerProtocol

/// The run step by step, in the order of the design: idle, loads, first token, loaded idle, from idle,
/// warm-up, cycles, unload, idle.
extension RunDriver {
    func measure() throws(Stop) {
        try idle(.idleBefore)
        try startWorker()
        try load(.loadCold)
        try unload(within: .loadCold)
        try load(.loadWarm)
        try firstToken()
        try idle(.loadedIdle)
        let firstCycle = try generation(.fromIdle)
        try warmUp(predicted: firstCycle)
        try sustain()
        try memoryPoint(.atEnd)
        try unload(within: .unload)
        try endWorker()
        try idle(.idleAfter)
    }

    // MARK: Idle

    /// How long power may take to settle before `idle_after`.
    private static let settlingLimit = Seconds(60)

    /// An idle window; with `--idle 0` there is none.
    private func idle(_ part: Part) throws(Stop) {
        guard options.idle.value > 0 else { return }
        self.part = part
        if part == .idleAfter { try settle() }
        let length = max(options.idle, Seconds(20 * slowestPeriod.seconds.value))
        begin(part.rawValue, length: length)
        let before = CPUUse.read(facts, pids: ourPids)
        let start = Clock.now
        try mark(.begin, at: start)
        try pump(until: start + Nanoseconds(length))
        let end = Clock.now
        try mark(.end, at: end)
        let quiet = Conditions.quiet(
            during: part, from: before, to: CPUUse.read(facts, pids: ourPids), over: end - start)
        switch part {
        case .idleBefore: try judge(quiet)
        case .idleAfter: quietAfter = quiet
        default:
            for condition in quiet where condition.verdict == .fail { try warn(condition.seen) }
        }
    }

    /// Waits until the power is flat again, so that the heat of the work is not taken for idle power.
    private func settle() throws(Stop) {
        guard countsEnergy else { return }
        begin("settling", length: nil)
        live.awaitSettling()
        try pump(until: Clock.now + Nanoseconds(Self.settlingLimit)) { live.isSettled == true }
        if live.isSettled != true {
            try warn(
                "power had not settled \(Int(Self.settlingLimit.value)) s after the work: idle_after may be high"
            )
        }
    }

    private var ourPids: [Int32] { [getpid()] + (worker.map { [$0.pid] } ?? []) }

    /// Writes the conditions before the work; with `--strict` a failed one refuses the run.
    private func judge(_ quiet: [Condition]) throws(Stop) {
        let checks =
            Conditions(facts: facts, output: options.output, threads: options.load.threads).instant()
            + gpuConditions + quiet
        let identity = Identity.read(facts).merging(GPUFacts.identity(gpus)) { own, _ in own }
        try write(.conditions(ConditionsLine(moment: .before, checks: checks, identity: identity)))
        let failed = checks.filter { $0.verdict == .fail }
        for condition in failed { display.say("condition failed: \(condition.name): \(condition.seen)") }
        if options.strict, let first = failed.first {
            throw .refused(
                Failure(
                    thing: first.name, cause: "condition failed: \(first.seen)",
                    remedy: "mend it, or run without --strict: the record is then marked", exit: .refused))
        }
    }

    // MARK: Loads

    private func load(_ part: Part) throws(Stop) {
        self.part = part
        begin(part.rawValue, length: nil)
        if part == .loadCold {
            try memoryPoint(.beforeLoad)
            try dropPageCache()
        }
        try judgeFit()
        let request = options.load.request(
            model: options.model ?? "", contextTokens: options.workload.contextTokens)
        try mark(.begin)
        try send(.load(request))
        try pump(silence: options.engineTimeout) { answers.loaded != nil }
        try mark(.end)
        guard let loaded = answers.loaded else { return }
        if part == .loadWarm {
            try writeEngine(loaded)
            try memoryPoint(.afterLoad)
            try gpuPoint()
        }
    }

    /// A cold load reads the file from the disk: its pages leave the page cache first, and that they left is
    /// verified where the kernel lets us see it.
    private func dropPageCache() throws(Stop) {
        guard let model else { return }
        let drop = PageCache.drop(model)
        try write(.pageCache(PageCacheLine(path: model.path, before: drop.before, after: drop.after)))
    }

    private func unload(within part: Part) throws(Stop) {
        self.part = part
        if part == .unload { begin(part.rawValue, length: nil) }
        try send(.unload)
        try pump(silence: options.engineTimeout) { answers.done?.command == "unload" }
        if part == .unload { try memoryPoint(.afterUnload) }
    }

    // MARK: Generations

    private func firstToken() throws(Stop) {
        part = .firstToken
        begin(part.rawValue, length: nil)
        try generate(promptTokens: options.workload.promptTokens, tokens: 1, deadline: nil)
        try memoryPoint(.afterFirstToken)
        // Once more: some engines open the device with the first token.
        try gpuPoint()
    }

    /// One generation of the workload's shape; returns how long it took.
    private func generation(_ part: Part, deadline: Instant? = nil) throws(Stop) -> Nanoseconds {
        if self.part != part {
            self.part = part
            begin(part.rawValue, length: part == .sustained ? options.workload.seconds : nil)
        }
        let start = Clock.now
        let workload = options.workload
        try generate(
            promptTokens: workload.promptTokens, tokens: workload.generatedTokens, deadline: deadline)
        return Clock.now - start
    }

    private func generate(promptTokens: Int, tokens: Int, deadline: Instant?) throws(Stop) {
        let cycle = nextCycle
        nextCycle += 1
        let request = GenerateRequest(
            cycle: cycle, promptTokens: promptTokens, generatedTokens: tokens,
            seed: options.workload.seed &+ UInt64(cycle),
            sampling: options.workload.sampling == Sampling.random.rawValue ? .random : .greedy,
            deadlineNanoseconds: deadline?.nanoseconds)
        try send(.generate(request))
        try pump(silence: options.engineTimeout) { answers.done?.cycle == cycle }
        guard let done = answers.done else { return }
        try write(
            .done(
                DoneLine(
                    part: part, cycle: cycle, promptTokens: done.promptTokens ?? promptTokens,
                    generatedTokens: done.generatedTokens ?? 0, stop: (done.stop ?? .length).rawValue,
                    tokenHash: done.tokenHash)))
    }

    /// Cycles until the rate has settled, within a tenth of the sustained part's length.
    private func warmUp(predicted: Nanoseconds) throws(Stop) {
        if case .cycles(let count) = options.warmup {
            for _ in 0..<count { _ = try generation(.warmup) }
            return
        }
        let end = Clock.now + Nanoseconds(Seconds(options.workload.seconds.value / 10))
        var last = predicted
        while Clock.now + last <= end {
            let length = try generation(.warmup)
            let agrees = abs(Double(length.value) / Double(max(1, last.value)) - 1) < 0.02
            last = length
            if agrees { return }
        }
    }

    private func sustain() throws(Stop) {
        part = .sustained
        begin(part.rawValue, length: options.workload.seconds)
        let start = Clock.now
        try mark(.sustainedStart, at: start)
        live.add(.sustainedStart, at: start)
        let deadline = start + Nanoseconds(options.workload.seconds)
        var cycles = 0
        while Clock.now < deadline, cycles < options.workload.cycles ?? .max {
            _ = try generation(.sustained, deadline: deadline)
            cycles += 1
        }
    }
}
