import Analysis
import Engines

/// Carries out rounds of whole runs: a run of each variant a round, the order turned round from one to the next.
final class WholeRunsDriver {
    private let options: CompareOptions
    private let models: [ModelFile?]
    private let loop: EventLoop
    let directory: RunDirectory
    let trace: TraceWriter
    private let coolDown: CoolDown
    private let tool: ToolBuild
    let display: ProgressDisplay

    /// Records of the runs that have ended, by id.
    private(set) var records: [String: Record] = [:]
    /// Why a variant was given up, by its position.
    private var failures: [Int: Failure] = [:]
    /// SHA-256 of the model, by the variant's position.
    private var hashes: [Int: String] = [:]
    private var plan: SessionLine
    private let started = Clock.now
    /// Time spent waiting for the machine to cool down.
    private var cooled = Seconds.zero

    /// One pair says nothing of its spread.
    static let fewestRounds = PairedEffect.fewestPairs

    init(
        _ options: CompareOptions, models: [ModelFile?], loop: EventLoop, directory: RunDirectory,
        trace: TraceWriter, coolDown: CoolDown, tool: ToolBuild, display: ProgressDisplay
    ) {
        self.options = options
        self.models = models
        self.loop = loop
        self.directory = directory
        self.trace = trace
        self.coolDown = coolDown
        self.tool = tool
        self.display = display
        plan = SessionLine(
            reference: options.reference, quads: Self.fewestRounds, resident: false,
            residency: "each run loads its variant alone", leastBlock: .zero, leastCycles: 0)
        plan.wholeRuns = true
        if case .quads(let rounds) = options.length { plan.quads = rounds }
    }

    /// That of the first variant that was given up.
    var firstFailure: Failure? { failures.min { $0.key < $1.key }?.value }

    private var alive: [Int] { options.variants.indices.filter { failures[$0] == nil } }
    private var hasPairs: Bool { failures[options.reference] == nil && alive.count > 1 }

    func measure() throws(Stop) {
        try write(.session(plan))
        announce()
        try warnOfShortRuns()
        // From here on whatever ends the session leaves one that can be analysed.
        try keep()
        var round = 0
        while round < plan.quads, hasPairs {
            let order = round.isMultiple(of: 2) ? alive : alive.reversed()
            for (place, variant) in order.enumerated() where hasPairs {
                try run(variant, round, place)
            }
            round += 1
            if round == 1 { try decideLength() }
        }
        if let failure = failures[options.reference] { throw .failed(failure) }
        for variant in alive { try check(variant) }
        try checkParity()
        for variant in alive { try check(variant) }
    }

    /// With `--budget`, how many rounds like the first one fit.
    private func decideLength() throws(Stop) {
        guard case .budget(let budget) = options.length else { return }
        // The first round has one wait fewer than the others.
        let waits = max(1, options.variants.count - 1)
        let took = (Clock.now - started).seconds.value + cooled.value / Double(waits)
        let fitting = took > 0 ? (budget.value / took).rounded(.down) : Double(Self.fewestRounds)
        plan.quads = max(Self.fewestRounds, Int(min(max(fitting, 0), 100_000)))
        try write(.session(plan))
        if fitting < Double(plan.quads) {
            try warn(
                "--budget holds fewer than \(plan.quads) rounds: they take about "
                    + "\(Int((took * Double(plan.quads)).rounded(.up))) s; a smaller --seconds takes less")
        }
        display.say("sustain: \(plan.quads) rounds")
    }

    private func run(_ variant: Int, _ round: Int, _ place: Int) throws(Stop) {
        let name = options.variants[variant].name
        let step = "round \(round + 1)/\(plan.quads): \(name)"
        let wait = Clock.now
        let cooling = try coolDown.wait(step, display)
        cooled = cooled + (Clock.now - wait).seconds
        display.say(step)
        try check(variant)
        let begin = Clock.now
        let result: RunResult
        do {
            result = try Run.execute(options.variants[variant].run, tool: tool, display: display)
        } catch {
            if error.exit == .interrupted { throw .signal(EventLoop.endingSignals[0]) }
            // No directory could be made, or no counter be found: it would be so for every run.
            throw .failed(error)
        }
        if result.notes.isEmpty { display.say("record: \(result.directory.recordPath)") }
        for note in result.notes { display.say("\(note.thing): \(note.cause)") }
        records[result.record.id] = result.record
        try write(
            .run(
                RunLine(
                    variant: variant, round: round, place: place, id: result.record.id, begin: begin,
                    cooling: cooling)))
        try take(result, of: variant)
        try keep()
    }

    /// What is compared is one file from the first run to the last.
    private func check(_ variant: Int) throws(Stop) {
        do { try models[variant]?.checkUnchanged() } catch { throw .refused(error) }
    }

