import Analysis
import CHost
import Energy
import FoundationEssentials
import Glibc

/// What a measurement gives.
public struct MeasureResult: Sendable {
    public let record: MeasureRecord
    /// The command's: its exit status, or 128 and the number of the signal that ended it.
    public let exit: ExitCode
}

/// The energy of the machine while a command runs, over and above the idle machine.
public enum Measure {
    /// - Throws: usage (exit 2); no such program (127), one that cannot be executed (126); a signal before the
    ///   command ran (128 and its number); anything else of our own (125).
    public static func execute(
        _ options: MeasureOptions, tool: ToolBuild, display: ProgressDisplay
    ) throws(Failure) -> MeasureResult {
        for root in [("--path.sysfs", options.sysfs), ("--path.procfs", options.procfs)]
        where access(root.1, R_OK | X_OK) != 0 {
            throw Failure.system("\(root.0) \(root.1)", "is no directory that can be read", exit: .usage)
        }
        let power = try PowerSelection(option: options.power)
        guard power.log == nil else {
            throw Failure(
                thing: "--power \(options.power)", cause: "`sustain measure` reads no log of a meter",
                remedy: "use --power exec:CMD with a program that tells its readings, or `sustain run`",
                exit: .usage)
        }
        guard let name = options.command.first else {
            throw Failure(thing: "sustain measure", cause: "names no command", exit: .usage)
        }
        try UserCommand.check(name)
        do {
            let loop = try EventLoop(signals: EventLoop.endingSignals + [SIGQUIT])
            let probed = try loop.probe(
                SystemRoots(
                    sysfs: options.sysfs, procfs: options.procfs, nvml: SystemRoots.nvmlOfEnvironment),
                power, context: false)
            try probed.refuseMissingMeter(option: options.power)
            let sampler = try Sampler(interval: options.interval)
            let driver = MeasureDriver(
                options: options, tool: tool, display: display, loop: loop, sampler: sampler,
                sources: try sampler.add(probed.sources), probed: probed,
                warnings: [probed.warningOfMissing(power, option: options.power)].compactMap(\.self))
            try sampler.start()
            try driver.measure()
            return try result(driver)
        } catch {
            throw error.ofMeasure
        }
    }

    private static func result(_ driver: MeasureDriver) throws(Failure) -> MeasureResult {
        guard let record = MeasureRecord(driver.finish()) else {
            throw Failure(thing: "command", cause: "it did not run", exit: .measureFailed)
        }
        return MeasureResult(record: record, exit: ExitCode(rawValue: Int32(clamping: record.exitCode)))
    }
}

extension Failure {
    /// The same with the exit code of a failure of `sustain measure` itself, where it has none of its own.
    var ofMeasure: Failure {
        guard exit.rawValue < ExitCode.measureFailed.rawValue, exit != .usage else { return self }
        return Failure(thing: thing, cause: cause, errno: errno, remedy: remedy, exit: .measureFailed)
    }
}
