import Analysis
import CHost
import Energy
import Engines
import FoundationEssentials
import Glibc

/// What a run left behind.
public struct RunResult: Sendable {
    public let directory: RunDirectory
    public let record: Record
    /// The bytes of `run.json`: what `--json` prints.
    public let document: [UInt8]
    /// How it ended early, nil when it was completed.
    public let failure: Failure?
    /// What the caller should know and no record holds: run.json could not be written.
    public let notes: [Failure]
}

/// One run from options to record. Everything it measures goes to the trace first; the record is then read
/// back from that trace by the same function as `sustain analyze` uses.
public enum Run {
    /// - Throws: failures before a run directory exists: bad input, no worker, no permission to write. Later
    ///   ones are outcomes: the result holds the record and the failure.
    public static func execute(
        _ asked: RunOptions, tool: ToolBuild, display: ProgressDisplay
    ) throws(Failure) -> RunResult {
        var options = asked
        try checkRoots(options)
        let loop = try EventLoop()
        let model = try inspect(options)
        try options.fit(trainedContext: model?.shape.trainedContextTokens)
        _ = try options.engine.command()
        let power = try PowerSelection(option: options.power)
        var probed = try loop.probe(
            SystemRoots(
                sysfs: options.sysfs, procfs: options.procfs, nvml: SystemRoots.nvmlOfEnvironment),
            power, exit: .interrupted)
        try probed.refuseMissingMeter(option: options.power)
        let total = probed.total
        if options.requireEnergy, total.includes.isEmpty, power.log == nil { throw noEnergy(probed) }
        ReadPace.look(at: &probed.sources, ids: total.includes)

        let directory = try RunDirectory.claim(in: options.output, name: slugSource(options), at: Date())
        let trace = try TraceWriter(path: directory.tracePath)
        try trace.append(.header(header(options, id: directory.id, tool: tool)))
        try trace.append(.capabilities(CapabilitiesLine(rows: probed.rows)))

        let sampler = try Sampler(interval: options.interval)
        let live = LiveFigures()
        let lines = try sampler.add(probed.sources)
        for line in lines { try trace.append(.source(line)) }
        live.add(lines, total: total.includes)
        let driver = RunDriver(
            options: options, model: model, display: display, loop: loop, directory: directory, trace: trace,
            sampler: sampler, live: live, gpus: probed.gpus,
            counted: zip(lines, probed.sources).filter { total.includes.contains($0.0.id) }.map {
                CountedSource(line: $0.0, seenPeriod: $0.1.seenPeriod)
            })
        announce(
            plan(options, idle: driver.idleLength.value), directory: directory, total: total, probed: probed,
            log: power.log, display: display)
        let missing = probed.warningOfMissing(power, option: options.power)
        return try finish(driver, stop: carryOut(driver, warning: missing), log: power.log)
    }

    /// Runs every step; returns why it stopped early, nil when it did not.
    private static func carryOut(_ driver: RunDriver, warning: String?) -> Stop? {
        do {
            if let warning { try driver.warn(warning) }
            try driver.warnOfDividedGPUs()
            try driver.prepareFit()
            try driver.takeHash(try hash(driver))
            do { try driver.sampler.start() } catch { throw Stop.failed(error) }
            try driver.measure()
            return nil
        } catch let stop as Stop {
            return stop
        } catch {
            return .failed(Failure(thing: "run", cause: "\(error)"))
        }
    }

    /// Refuses roots of sysfs and procfs that cannot be read.
    static func checkRoots(_ options: RunOptions) throws(Failure) {
        for root in [("--path.sysfs", options.sysfs), ("--path.procfs", options.procfs)]
        where access(root.1, R_OK | X_OK) != 0 {
            throw Failure.system("\(root.0) \(root.1)", "is no directory that can be read", exit: .usage)
        }
    }

    static func inspect(_ options: RunOptions) throws(Failure) -> ModelFile? {
        guard let path = options.model else { return nil }
        return try ModelFile.inspect(path: path)
    }

    /// Hashes the model before anything is timed; Ctrl-C works while it does.
    static func hash(_ driver: RunDriver) throws(Stop) -> String? {
        guard let model = driver.model else { return nil }
        driver.begin("hashing the model", length: nil)
        var signal: Int32?
        let known: String?
        do {
            let hash = try ArtifactHash.sha256(of: model, cache: HashCache.user()) { _ in
                signal = driver.loop.pendingSignal()
                return signal == nil
            }
            try driver.write(.artifact(model.artifactLine(sha256: hash)))
            known = hash.value
        } catch let stop as Stop {
            throw stop
        } catch let failure as Failure {
            throw signal.map(Stop.signal) ?? .failed(failure)
        } catch {
            throw .failed(Failure(thing: model.path, cause: "\(error)"))
        }
        for warning in model.warnings { try driver.warn("\(model.path): \(warning)") }
        return known
    }

