import Analysis

/// A comparison of two or more builds that never took place: its trace, of which the truth is known.
public struct SimulatedSession {
    /// What a variant is against the reference.
    public struct Variant: Sendable {
        public var name: String
        /// Joules a token, against the reference's.
        public var energy: Double
        /// Tokens a second, against the reference's.
        public var speed: Double
        public var peakRSS: UInt64

        public init(_ name: String, energy: Double = 1, speed: Double = 1, peakRSS: UInt64 = 400 << 20) {
            self.name = name
            self.energy = energy
            self.speed = speed
            self.peakRSS = peakRSS
        }
    }

    public struct Plan: Sendable {
        /// The reference first.
        public var variants: [Variant]
        public var quads = 8
        public var cycles = 3
        /// AR(1) noise of cycles, in their energy and, apart from it, in their length.
        public var noise = 0.02
        public var correlation = 0.4
        /// What energy and length rise by over the session.
        public var drift = 0.05
        public var hasEnergy = true
        public var gates: [String] = []
        /// Cores that the variant without work uses.
        public var idleCores = 0.0

        public init(_ variants: [Variant]) { self.variants = variants }
    }

    public private(set) var trace: Trace
    private let plan: Plan
    private var noise: Noise
    private var lengths: Autoregression
    private var energies: Autoregression
    private var course = Course()
    private var time = 0.5
    private var cycle = 0
    private var reads: [Double] = []

    private static let prefill = (seconds: 0.2, watts: 120.0, tokens: 128)
    private static let decode = (seconds: 0.8, watts: 90.0, tokens: 65)
    private static let idleWatts = 20.0
    private static let idleSeconds = 5.0

    public init(_ plan: Plan, seed: UInt64) {
        self.plan = plan
        var noise = Noise(seed: seed)
        lengths = Autoregression(correlation: plan.correlation, &noise)
        energies = Autoregression(correlation: plan.correlation, &noise)
        self.noise = noise
        trace = Trace(header: Self.header(plan, seed: seed))
        course.append(-1, Self.idleWatts)
        for (index, variant) in plan.variants.enumerated() { trace.variants.append(facts(index, variant)) }
        var session = SessionLine(
            reference: 0, quads: plan.quads, resident: true,
            residency: "all variants fit into memory together", leastBlock: Seconds(0),
            leastCycles: plan.cycles)
        session.leastBlock = Seconds(0.0204)
        trace.session = session
        idle(.idleBefore)
        for quad in 0..<plan.quads {
            for variant in plan.variants.indices.dropFirst() { self.quad(quad, of: variant) }
        }
        idle(.idleAfter)
        if plan.hasEnergy { sample() }
        trace.outcome = OutcomeLine(.completed)
        trace.end = EndLine(time: Self.moment(time + 1), sleptNanoseconds: 0)
    }

    private static func moment(_ seconds: Double) -> Instant {
        Instant(nanoseconds: 1_000_000_000_000) + Nanoseconds(Seconds(seconds))
    }

    private static let workload = Workload(
        name: "custom-p128-n65", promptTokens: prefill.tokens, generatedTokens: decode.tokens,
        contextTokens: 193, seconds: Seconds(600), cycles: nil, sampling: "greedy", seed: 0)

    private static func header(_ plan: Plan, seed: UInt64) -> TraceHeader {
        TraceHeader(
            id: "20261130T005600Z-compare-\(seed)", wallClock: "2026-11-30T00:56:00Z", start: moment(0),
            sleptNanoseconds: 0,
            tool: ToolBuild(version: "0.0.0", commit: "replay", buildType: "release", compiler: "Swift"),
            options: .object(["fail-if": .array(plan.gates.map(JSONValue.string))]), workload: workload)
    }

