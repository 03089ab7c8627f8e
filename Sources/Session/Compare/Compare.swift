import Analysis
import Energy
import Engines
import FoundationEssentials
import Glibc

/// A comparison from options to document. Everything it measures goes to one trace first; the document is read back
/// from it, after every quad and at the end.
public enum Compare {
    /// - Throws: failures before a session's directory exists: bad input, no worker, no permission to write. Later
    ///   ones are outcomes: the result holds the document and the failure.
    public static func execute(
        _ asked: CompareOptions, tool: ToolBuild, display: ProgressDisplay
    ) throws(Failure) -> CompareResult {
        var options = asked
        let common = options.variants[options.reference].run
        try Run.checkRoots(common)
        let loop = try EventLoop()
        let models = try inspect(&options)
        let power = try PowerSelection(option: common.power)
        if power.log != nil {
            throw Failure(
                thing: "--power \(common.power)",
                cause: "a log is read after a run, and compare takes none yet",
                remedy: "exec:CMD takes a meter that tells as it goes", exit: .usage)
        }
        var probed = try loop.probe(
            SystemRoots(sysfs: common.sysfs, procfs: common.procfs, nvml: SystemRoots.nvmlOfEnvironment),
            power,
            exit: .interrupted)
        try probed.refuseMissingMeter(option: common.power)
        if common.requireEnergy, probed.total.includes.isEmpty { throw Run.noEnergy(probed) }
        ReadPace.look(at: &probed.sources, ids: probed.total.includes)

        let directory = try RunDirectory.claim(in: common.output, name: slug(options), at: Date())
        removeLeftovers(below: common.output, display)
        let trace = try TraceWriter(path: directory.tracePath)
        try begin(trace, options, directory, rows: probed.rows, tool: tool)
        let driver = try makeDriver(options, models, loop, directory, trace, probed, display)
        announce(options, directory, probed, display)
        let missing = probed.warningOfMissing(power, option: common.power)
        return try finish(driver, directory, stop: carryOut(driver, warning: missing))
    }

    /// Looks at every variant's model and engine before anything is made, and fits its workload to the model.
    static func inspect(_ options: inout CompareOptions) throws(Failure) -> [ModelFile?] {
        var models: [ModelFile?] = []
        for index in options.variants.indices {
            let model = try Run.inspect(options.variants[index].run)
            try options.variants[index].run.fit(trainedContext: model?.shape.trainedContextTokens)
            _ = try options.variants[index].run.engine.command()
            models.append(model)
        }
        return models
    }

    /// Takes away what killed sessions have left of parity.
    static func removeLeftovers(below output: String, _ display: ProgressDisplay) {
        for left in RowStore.removeLeftovers(below: output) {
            display.say("removed the logits that a killed comparison left: \(left)")
        }
    }

    static func begin(
        _ trace: TraceWriter, _ options: CompareOptions, _ directory: RunDirectory,
        rows: [CapabilitiesLine.Row], tool: ToolBuild
    ) throws(Failure) {
        var common = options.variants[options.reference].run
        common.recorded = options.recorded
        try trace.append(.header(Run.header(common, id: directory.id, tool: tool)))
        if !rows.isEmpty { try trace.append(.capabilities(CapabilitiesLine(rows: rows))) }
        for (index, variant) in options.variants.enumerated() {
            try trace.append(
                .variant(
                    VariantLine(
                        index: index, name: variant.name, options: variant.recorded,
                        workload: variant.run.workload)))
        }
    }

    /// One driver a variant; they share what there is once: the lock, the loop, the sampler, the trace.
    private static func makeDriver(
        _ options: CompareOptions, _ models: [ModelFile?], _ loop: EventLoop, _ directory: RunDirectory,
        _ trace: TraceWriter, _ probed: ProbeResult, _ display: ProgressDisplay
    ) throws(Failure) -> CompareDriver {
        let total = probed.total
        let sampler = try Sampler(interval: options.variants[options.reference].run.interval)
        let live = LiveFigures()
        let lines = try sampler.add(probed.sources)
        for line in lines { try trace.append(.source(line)) }
        live.add(lines, total: total.includes)
        let counted = zip(lines, probed.sources).filter { total.includes.contains($0.0.id) }.map {
            CountedSource(line: $0.0, seenPeriod: $0.1.seenPeriod)
        }
        let lock = MachineLock()
        let arms = options.variants.indices.map { index in
            CompareArm(
                index: index, name: options.variants[index].name,
                driver: RunDriver(
                    options: options.variants[index].run, model: models[index], display: display, loop: loop,
                    directory: directory, trace: trace, sampler: sampler, live: live, gpus: probed.gpus,
                    counted: counted, lock: lock, logPath: "\(directory.path)/worker-\(index).log",
                    countsEvents: false))
        }
        let save = { () throws(Failure) -> Void in
            try trace.flush()
            guard let session = try AnalyzedSession.read(directory.tracePath) else { return }
            if let failure = session.write().first { throw failure }
        }
        return CompareDriver(options, arms: arms, save: save)
    }

    /// Carries out every step; returns why it stopped early, nil when it did not.
    private static func carryOut(_ driver: CompareDriver, warning: String?) -> Stop? {
        let common = driver.reference.driver
        do {
            if let warning { try common.warn(warning) }
            try common.warnOfDividedGPUs()
            try driver.prepare()
            do { try common.sampler.start() } catch { throw Stop.failed(error) }
            try driver.measure()
            return nil
        } catch let stop as Stop {
            return stop
        } catch {
            return .failed(Failure(thing: "comparison", cause: "\(error)"))
        }
    }

    /// Ends what still runs, closes the trace and makes the document of it.
    private static func finish(
        _ driver: CompareDriver, _ directory: RunDirectory, stop: Stop?
    ) throws(Failure) -> CompareResult {
        let common = driver.reference.driver
        for arm in driver.arms { arm.abandon() }
        let cost = common.sampler.stop()
        var failure = stop?.failure ?? driver.arms.lazy.compactMap(\.failure).first?.failure
        do throws(Failure) {
            try common.trace.append(.turn(TurnLine(variant: nil)))
            try common.drainSamples()
            try Run.close(common, stop: stop, cost: cost)
        } catch {
            failure = failure ?? error
        }
        common.display.closeLine()
        guard let session = try AnalyzedSession.read(directory.tracePath) else {
            throw Failure(thing: directory.tracePath, cause: "lost the lines that name the variants")
        }
        let notes = session.write()
        if failure == nil, common.options.requireEnergy, let why = session.document.total.unavailable {
            failure = Failure(
                thing: "--require-energy", cause: why, remedy: "`sustain doctor` lists what was looked for",
                exit: .noEnergySource)
        }
        return CompareResult(
            directory: directory, document: session.document, bytes: session.bytes,
            failure: failure ?? notes.first, notes: notes)
    }

    static func slug(_ options: CompareOptions) -> String {
        options.variants[options.reference].run.label ?? "compare-\(options.variants[options.reference].name)"
    }

    private static func announce(
        _ options: CompareOptions, _ directory: RunDirectory, _ probed: ProbeResult,
        _ display: ProgressDisplay
    ) {
        let names = options.variants.map(\.name).joined(separator: ", ")
        display.say("sustain: compare \(names)")
        display.say("trace: \(directory.tracePath)")
        let total = probed.total
        if total.includes.isEmpty {
            let remedy = probed.remedies.first ?? "`sustain doctor` lists what was looked for"
            display.say("energy: none is counted here, speed and memory are compared; \(remedy)")
        } else {
            display.say("energy: \(total.includes.joined(separator: " + "))")
        }
    }
}
