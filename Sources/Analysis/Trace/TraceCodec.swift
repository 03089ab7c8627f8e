import FoundationEssentials

extension TraceLine {
    /// The value of the line's `type` key.
    public var type: String {
        switch self {
        case .header: "header"
        case .workload: "workload"
        case .source: "source"
        case .sample: "sample"
        case .mark: "mark"
        case .tokens: "tokens"
        case .done: "done"
        case .memory: "memory"
        case .depth: "depth"
        case .objection: "objection"
        case .artifact: "artifact"
        case .pageCache: "page_cache"
        case .bandwidth: "bandwidth"
        case .fit: "fit"
        case .engine: "engine"
        case .gpuProcesses: "gpu_processes"
        case .conditions: "conditions"
        case .capabilities: "capabilities"
        case .overhead: "overhead"
        case .warning: "warning"
        case .outcome: "outcome"
        case .variant: "variant"
        case .turn: "turn"
        case .session: "session"
        case .block: "block"
        case .run: "run"
        case .parity: "parity"
        case .end: "end"
        case .unknown(let type): type
        }
    }

    private var body: any Encodable {
        switch self {
        case .header(let body): body
        case .workload(let body): body
        case .source(let body): body
        case .sample(let body): body
        case .mark(let body): body
        case .tokens(let body): body
        case .done(let body): body
        case .memory(let body): body
        case .depth(let body): body
        case .objection(let body): body
        case .artifact(let body): body
        case .pageCache(let body): body
        case .bandwidth(let body): body
        case .fit(let body): body
        case .engine(let body): body
        case .gpuProcesses(let body): body
        case .conditions(let body): body
        case .capabilities(let body): body
        case .overhead(let body): body
        case .warning(let body): body
        case .outcome(let body): body
        case .variant(let body): body
        case .turn(let body): body
        case .session(let body): body
        case .block(let body): body
        case .run(let body): body
        case .parity(let body): body
        case .end(let body): body
        case .unknown: [String: String]()
        }
    }
}

extension TraceLine: Codable {
    private struct Tag: Codable { let type: String }

    public init(from decoder: any Decoder) throws {
        let type = try Tag(from: decoder).type
        switch type {
        case "header": self = .header(try TraceHeader(from: decoder))
        case "workload": self = .workload(try Workload(from: decoder))
        case "source": self = .source(try SourceLine(from: decoder))
        case "sample": self = .sample(try SampleLine(from: decoder))
        case "mark": self = .mark(try MarkLine(from: decoder))
        case "tokens": self = .tokens(try TokensLine(from: decoder))
        case "done": self = .done(try DoneLine(from: decoder))
        case "memory": self = .memory(try MemoryLine(from: decoder))
        case "depth": self = .depth(try DepthLine(from: decoder))
        case "objection": self = .objection(try ObjectionLine(from: decoder))
        case "artifact": self = .artifact(try ArtifactLine(from: decoder))
        case "page_cache": self = .pageCache(try PageCacheLine(from: decoder))
        case "bandwidth": self = .bandwidth(try BandwidthLine(from: decoder))
        case "fit": self = .fit(try FitReport(from: decoder))
        case "engine": self = .engine(try EngineLine(from: decoder))
        case "gpu_processes": self = .gpuProcesses(try GPUProcessesLine(from: decoder))
        case "conditions": self = .conditions(try ConditionsLine(from: decoder))
        case "capabilities": self = .capabilities(try CapabilitiesLine(from: decoder))
        case "overhead": self = .overhead(try OverheadLine(from: decoder))
        case "warning": self = .warning(try WarningLine(from: decoder))
        case "outcome": self = .outcome(try OutcomeLine(from: decoder))
        case "variant": self = .variant(try VariantLine(from: decoder))
        case "turn": self = .turn(try TurnLine(from: decoder))
        case "session": self = .session(try SessionLine(from: decoder))
        case "block": self = .block(try BlockLine(from: decoder))
        case "run": self = .run(try RunLine(from: decoder))
        case "parity": self = .parity(try ParityResult(from: decoder))
        case "end": self = .end(try EndLine(from: decoder))
        default: self = .unknown(type: type)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        try Tag(type: type).encode(to: encoder)
        try body.encode(to: encoder)
    }
}
