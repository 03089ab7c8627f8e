import Analysis
import Engines

/// What `sustain fit` was asked for.
public struct FitOptions: Sendable {
    public var models: [String]
    public var engine: RunOptions.Engine
    public var load: LoadOptions
    public var contextTokens: Int
    /// Files of a projector and of a draft model that are loaded too.
    public var projector: String?
    public var draft: String?
    /// A limit of the user's in the place of what is available here.
    public var limitBytes: UInt64?
    public var sysfs: String
    public var procfs: String
    /// Finished runs to learn from.
    public var history: [FitObservation]

    public init(
        models: [String], engine: RunOptions.Engine, load: LoadOptions, contextTokens: Int,
        projector: String? = nil, draft: String? = nil, limitBytes: UInt64? = nil, sysfs: String = "/sys",
        procfs: String = "/proc", history: [FitObservation] = []
    ) {
        self.models = models
        self.engine = engine
        self.load = load
        self.contextTokens = contextTokens
        self.projector = projector
        self.draft = draft
        self.limitBytes = limitBytes
        self.sysfs = sysfs
        self.procfs = procfs
        self.history = history
    }
}

/// Whether models fit into memory, without loading any.
public enum Fit {
    /// The estimate of every model, in the order given.
    ///
    /// - Throws: a `Failure` (exit 2) for the only argument, if it cannot name a model; of several, and for a file
    ///   that cannot be read, it is an entry that cannot tell. A signal ends it (exit 130).
    public static func examine(_ options: FitOptions) throws(Failure) -> FitDocument {
        if case .llama(let libraries?) = options.engine { try LlamaLibraries.check(libraries) }
        let loop = try EventLoop()
        let preparation = FitPreparation(
            engine: options.engine, load: options.load, contextTokens: options.contextTokens,
            patience: Seconds(60), history: options.history,
            sysfs: options.sysfs,
            boards: {
                BoardReading.probe(loop, sysfs: options.sysfs, procfs: options.procfs, exit: .interrupted)
            })
        var entries: [FitDocument.Entry] = []
        for path in options.models { entries.append(try entry(path, options, preparation, loop)) }
        return FitDocument(models: entries)
    }

    private static func entry(
        _ path: String, _ options: FitOptions, _ preparation: FitPreparation, _ loop: EventLoop
    ) throws(Failure) -> FitDocument.Entry {
        let model: ModelFile
        do throws(Failure) {
            model = try ModelFile.inspect(path: path)
        } catch {
            if error.exit == .usage, options.models.count == 1 { throw error }
            return FitDocument.Entry(
                model: path, sizeBytes: nil,
                fit: FitEstimate.withoutMetadata(error.cause, preparation.parameters))
        }
        // Only where it is known already: nobody waits for a hash to hear whether a model fits.
        let sha256 = HashCache.user().flatMap { ArtifactHash.known(of: model, cache: $0) }
        var signal = loop.pendingSignal()
        var input = preparation.input(model, sha256: sha256) {
            signal = signal ?? loop.pendingSignal()
            return signal == nil
        }
        if let signal {
            throw Failure(
                thing: Stop.name(of: signal), cause: "the estimate was interrupted", exit: .interrupted)
        }
        if let projector = options.projector { input.projectorBytes = try ProjectorFile.bytes(of: projector) }
        if let draft = options.draft { input.draft = FitModel(try ModelFile.inspect(path: draft)) }
        let limit =
            options.limitBytes.map {
                MemoryLimit(.static, availableBytes: $0, source: "--limit")
            } ?? MemoryLimit.read(procfs: options.procfs, cgroups: options.sysfs + "/fs/cgroup")
        guard let limit else {
            throw Failure(
                thing: options.procfs + "/meminfo", cause: "does not tell how much memory there is",
                remedy: "give it with --limit")
        }
        var report = FitEstimate.report(input, limit: limit)
        report.warnings += [model.warning(ofContext: options.contextTokens)].compactMap(\.self)
        return FitDocument.Entry(model: path, sizeBytes: model.sizeBytes, fit: report)
    }
}
