/// What the lines of a session's trace say of one variant alone.
public struct VariantFacts: Sendable, Hashable {
    public var line: VariantLine
    /// The last of each kind within the variant's turns.
    public var artifact: ArtifactLine?
    public var engine: EngineLine?
    public var fit: FitReport?
    /// How it ended early; nil for a variant that did not.
    public var outcome: OutcomeLine?
    public var memory: [MemoryLine] = []
    /// Of what it says, against the reference; nil where it was not asked.
    public var parity: ParityResult?
    /// Of all its engines.
    public var pids: Set<Int32> = []

    public init(_ line: VariantLine) { self.line = line }

    /// Takes a line that stands in one of the variant's turns.
    mutating func take(_ line: TraceLine) {
        switch line {
        case .artifact(let body): artifact = body
        case .engine(let body):
            engine = body
            pids.formUnion(body.pids)
        case .fit(let body): fit = body
        case .memory(let body): memory.append(body)
        case .outcome(let body): outcome = body
        case .parity(let body): parity = body
        default: break
        }
    }
}