    private func facts(_ index: Int, _ variant: Variant) -> VariantFacts {
        var facts = VariantFacts(
            VariantLine(
                index: index, name: variant.name,
                options: .object(["model": .string(variant.name + ".gguf")]),
                workload: Self.workload))
        var artifact = ArtifactLine(
            path: variant.name + ".gguf", sizeBytes: variant.peakRSS / 2,
            sha256: .known(String(repeating: String(index), count: 64)),
            format: "gguf v3")
        artifact.quantization = .known(index == 0 ? "Q8_0" : "Q4_1")
        artifact.parameters = .known(134_515_008)
        facts.artifact = artifact
        var engine = EngineLine(kind: "llama", version: "b1")
        engine.libraries = ["libllama.so": .known(String(repeating: "f", count: 64))]
        engine.pids = [Int32(100 + index)]
        facts.engine = engine
        facts.pids = Set(engine.pids)
        facts.memory = [
            MemoryLine(
                point: .atEnd, time: Self.moment(1),
                bytes: ["rss": variant.peakRSS - 4096, "peak_rss": variant.peakRSS, "anonymous": 80 << 20])
        ]
        return facts
    }

    private mutating func mark(_ name: MarkLine.Name, _ part: Part, cycle: Int? = nil) {
        trace.marks.append(MarkLine(name, part: part, time: Self.moment(time), cycle: cycle))
        reads.append(time)
    }

    private mutating func idle(_ part: Part) {
        course.append(time, Self.idleWatts)
        mark(.begin, part)
        time += Self.idleSeconds
        mark(.end, part)
        time += 0.1
    }

    private mutating func quad(_ number: Int, of variant: Int) {
        var last: Int?
        for (place, turn) in [0, variant, variant, 0].enumerated() {
            if turn != last { generation(of: turn, .warmup, number) }
            last = turn
            let first = cycle
            let begin = time
            for _ in 0..<plan.cycles { generation(of: turn, .sustained, number) }
            let used = UInt64((time - begin) * plan.idleCores * 1e9)
            trace.blocks.append(
                BlockLine(
                    variant: turn, against: variant, quad: number, place: place, firstCycle: first,
                    lastCycle: cycle - 1,
                    idle: [.init(variant: turn == 0 ? variant : 0, before: 1000, after: 1000 + used)]))
        }
    }

    private mutating func generation(of variant: Int, _ part: Part, _ quad: Int) {
        let build = plan.variants[variant]
        let drift = 1 + plan.drift * Double(quad) / Double(plan.quads)
        let length = drift * (1 + plan.noise * lengths.next(&noise)) / build.speed
        let energy = drift * (1 + plan.noise * energies.next(&noise)) * build.energy
        func phase(_ begin: MarkLine.Name, _ seconds: Double, _ watts: Double) {
            mark(begin, part, cycle: cycle)
            // Energy and length are noisy apart from each other.
            course.append(time, watts * energy / length)
            time += seconds * length
        }
        phase(.submit, Self.prefill.seconds, Self.prefill.watts)
        phase(.firstToken, Self.decode.seconds, Self.decode.watts)
        mark(.lastToken, part, cycle: cycle)
        course.append(time, Self.idleWatts)
        trace.done.append(
            DoneLine(
                part: part, cycle: cycle, promptTokens: Self.prefill.tokens,
                generatedTokens: Self.decode.tokens, stop: "length", tokenHash: nil))
        cycle += 1
        time += 0.002
    }

    /// A counter in microjoules that is renewed every millisecond, read at 10 Hz and at marks.
    private mutating func sample() {
        var line = SourceLine(
            index: 0, id: "rapl:package-0", kind: .counter, quantity: .energy, scale: 1e-6,
            scope: SourceLine.Scope(domain: "package", device: "package-0"), interface: "powercap",
            intervalNanoseconds: 100_000_000)
        line.updatePeriodNanoseconds = 1_000_000
        line.range = 1 << 40
        trace.sources = [line]
        let grid = (0...Int(time * 10) + 5).map { Double($0) / 10 }
        for read in (grid + reads.map { $0 + 0.0002 }).sorted() {
            let shown = 1_000_000 + Int64(course.energy((read * 1000).rounded(.down) / 1000) * 1e6)
            trace.samples.append(
                SampleLine(time: Self.moment(read), sources: [0], deltas: [10_000], values: [shown]))
        }
    }
}
