import Analysis
import Energy
import Engines

/// Whether the model fits: told before anything else is done with it, and once more before each load.
extension RunDriver {
    /// Sizes the model and judges it by its header, before it is hashed: a refusal is told at once
    /// (docs/decisions/0013).
    ///
    /// - Returns: nil where there is nothing to judge.
    /// - Throws: a refusal of a model that does not fit.
    @discardableResult func prepareFit() throws(Stop) -> FitReport? {
        guard let model else {
            try write(
                .fit(
                    FitEstimate.withoutMetadata(
                        "no model file to size by",
                        preparation(contextTokens: options.workload.contextTokens).parameters)))
            return nil
        }
        if let warning = model.warning(ofContext: options.workload.contextTokens) { try warn(warning) }
        // Each step of a deepening run is told for itself.
        guard options.request.named != .untilFailure else { return nil }
        modelHash = modelHash ?? HashCache.user().flatMap { ArtifactHash.known(of: model, cache: $0) }
        begin("sizing the model", length: nil)
        try sizeModel(contextTokens: options.workload.contextTokens)
        guard let report = try reportFit() else { return nil }
        if report.status == .doesNotFit, !mayHaveBeenMeasured(model) {
            let why = "the run was refused before the model was hashed"
            try write(.artifact(model.artifactLine(sha256: Maybe(modelHash, else: why))))
            throw refusal(report)
        }
        for warning in report.warnings { try warn("memory: \(warning)") }
        if report.status == .cannotTell { try warn("memory: cannot tell whether it fits: \(report.reason)") }
        return report
    }

    /// Whether a finished run may have been of this very file, so that its peak stands above the estimate: only
    /// the hash can tell.
    private func mayHaveBeenMeasured(_ model: ModelFile) -> Bool {
        guard modelHash == nil else { return false }
        // Of weights that lie on a board the term does not tell the file's size.
        return options.history.contains { run in
            fit?.offload != nil
                || run.terms.contains { $0.name == .weights && $0.bytes == model.sizeBytes }
        }
    }

    /// With the hash runs of the same file are known: where it is news, the fit is judged anew.
    ///
    /// - Throws: a refusal of a model that does not fit.
    func takeHash(_ hash: String?) throws(Stop) {
        guard hash != modelHash else { return }
        modelHash = hash
        if options.request.named != .untilFailure { try judgeFit() }
    }

    /// Asks the engine's dry run and the header what a load with so much context takes.
    func sizeModel(contextTokens: Int) throws(Stop) {
        guard let model else { return }
        var signal: Int32?
        fit = preparation(contextTokens: contextTokens).input(model, sha256: modelHash) { [loop] in
            signal = loop.pendingSignal()
            return signal == nil
        }
        if let signal { throw .signal(signal) }
    }

    private func preparation(contextTokens: Int) -> FitPreparation {
        FitPreparation(
            engine: options.engine, environment: options.environment, load: options.load,
            contextTokens: contextTokens, promptTokens: options.workload.promptTokens,
            patience: options.engineTimeout, history: options.history, sysfs: options.sysfs,
            boards: { [gpus, loop, options] in
                gpus.isEmpty
                    ? BoardReading.probe(
                        loop, sysfs: options.sysfs, procfs: options.procfs, exit: .interrupted)
                    : BoardReading.read(gpus)
            })
    }

    /// Reads the limit anew and judges against it; nil where nothing is known.
    func reportFit() throws(Stop) -> FitReport? {
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
        return report
    }

    /// Before a load.
    ///
    /// - Throws: a refusal of a model that does not fit.
    func judgeFit() throws(Stop) {
        fit?.artifact = modelHash
        guard let report = try reportFit(), report.status == .doesNotFit else { return }
        throw refusal(report)
    }

    func refusal(_ report: FitReport) -> Stop {
        .refused(
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