    /// Gives a variant up whose engine failed or which was refused.
    private func take(_ result: RunResult, of variant: Int) throws(Stop) {
        let outcome = result.record.outcome
        if let failure = result.failure, failure.exit == .interrupted {
            throw .signal(outcome.signal ?? EventLoop.endingSignals[0])
        }
        if let sha256 = result.record.artifact.value?.sha256.value {
            hashes[variant] = sha256
            if let expected = options.variants[variant].expectedSHA256, expected != sha256 {
                throw .refused(CompareOptions.changedBaseline(options.variants[variant]))
            }
        }
        switch outcome.status {
        case .completed:
            // E.g. --require-energy where nothing was counted.
            if let failure = result.failure, !result.notes.contains(failure) { failures[variant] = failure }
        case .engineFailed, .refused:
            failures[variant] = result.failure ?? Failure(thing: "run", cause: outcome.cause ?? "failed")
        case .failed, .interrupted:
            throw .failed(result.failure ?? Failure(thing: "run", cause: outcome.cause ?? "failed"))
        }
        guard let failure = failures[variant] else { return }
        display.say("\(options.variants[variant].name) failed: \(failure.cause)")
        var line = OutcomeLine(
            outcome.status == .completed ? .failed : outcome.status, part: outcome.part,
            cause: outcome.cause ?? failure.cause)
        line.signal = outcome.signal
        line.exitStatus = outcome.exitStatus
        try write(.turn(TurnLine(variant: variant)))
        try write(.outcome(line))
        try write(.turn(TurnLine(variant: nil)))
    }

    private func checkParity() throws(Stop) {
        let others = alive.filter { $0 != options.reference }
        guard options.parity.isChecked, !others.isEmpty else { return }
        let round = ParityRound(
            reference: parityArm(options.reference), thresholds: options.parity.thresholds,
            directory: directory.path, loop: loop,
            begin: { [display] step in
                var state = ProgressState()
                state.step = step
                display.show(state, now: Clock.now)
            })
        try round.ask(others.map(parityArm)) { (position, result) throws(Stop) in
            try write(.turn(TurnLine(variant: others[position])))
            try write(.parity(result))
            try write(.turn(TurnLine(variant: nil)))
            let name = options.variants[others[position]].name
            if result.isBad { display.say("parity: \(name) is \(result.sentence)") }
        }
        try keep()
    }

    private func parityArm(_ variant: Int) -> ParityRound.Arm {
        ParityRound.Arm(
            name: options.variants[variant].name,
            asked: ParityArm(
                options.variants[variant].run, model: models[variant], sha256: hashes[variant],
                logPath: "\(directory.path)/worker-\(variant).log"))
    }

    /// What the runs are too short for is told before they are made.
    private func warnOfShortRuns() throws(Stop) {
        let run = options.variants[options.reference].run
        let seconds = run.workload.seconds.value
        if seconds < Self.leastSustained {
            try warn(
                "--seconds \(short(seconds)): a run of under \(Int(Self.leastSustained)) s may have no sustained rate, and "
                    + "retained takes \(Int(Self.leastRetained)) s and more")
        } else if seconds < Self.leastRetained {
            try warn(
                "--seconds \(short(seconds)): retained takes runs of \(Int(Self.leastRetained)) s and more")
        }
        guard case .budget(let budget) = options.length else { return }
        let one = Run.expectedSeconds(run, idle: run.idle.value)
        let least = one * Double(Self.fewestRounds * options.variants.count)
        if least > budget.value {
            try warn(
                "--budget \(short(budget.value)) holds no \(Self.fewestRounds) rounds: they take about "
                    + "\(Int(least.rounded(.up))) s and the time to cool down; a smaller --seconds takes less"
            )
        }
    }

    /// Ten seconds of burst, twenty of what follows, and the ramp (docs/metrics.md, "Burst and sustained").
    private static let leastSustained = 40.0
    /// Burst and sixty seconds that do not reach into it, and the ramp.
    private static let leastRetained = 80.0

    // MARK: Writing

    private func write(_ line: TraceLine) throws(Stop) {
        do { try trace.append(line) } catch { throw .failed(error) }
    }

    private func warn(_ text: String) throws(Stop) {
        display.say("warning: \(text)")
        try write(.warning(WarningLine(text)))
    }

    /// `session.json` as of now: whatever ends the session, what it had is there.
    private func keep() throws(Stop) {
        do throws(Failure) {
            try trace.flush()
            guard let session = try AnalyzedSession.read(directory.tracePath, known: records) else { return }
            if let failure = session.write().first { throw failure }
        } catch {
            throw .failed(error)
        }
    }

    private func announce() {
        let run = options.variants[options.reference].run
        let one = Run.expectedSeconds(run, idle: run.idle.value)
        let rounds =
            switch options.length {
            case .quads(let count): "\(count) rounds"
            case .budget(let budget): "as many rounds as fit into \(Int(budget.value)) s"
            }
        display.say(
            "sustain: \(rounds) of \(options.variants.count) runs, about \(Int(one.rounded(.up))) s each and the time to "
                + "cool down between them")
    }
}
