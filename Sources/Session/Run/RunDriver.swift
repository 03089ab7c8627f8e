import Analysis
import CHost
import Energy
import Engines
import Glibc
import WorkerProtocol

/// The state of one run and the pump that everything in it goes through. The steps are in `RunSteps.swift`.
///
/// One thread, no async code: the run thread waits in one place, writes the trace, and never does anything
/// that can block for long while a window is open.
final class RunDriver {
    let options: RunOptions
    let display: ProgressDisplay
    let loop: EventLoop
    let directory: RunDirectory
    let trace: TraceWriter
    let sampler: Sampler
    let live: LiveFigures
    let facts: HostFacts
    /// Boards that the driver's library shows, in use or not.
    let gpus: [GPUDevice]
    /// True when something counts energy here.
    let countsEnergy: Bool
    /// An idle window holds 20 renewals of the slowest counter of the total, as far as that is known.
    let idleLength: Seconds
    /// The workload in force: the one asked for until another takes over.
    var workload: Workload
    /// How often the counters of the total move.
    private(set) var renewals: RenewalWatch
    /// The sources of the total.
    let counted: [CountedSource]
    /// The model file as inspected; nil for an engine that needs none.
    let model: ModelFile?

    var worker: WorkerProcess?
    /// What the model's memory is estimated from; nil for an engine that needs no model.
    var fit: FitInput?
    /// What the machine and its control groups have.
    let systemMemory: SystemMemory
    /// Looks for a shortage while the engine holds a model; nil before its start, and where nothing can be read.
    var memoryWatch: MemoryWatch?
    /// What the worker was asked last; nil before its hello is answered.
    var asked: Asked?
    /// What the worker has told since the last command.
    var answers = WorkerAnswers()
    /// SHA-256 of the engine's libraries, by path: hashed once a run.
    var libraryHashes: [String: Maybe<String>] = [:]
    var part = Part.idleBefore
    var progress = ProgressState()
    var stepStart = Clock.now
    /// The checks of `idle_after` and those of the engine after its work, for the conditions at the end.
    var quietAfter: [Condition] = []
    var engineAfter: [Condition] = []
    /// Held from here to the end of the run.
    let lock: MachineLock
    /// Takes what the engine prints.
    let logPath: String
    /// Whether event counters are attached to the engine's processes.
    let countsEvents: Bool
    /// Sources of the engine's processes, while they are read.
    var observed: [SourceLine] = []
    /// The engine's variables as it was started with, `KEY=VALUE`.
    var engineEnvironment: [String] = []
    /// SHA-256 of the model, once it is known.
    var modelHash: String?
    /// With `--until-failure`: the longest context that was decoded to its end, why the steps ended if nothing
    /// failed, and whether the fit has been passed over.
    var deepest: Int?
    var endOfDepths: OutcomeLine.Kind?
    var hasPassedFit = false
    /// Whether the engine computes on devices beside the processor.
    var usesDevices = false
    var isEngineJudged = false
    var hasWarnedOfThreads = false
    /// The next generation's number; unique over the run.
    var nextCycle = 0
    private var lastLogCheck = Clock.now
    /// When the worker last said anything, for the silence limit.
    var lastWord = Clock.now

    init(
        options: RunOptions, model: ModelFile?, display: ProgressDisplay, loop: EventLoop,
        directory: RunDirectory,
        trace: TraceWriter, sampler: Sampler, live: LiveFigures, gpus: [GPUDevice],
        counted: [CountedSource], lock: MachineLock = MachineLock(), logPath: String? = nil,
        countsEvents: Bool = true
    ) {
        self.options = options
        self.model = model
        self.display = display
        self.loop = loop
        self.directory = directory
        self.trace = trace
        self.sampler = sampler
        self.live = live
        self.gpus = gpus
        self.lock = lock
        self.logPath = logPath ?? directory.workerLogPath
        self.countsEvents = countsEvents
        self.counted = counted
        countsEnergy = !counted.isEmpty
        let slowest = Nanoseconds(counted.compactMap(\.periodAsFound).max() ?? 0)
        idleLength = options.idle.value > 0 ? max(options.idle, slowest.seconds * 20) : .zero
        workload = options.workload
        renewals = RenewalWatch(counted)
        facts = HostFacts(sysfs: options.sysfs, procfs: options.procfs)
        systemMemory = SystemMemory(procfs: options.procfs, cgroups: options.sysfs + "/fs/cgroup")
        loop.samples = sampler.eventDescriptor
    }

    // MARK: Writing

    func write(_ line: TraceLine) throws(Stop) {
        do { try trace.append(line) } catch { throw .failed(error) }
    }

    func mark(_ name: MarkLine.Name, at time: Instant = Clock.now) throws(Stop) {
        try write(.mark(MarkLine(name, part: part, time: time)))
        sampler.readNow()
    }

