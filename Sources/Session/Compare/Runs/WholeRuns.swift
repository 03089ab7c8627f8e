import Analysis
import Energy
import Engines
import FoundationEssentials
import Glibc

/// `sustain compare --sustained`: whole runs take turns, each with a directory, a trace and a record of its own. The
/// session's trace holds their order and the temperatures between them; its document is made of both.
public enum WholeRuns {
    /// - Throws: failures before a session's directory exists. Later ones are outcomes: the result holds the document
    ///   and the failure.
    public static func execute(
        _ asked: CompareOptions, tool: ToolBuild, display: ProgressDisplay
    ) throws(Failure) -> CompareResult {
        var options = asked
        let common = options.variants[options.reference].run
        try Run.checkRoots(common)
        let loop = try EventLoop()
        let models = try Compare.inspect(&options)
        // Each run looks for its own sources of energy; here it is the machine's temperatures.
        let probed = try loop.probe(
            SystemRoots(sysfs: common.sysfs, procfs: common.procfs, nvml: SystemRoots.nvmlOfEnvironment),
            try PowerSelection(option: "none"), exit: .interrupted)
        let thermometer = Thermometer(probed.sources)

        let directory = try RunDirectory.claim(
            in: common.output, name: Compare.slug(options), at: Date())
        let trace = try TraceWriter(path: directory.tracePath)
        try Compare.begin(trace, options, directory, rows: [], tool: tool)
        for line in thermometer.lines { try trace.append(.source(line)) }
        announce(options, directory, display)
        Compare.removeLeftovers(below: common.output, display)
        let driver = WholeRunsDriver(
            options, models: models, loop: loop, directory: directory, trace: trace,
            coolDown: CoolDown(
                thermometer, limit: options.wholeRuns?.coolDown, trace: trace, pause: loop.pause(until:)),
            tool: tool,
            display: display)
        return try finish(driver, stop: carryOut(driver))
    }

    private static func carryOut(_ driver: WholeRunsDriver) -> Stop? {
        do throws(Stop) {
            try driver.measure()
            return nil
        } catch {
            return error
        }
    }

    private static func finish(_ driver: WholeRunsDriver, stop: Stop?) throws(Failure) -> CompareResult {
        var failure = stop?.failure ?? driver.firstFailure
        do throws(Failure) {
            try driver.trace.append(.turn(TurnLine(variant: nil)))
            var outcome = stop?.outcome(in: .sustained) ?? OutcomeLine(.completed)
            // Of a run its own record says where it was.
            outcome.part = nil
            try driver.trace.append(.outcome(outcome))
            try driver.trace.append(.end(EndLine(time: Clock.now, sleptNanoseconds: Clock.slept)))
            try driver.trace.synchronize()
        } catch {
            failure = failure ?? error
        }
        driver.display.closeLine()
        guard let session = try AnalyzedSession.read(driver.directory.tracePath, known: driver.records) else {
            throw Failure(thing: driver.directory.tracePath, cause: "lost the lines that name the variants")
        }
        let notes = session.write()
        return CompareResult(
            directory: driver.directory, document: session.document, bytes: session.bytes,
            failure: failure ?? notes.first, notes: notes)
    }

    private static func announce(
        _ options: CompareOptions, _ directory: RunDirectory, _ display: ProgressDisplay
    ) {
        let names = options.variants.map(\.name).joined(separator: ", ")
        display.say("sustain: compare whole runs of \(names)")
        display.say("trace: \(directory.tracePath)")
    }
}

extension EventLoop {
    /// Waits until a moment, or until a signal ends everything.
    fileprivate func pause(until moment: Instant) throws(Stop) {
        while Clock.now < moment {
            let ready: [Ready]
            do { ready = try wait(until: moment) } catch { throw .failed(error) }
            for case .signal(let number) in ready { throw .signal(number) }
        }
    }
}
