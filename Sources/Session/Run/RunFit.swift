import Analysis
import Energy
import Engines

/// Whether the model fits: told before the worker exists, and once more before each load.
extension RunDriver {
    /// Sizes the model and judges it. A model that does not fit refuses the run before anything is loaded.
    ///
    /// - Returns: nil where there is nothing to judge.
    @discardableResult func prepareFit(sha256: String?) throws(Stop) -> FitReport? {
        let preparation = FitPreparation(
            engine: options.engine, environment: options.environment, load: options.load,
            contextTokens: options.workload.contextTokens, promptTokens: options.workload.promptTokens,
            patience: options.engineTimeout, history: options.history,
            sysfs: options.sysfs)
        guard let model else {
            try write(
                .fit(FitEstimate.withoutMetadata("no model file to size by", preparation.parameters)))
            return nil
        }
        begin("sizing the model", length: nil)
        var signal: Int32?
        fit = preparation.input(model, sha256: sha256) { [loop] in
            signal = loop.pendingSignal()
            return signal == nil
        }
        if let signal { throw .signal(signal) }
        guard let report = try judgeFit() else { return nil }
        for warning in report.warnings { try warn("memory: \(warning)") }
        if report.status == .cannotTell { try warn("memory: cannot tell whether it fits: \(report.reason)") }
        return report
    }

    /// Reads the limit anew and judges against it.
    @discardableResult func judgeFit() throws(Stop) -> FitReport? {
        guard let fit else { return nil }
        guard
            let limit = MemoryLimit.read(
                procfs: options.procfs, cgroups: options.sysfs + "/fs/cgroup", ownBytes: ownBytes)
        else {
            try warn("memory: what is available cannot be read, so that nothing is known of the fit")
            self.fit = nil
            return nil
        }
        let report = FitEstimate.report(fit, limit: limit)
        try write(.fit(report))
        guard report.status == .doesNotFit else { return report }
        throw .refused(
            Failure(
                thing: options.model ?? "model", cause: "does not fit into memory: \(report.reason)",
                remedy: Self.memoryRemedy + "; `sustain fit` shows each term",
                exit: .refused))
    }

    /// What the worker holds of its own before a load; mapped pages are available to anyone.
    private var ownBytes: UInt64 {
        guard let worker, let memory = ProcessMemory.read(worker.pid, procfs: options.procfs).value else {
            return 0
        }
        return memory["anonymous"] ?? 0
    }
}