    func warn(_ text: String) throws(Stop) {
        display.say("warning: \(text)")
        try write(.warning(WarningLine(text)))
    }

    /// Names the step that begins, for the progress line.
    func begin(_ step: String, length: Seconds?) {
        stepStart = Clock.now
        progress.step = step
        progress.length = length
        live.forgetRate()
        showProgress()
    }

    private func showProgress() {
        let now = Clock.now
        progress.elapsed = (now - stepStart).seconds
        live.fill(&progress)
        display.show(progress, now: now)
    }

    // MARK: The pump

    /// Handles whatever is ready until `done()` or the deadline.
    ///
    /// - Parameter silence: how long a worker that owes an answer may say nothing; nil when it owes none.
    func pump(
        until deadline: Instant? = nil, silence: Seconds? = nil, _ done: () -> Bool = { false }
    ) throws(Stop) {
        lastWord = Clock.now
        while !done() {
            let now = Clock.now
            if let deadline, now >= deadline { return }
            if let silence, now - lastWord > Nanoseconds(silence) { throw hung(silence) }
            let housekeeping = now + Nanoseconds(200_000_000)
            do {
                let next = min(deadline ?? housekeeping, memoryWatch?.due ?? housekeeping, housekeeping)
                try handle(try loop.wait(until: next))
                try watchMemory(now: Clock.now)
                try drainSamples()
                for failure in sampler.takeHelperFailures() { try warn(failure) }
                try trace.flushIfDue(now: Clock.now)
                if let worker, Clock.now - lastLogCheck > Nanoseconds(1_000_000_000) {
                    lastLogCheck = Clock.now
                    _ = worker.limitLog()
                }
            } catch let stop as Stop {
                throw stop
            } catch let failure as Failure {
                throw .failed(failure)
            } catch {
                throw .failed(Failure(thing: "run", cause: "\(error)"))
            }
            showProgress()
        }
    }

    private func handle(_ ready: [EventLoop.Ready]) throws {
        for event in ready {
            switch event {
            case .signal(let number): throw Stop.signal(number)
            case .workerEvents: try receive()
            case .workerEnded:
                throw try workerDied()
            case .samples: break
            }
        }
    }

    func drainSamples() throws(Failure) {
        var failure: Failure?
        sampler.drain { sample in
            guard failure == nil else { return }
            live.add(sample)
            renewals.add(sample)
            do throws(Failure) { try trace.append(.sample(sample)) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Takes what has arrived; returns false when nothing had.
    @discardableResult func receive() throws(Stop) -> Bool {
        guard let worker else { return false }
        let arrived = worker.receive()
        for incoming in arrived {
            lastWord = Clock.now
            switch incoming {
            case .event(let event): try take(event)
            case .garbage(let garbage):
                throw engineStop(
                    .protocolBroken, cause: "wrote garbage: \(garbage.cause): \(garbage.excerpt)")
            case .closed(let torn):
                // Its end of the pipe closes a moment before the process is gone: the exit tells more.
                loop.workerEvents = nil
                if torn { answers.wroteTornLine = true }
            }
        }
        return !arrived.isEmpty
    }

    private func take(_ event: Event) throws(Stop) {
        try countEvent()
        switch event {
        case .hello(let hello): answers.hello = hello
        case .loaded(let loaded): answers.loaded = loaded
        case .sized, .tokenized, .scored: break
        case .done(let done):
            try check(done)
            answers.done = done
        case .error(let error): throw engineStop(error)
        case .mark(let mark):
            guard let name = MarkLine.Name(rawValue: mark.mark.rawValue) else { return }
            let time = Instant(nanoseconds: mark.nanoseconds)
            sampler.readNow()
            try check(mark)
            try write(.mark(MarkLine(name, part: part, time: time, cycle: mark.cycle, stream: mark.stream)))
            live.add(name, at: time)
            answers.edges.add(name, at: time)
        case .tokens(let batch):
            guard try check(batch) else { return }
            live.add(batch)
            answers.edges.add(steps: batch.deltaNanoseconds)
            try write(
                .tokens(
                    TokensLine(
                        cycle: batch.cycle, stream: batch.stream, first: batch.first,
                        start: Instant(nanoseconds: batch.startNanoseconds), deltas: batch.deltaNanoseconds)))
        case .memory(let report): answers.memory[report.point] = report.bytes
        }
    }
}

/// What the worker has said since the last command was sent.
struct WorkerAnswers {
    var hello: Hello?
    var loaded: Loaded?
    var done: Done?
    /// Of the generation that was asked for last.
    var edges = GenerationEdges()
    var memory: [String: [String: UInt64]] = [:]
    var wroteTornLine = false
}
