import Analysis
import Energy
import Engines
import Glibc
import WorkerProtocol

/// When a run looks at its conditions: before anything is timed, after the first idle window, at the engine's hello
/// and at the end.
extension RunDriver {
    var conditions: Conditions {
        Conditions(facts: facts, output: options.output, threads: options.load.threads, lock: lock)
    }

    /// The machine, before anything is timed. With `--strict` a failed check ends the run here: nobody waits
    /// through an idle window for it.
    func judgeMachine() throws(Stop) {
        try judge(
            ConditionsLine(
                moment: .before, checks: conditions.instant() + gpuConditions,
                identity: Identity.read(facts).merging(GPUFacts.identity(gpus)) { own, _ in own },
                counts: RunningCounts.read(facts)))
    }

    /// What an idle window has shown of others on the machine.
    func judgeNeighbours(_ quiet: [Condition]) throws(Stop) {
        try judge(ConditionsLine(moment: .before, checks: quiet))
    }

    /// The engine, once it has said hello and before it has done anything; of several of one run the first.
    func judgeEngine(_ hello: Hello) throws(Stop) {
        guard !isEngineJudged else { return }
        isEngineJudged = true
        try judge(
            ConditionsLine(
                moment: .before, checks: engineConditions(hello),
                identity: hello.location == .local ? EngineVariables.identity(engineEnvironment) : [:]))
    }

    /// Looks at the engine's processes once more while they are there.
    func lookAtEngineAgain() {
        if let hello = answers.hello { engineAfter = engineConditions(hello) }
    }

    /// The end of the run, however it ended.
    func closingConditions() -> ConditionsLine {
        ConditionsLine(
            moment: .after, checks: conditions.instant() + gpuConditions + quietAfter + engineAfter,
            counts: RunningCounts.read(facts))
    }

    private func engineConditions(_ hello: Hello) -> [Condition] {
        Conditions.engine(
            buildType: hello.buildType, pids: hello.pids, isLocal: hello.location == .local, facts)
    }

    private func judge(_ line: ConditionsLine) throws(Stop) {
        try write(.conditions(line))
        let failed = line.checks.filter { $0.verdict == .fail }
        for condition in failed { display.say("condition failed: \(condition.name): \(condition.seen)") }
        if options.strict, let first = failed.first {
            throw .refused(
                Failure(
                    thing: first.name, cause: "condition failed: \(first.seen)",
                    remedy: "mend it, or run without --strict: the record is then marked", exit: .refused))
        }
    }

    /// Engines that spin at barriers collapse when a core is taken from them, if only by this program's sampler.
    func warnOfThreads(_ loaded: Loaded) throws(Stop) {
        let usable = conditions.usable
        guard let threads = loaded.effective.threads, threads > usable.count - 1, threads > 1,
            loaded.devices.isEmpty, !hasWarnedOfThreads
        else { return }
        hasWarnedOfThreads = true
        try warn(
            "\(threads) threads on \(usable.text) leave no core for the system: whatever else runs "
                + "slows all of them down; try -t \(max(1, usable.count - 1))")
    }
}
