import Analysis
import CHost
import Energy
import FoundationEssentials
import Glibc

/// The state of one measurement and its steps: idle, the command so many times, idle.
///
/// One thread waits in one place, as in a run. Samples are only stored while the command runs.
final class MeasureDriver {
    let options: MeasureOptions
    let loop: EventLoop
    private let display: ProgressDisplay
    private let sampler: Sampler
    private let hostFacts: HostFacts
    /// Held until the end, so that others know of it.
    private let lock = MachineLock()
    private(set) var store = SampleStore()
    private var live = LiveEnergy()
    private var gpus: GPUWatch
    private var facts: MeasureFacts
    private var progress = ProgressState()
    /// The signal that asked us to stop.
    private(set) var stop: Int32?

    init(
        options: MeasureOptions, tool: ToolBuild, display: ProgressDisplay, loop: EventLoop,
        sampler: Sampler, sources: [SourceLine], probed: ProbeResult, warnings: [String]
    ) {
        self.options = options
        self.display = display
        self.loop = loop
        self.sampler = sampler
        hostFacts = HostFacts(sysfs: options.sysfs, procfs: options.procfs)
        facts = MeasureFacts(
            command: options.command.map(\.text), repetitions: options.repetitions, label: options.label,
            started: Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
            start: Clock.now, tool: tool, sources: sources, capabilities: probed.rows)
        facts.warnings = warnings + GPUFacts.warnings(probed.gpus)
        let other = lock.condition(hostFacts)
        if other.verdict == .fail { facts.warnings.append("another sustain measures: \(other.seen)") }
        gpus = GPUWatch(probed.gpus)
        live.add(sources.filter { probed.total.includes.contains($0.id) })
        loop.samples = sampler.eventDescriptor
    }

    // MARK: Steps

    /// - Throws: what is a failure of ours or of starting the command; a signal before the command ran.
    func measure() throws(Failure) {
        if facts.sources.isEmpty {
            facts.whyNoIdle = CapabilitiesLine.whyNoEnergy(facts.capabilities)
        } else if options.idle.value == 0 {
            facts.whyNoIdle = "--idle 0: no idle window"
        }
        try pump(until: Clock.now + edgeTime)
        if facts.whyNoIdle == nil {
            display.say("sustain: \(waiting("before"))")
            facts.idleBefore = try idle(.idleBefore)
        }
        if let stop {
            throw Failure(
                thing: options.command[0].text, cause: "interrupted before it was started",
                exit: ExitCode(rawValue: 128 + stop))
        }
        display.closeLine()
        for _ in 0..<options.repetitions where stop == nil { try run() }
        if facts.whyNoIdle == nil, stop == nil {
            let settling = Int(Self.settlingLimit.value)
            display.say("sustain: up to \(settling) s until power is even, then \(waiting("after"))")
            if try settle() {
                facts.idleAfter = try idle(.idleAfter)
            } else if stop == nil {
                facts.whyNoIdleAfter = "no source of the total moved after the command"
            }
            display.closeLine()
        }
        // Until every source was read beyond the last edge.
        stop = nil
        try pump(until: Clock.now + edgeTime)
    }

    /// Stops the sampler; the facts are complete then.
    func finish() -> MeasureFacts {
        let cost = sampler.stop()
        drain()
        facts.samples = store.samples()
        facts.overhead = cost.overhead
        facts.warnings += sampler.takeHelperFailures()
        if cost.isStalled { facts.warnings.append("a device did not answer until the end") }
        return facts
    }

    /// How long sources have to be read beyond an edge: two reads, and three updates of a slow counter.
    private var edgeTime: Nanoseconds {
        guard !facts.sources.isEmpty else { return Nanoseconds(0) }
        let slowest = facts.sources.map {
            max(2 * $0.intervalNanoseconds, 3 * ($0.updatePeriodNanoseconds ?? 0))
        }
        return Nanoseconds(min(slowest.max() ?? 0, 2_000_000_000))
    }

    // MARK: The command

    private func run() throws(Failure) {
        sampler.readNow()
        let command = try UserCommand.start(options.command, joinsOutput: options.joinsOutput)
        loop.workerProcess = command.descriptor
        defer { loop.workerProcess = nil }
        gpus.begin(at: command.started)
        var signal: MeasureFacts.Run.Signal?
        while true {
            let ready = try loop.wait(until: min(gpus.due, Clock.now + Nanoseconds(1_000_000_000)))
            let now = Clock.now
            for case .signal(let number) in ready {
                stop = number
                signal = .init(name: Stop.name(of: number), time: now)
                // What a key on the terminal sent, the command has got too.
                if loop.signalWasSent { kill(command.pid, number) }
            }
            if ready.contains(.workerEnded), let end = try command.end() {
                sampler.readNow()
                facts.runs.append(
                    MeasureFacts.Run(
                        span: Span(begin: command.started, end: now), exitCode: end.code, user: end.user,
                        system: end.system, signal: signal))
                return drain()
            }
            if let look = gpus.look(at: now, for: command.pid, hostFacts) { facts.add(look) }
            drain()
        }
    }

