/// The lines of one trace by kind, each kind in the order of the file.
///
/// Whatever a line claims is kept as it stands: indices may name no source and marks may be out of order.
/// `notes` tells what the reader had to leave out.
public struct Trace: Sendable, Hashable {
    public var header: TraceHeader
    /// What came in place of the header's workload; the last of its kind.
    public var laterWorkload: Workload?
    /// One an index. Two may share an id: the memory of one worker and of the next.
    public var sources: [SourceLine] = []
    public var samples: [SampleLine] = []
    public var marks: [MarkLine] = []
    public var tokens: [TokensLine] = []
    public var done: [DoneLine] = []
    public var memory: [MemoryLine] = []
    /// Steps of a run with `--until-failure`.
    public var depths: [DepthLine] = []
    public var objections: [ObjectionLine] = []
    /// The last of its kind.
    public var artifact: ArtifactLine?
    /// What became of the model's pages before the cold load; the last of its kind.
    public var pageCache: PageCacheLine?
    /// What a probe read from memory; the last of its kind, nil where there was no probe.
    public var bandwidth: BandwidthLine?
    /// Whether the model was expected to fit; the last of its kind, as judged before the last load.
    public var fit: FitReport?
    /// The last of its kind: the one after the load holds the parameters in force.
    public var engine: EngineLine?
    /// Who was on the GPUs; the last of its kind.
    public var gpuProcesses: GPUProcessesLine?
    public var conditions: [ConditionsLine] = []
    /// Rows of all capability tables, in order.
    public var capabilities: [CapabilitiesLine.Row] = []
    public var overhead: OverheadLine?
    public var warnings: [String] = []
    public var outcome: OutcomeLine?
    /// How a session goes about it; the last of its kind, nil in the trace of a run.
    public var session: SessionLine?
    /// What a session compares, in the order of the trace; none in the trace of a run.
    public var variants: [VariantFacts] = []
    public var blocks: [BlockLine] = []
    /// Of a session of whole runs, in the order of the trace.
    public var runs: [RunLine] = []
    /// Nil when the trace was not ended in order: the run was interrupted.
    public var end: EndLine?
    public var notes = TraceNotes()

    public init(header: TraceHeader) { self.header = header }

    /// The workload of the cycles.
    public var workload: Workload { laterWorkload ?? header.workload }
}
