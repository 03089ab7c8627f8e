/// What one finished run tells about the memory of its engine's build: what was expected and what was measured.
public struct FitObservation: Sendable, Hashable {
    /// The run's id.
    public var run: String
    /// SHA-256 of the model.
    public var artifact: String
    /// SHA-256 of the engine's main library.
    public var engine: String
    public var parameters: FitParameters
    /// The bytes of each term as the run expected them.
    public var terms: [FitTerm]
    /// The compute term before anything was learnt about it.
    public var sizedCompute: FitTerm
    /// The largest resident set, bytes.
    public var peakBytes: UInt64
    /// The largest anonymous part of it, bytes; nil when it was not read.
    public var peakAnonymousBytes: UInt64?

    public init(
        run: String, artifact: String, engine: String, parameters: FitParameters, terms: [FitTerm],
        sizedCompute: FitTerm, peakBytes: UInt64, peakAnonymousBytes: UInt64? = nil
    ) {
        self.run = run
        self.artifact = artifact
        self.engine = engine
        self.parameters = parameters
        self.terms = terms
        self.sizedCompute = sizedCompute
        self.peakBytes = peakBytes
        self.peakAnonymousBytes = peakAnonymousBytes
    }

    /// nil for a record that does not tell: no fit, no measured peak, a run that ended early, memory that is
    /// not the process's own.
    public init?(_ record: Record) {
        // A run over many contexts has one peak and many estimates.
        guard record.outcome.status == .completed, record.depths == nil, let fit = record.memory.fit?.value,
            let compute = fit.sizedCompute,
            let artifact = record.artifact.value?.sha256.value,
            let engine = record.engine.value?.librarySHA256.value,
            ["mapped", "anonymous"].contains(record.memory.accounting),
            let peak = record.memory.peakRSSBytes.number, let bytes = UInt64(exactly: peak)
        else { return nil }
        self.init(
            run: record.id, artifact: artifact, engine: engine, parameters: fit.parameters, terms: fit.terms,
            sizedCompute: compute, peakBytes: bytes,
            peakAnonymousBytes: record.memory.peakAnonymousBytes.number.flatMap { UInt64(exactly: $0) })
    }
}