    // MARK: Idle

    /// How long power may take to settle after the command.
    private static let settlingLimit = Seconds(60)
    private static let attempts = 3
    private static let periodsNeeded = 20.0
    private static let longestIdle = 600.0

    /// Waits for even power. False where no source of the total moves any more: a meter that has ended, a counter
    /// that is dead. Nothing will settle then.
    private func settle() throws(Failure) -> Bool {
        begin("settling", length: nil)
        live.forget()
        let start = Clock.now
        try pump(until: start + Nanoseconds(Self.settlingLimit)) {
            live.isFlat == true || live.isStill(since: start, now: Clock.now)
        }
        if live.isStill(since: start, now: Clock.now) { return false }
        if live.isFlat != true, stop == nil {
            disturbed("power had not settled \(Int(Self.settlingLimit.value)) s after the command")
        }
        return true
    }

    /// What is waited for, and for how long at most.
    private func waiting(_ place: String) -> String {
        let longest =
            Double(Self.attempts) * (max(options.idle.value, Self.longestIdle) + edgeTime.seconds.value)
        return
            "an idle window of \(short(options.idle.value)) s \(place) the command (where a source is slow or "
            + "power drifts \(Int((longest / 60).rounded(.up))) min at most)"
    }

    /// An idle window of even power; nil when a signal ended it. One whose power drifted is taken again.
    private func idle(_ part: Part) throws(Failure) -> Span? {
        for attempt in 1...Self.attempts {
            begin(part.rawValue.replacing("_", with: " "), length: options.idle)
            let before = CPUUse.read(hostFacts, pids: [getpid()])
            let start = Clock.now
            sampler.readNow()
            try pump(until: start + Nanoseconds(options.idle))
            while stop == nil, let length = longerIdle(from: start) {
                // Each look may find the source a little slower than the one before.
                if progress.length == options.idle {
                    let seconds = Int(length.value.rounded(.up))
                    display.say(
                        "sustain: the idle window takes \(seconds) s: 20 updates of the slowest source")
                }
                progress.length = length
                try pump(until: start + Nanoseconds(length))
            }
            let span = Span(begin: start, end: Clock.now)
            sampler.readNow()
            let quiet = Conditions.quiet(
                during: part, from: before, to: CPUUse.read(hostFacts, pids: [getpid()]), over: span.length)
            try pump(until: Clock.now + edgeTime)
            if stop != nil { return nil }
            let isSteady = ledger(since: start).isSteady(over: span) != false
            if !isSteady, attempt < Self.attempts {
                display.say(
                    "sustain: power drifted, the idle window is taken again (\(attempt + 1) of \(Self.attempts))"
                )
                continue
            }
            if !isSteady { disturbed("power drifted in \(part.rawValue), taken \(attempt) times") }
            for condition in quiet where condition.verdict == .fail { disturbed(condition.seen) }
            return span
        }
        return nil
    }

    /// A longer idle window where the one so far has less than 20 of the slowest source's update periods.
    private func longerIdle(from start: Instant) -> Seconds? {
        let soFar = (Clock.now - start).seconds.value
        let period = ledger(since: start).slowestPeriod ?? 0
        let needed = min(Self.periodsNeeded * period * 1.05, Self.longestIdle)
        return needed > soFar ? Seconds(max(needed, soFar + 0.1)) : nil
    }

    private func ledger(since start: Instant) -> EnergyLedger {
        EnergyLedger(
            sources: facts.sources, samples: store.samples(since: start + Nanoseconds(-2_000_000_000)),
            windows: [NamedSpan("idle", Span(begin: start, end: Clock.now))])
    }

    private func disturbed(_ text: String) {
        facts.disturbance = facts.disturbance.map { "\($0); \(text)" } ?? text
    }

    // MARK: Waiting

    private func begin(_ step: String, length: Seconds?) {
        progress = ProgressState()
        progress.step = step
        progress.length = length
        progress.elapsed = Seconds(0)
        stepStart = Clock.now
    }

    private var stepStart = Clock.now

    /// Takes samples until `done()`, the deadline or a signal.
    private func pump(until deadline: Instant, _ done: () -> Bool = { false }) throws(Failure) {
        while stop == nil, !done() {
            let now = Clock.now
            // Once even where there is no time to wait: a signal may have come meanwhile.
            let ready = try loop.wait(until: min(deadline, now + Nanoseconds(200_000_000)))
            for case .signal(let number) in ready { stop = number }
            drain()
            if now >= deadline { return }
            progress.elapsed = (Clock.now - stepStart).seconds
            progress.watts = live.watts
            if !progress.step.isEmpty { display.show(progress, now: Clock.now) }
        }
    }

    private func drain() {
        facts.sleeps.note(slept: Clock.slept, at: Clock.now)
        sampler.drain { sample in
            store.append(sample)
            live.add(sample)
        }
    }
}