    /// Ends the worker and the sampler, closes the trace and makes the record of it.
    private static func finish(
        _ driver: RunDriver, stop: Stop?, log: (path: String, id: String)?
    ) throws(Failure) -> RunResult {
        var stop = stop
        var failure: Failure?
        if let worker = driver.worker {
            driver.worker = nil
            _ = worker.finish(hurry: driver.hurry())
            do { try driver.keepLogShort(worker) } catch { failure = error.failure }
        }
        let cost = driver.sampler.stop()
        // Now: its work and its memory are no part of what measuring cost.
        if stop == nil { do { try driver.probeBandwidth() } catch { stop = error } }
        failure = stop.flatMap { driver.isSoughtFailure($0) ? nil : $0.failure } ?? failure
        do throws(Failure) {
            try driver.drainSamples()
            try close(driver, stop: stop, cost: cost)
            if let log { try MeterImport.add(log: log.path, id: log.id, to: driver.directory) }
        } catch {
            failure = failure ?? error
        }
        driver.display.closeLine()
        let analyzed = try AnalyzedRun.read(driver.directory.tracePath)
        if let log {
            for warning in analyzed.record.warnings where warning.hasPrefix("\(log.id): ") {
                driver.display.say("warning: \(warning)")
            }
        }
        let notes = analyzed.writeRecord()
        // A counter that could be opened may still have counted nothing.
        if failure == nil, driver.options.requireEnergy, let why = analyzed.record.total.unavailable {
            failure = Failure(
                thing: "--require-energy", cause: why, remedy: "`sustain doctor` lists what was looked for",
                exit: .noEnergySource)
        }
        return RunResult(
            directory: driver.directory, record: analyzed.record, document: analyzed.document,
            failure: failure ?? notes.first, notes: notes)
    }

    static func close(_ driver: RunDriver, stop: Stop?, cost: SamplerCost) throws(Failure) {
        try driver.trace.append(.conditions(driver.closingConditions()))
        try driver.keepTightestMemory()
        let helpers = driver.sampler.helperRows
        if !helpers.isEmpty { try driver.trace.append(.capabilities(CapabilitiesLine(rows: helpers))) }
        try driver.trace.append(.overhead(cost.overhead))
        let completed = OutcomeLine(.completed, kind: driver.endOfDepths)
        try driver.trace.append(.outcome(stop?.outcome(in: driver.part) ?? completed))
        try driver.trace.append(.end(EndLine(time: Clock.now, sleptNanoseconds: Clock.slept)))
        try driver.trace.synchronize()
    }

    static func header(_ options: RunOptions, id: String, tool: ToolBuild) -> TraceHeader {
        TraceHeader(
            id: id, wallClock: Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
            start: Clock.now, sleptNanoseconds: Clock.slept, tool: tool, options: options.recorded,
            workload: options.workload, label: options.label)
    }

    static func slugSource(_ options: RunOptions) -> String {
        if let label = options.label { return label }
        let name = options.model?.split(separator: "/").last.map(String.init) ?? "run"
        return name.hasSuffix(".gguf") ? String(name.dropLast(5)) : name
    }

    static func noEnergy(_ probed: ProbeResult) -> Failure {
        Failure(
            thing: "--require-energy", cause: "no energy source can be read on this machine",
            remedy: probed.remedies.first ?? "`sustain doctor` lists what was looked for",
            exit: .noEnergySource)
    }

    private static func announce(
        _ plan: String, directory: RunDirectory, total: Total, probed: ProbeResult,
        log: (path: String, id: String)?, display: ProgressDisplay
    ) {
        display.say("sustain: " + plan)
        display.say("trace: \(directory.tracePath)")
        if let log { display.say("energy: \(log.path) is read after the run") }
        if total.includes.isEmpty, log == nil {
            let remedy = probed.remedies.first ?? "`sustain doctor` lists what was looked for"
            display.say("energy: none is counted here, every energy figure will be unavailable; \(remedy)")
        } else if !total.includes.isEmpty {
            display.say("energy: \(total.includes.joined(separator: " + "))")
        }
    }

    /// What will be done and how long it may take.
    ///
    /// - Parameter idle: seconds of an idle window.
    private static func plan(_ options: RunOptions, idle: Double) -> String {
        let workload = options.workload
        let window = Int(idle.rounded(.up))
        if options.request.named == .pbRandom {
            return
                "\(workload.name), one generation on a fresh engine and \(RunProtocol.warmGenerations) more, "
                + "at most \(Int(workload.seconds.value)) s (two idle windows of \(window) s)"
        }
        let atMost = workload.cycles == nil ? "" : "at most "
        if options.request.named == .untilFailure {
            return
                "\(workload.name), contexts up to \(workload.contextTokens) tokens, "
                + "at most \(Int(workload.seconds.value)) s (two idle windows of \(window) s)"
        }
        let all = Int(expectedSeconds(options, idle: idle).rounded(.up))
        return "\(workload.name), \(atMost)about \(all) s (three idle windows of \(window) s, warm-up, "
            + "\(Int(workload.seconds.value)) s sustained)"
    }

    /// Warm-up, sustained part and idle windows, in seconds; loads and settling come on top.
    ///
    /// - Parameter idle: seconds of an idle window.
    static func expectedSeconds(_ options: RunOptions, idle: Double) -> Double {
        let seconds = options.workload.seconds.value
        switch options.request.named {
        case .pbRandom, .untilFailure: return seconds + 2 * idle
        default: return seconds * 1.1 + 3 * idle
        }
    }
}
