import Analysis

/// Reads what `IndexWriter` wrote. Nothing is believed: every length is held against what is left.
struct IndexReader {
    /// The bytes are not those of an index; it is made anew.
    struct Damaged: Error {}

    private let bytes: [UInt8]
    private let end: Int
    private var at: Int
    /// False passes over the samples, which only exports show.
    private let keepsSamples: Bool
    private var texts: [String] = []
    private var parts: [Range<Int>] = []
    /// Decoded parts by type and number: runs that share one share its storage too.
    private var decoded: [ObjectIdentifier: [Int: any Sendable]] = [:]

    init(_ bytes: [UInt8], in range: Range<Int>, keepsSamples: Bool = true) {
        self.bytes = bytes
        self.keepsSamples = keepsSamples
        at = range.lowerBound
        end = min(range.upperBound, bytes.count)
    }

    var isAtEnd: Bool { at == end }

    mutating func number() throws(Damaged) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while at < end, shift < 64 {
            let byte = bytes[at]
            at += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw Damaged()
    }

    mutating func fixed() throws(Damaged) -> UInt64 {
        guard end - at >= 8 else { throw Damaged() }
        let value = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: UInt64.self) }
        at += 8
        return UInt64(littleEndian: value)
    }

    mutating func double() throws(Damaged) -> Double { Double(bitPattern: try fixed()) }

    /// A count of things that take a byte each at least.
    mutating func count() throws(Damaged) -> Int {
        guard let count = Int(exactly: try number()), count <= end - at else { throw Damaged() }
        return count
    }

    private mutating func range() throws(Damaged) -> Range<Int> {
        let length = try count()
        at += length
        return at - length..<at
    }

    mutating func text() throws(Damaged) -> String {
        guard let index = Int(exactly: try number()), index <= texts.count else { throw Damaged() }
        if index < texts.count { return texts[index] }
        let text = String(decoding: bytes[try range()], as: UTF8.self)
        texts.append(text)
        return text
    }

    mutating func optionalText() throws(Damaged) -> String? { try number() == 0 ? nil : try text() }

    mutating func part<Value: Decodable & Sendable>(_ type: Value.Type) throws(Damaged) -> Value {
        guard let index = Int(exactly: try number()), index <= parts.count else { throw Damaged() }
        if index == parts.count { parts.append(try range()) }
        let kind = ObjectIdentifier(type)
        if let known = decoded[kind]?[index] as? Value { return known }
        guard let value = try? CanonicalJSON.decode(type, from: bytes[parts[index]]) else { throw Damaged() }
        decoded[kind, default: [:]][index] = value
        return value
    }

    mutating func figure() throws(Damaged) -> Figure {
        switch try number() {
        case 0: return .unavailable(try text())
        case 1:
            let (value, low, high) = (try double(), try double(), try double())
            return .value(value, .bounds(low: low, high: high), method: try text())
        case 2:
            let value = try double()
            let why = Unavailable(try text())
            return .value(value, .unavailable(why), method: try text())
        default: throw Damaged()
        }
    }

    private mutating func phase() throws(Damaged) -> RunDigest.Phase {
        let tokens = try part(Maybe<Int>.self)
        let seconds: Maybe<Double> =
            try number() == 0 ? .unavailable(try text()) : .known(try double())
        var figures: [Figure] = []
        figures.reserveCapacity(PhaseFigure.allCases.count)
        for _ in PhaseFigure.allCases { figures.append(try figure()) }
        return .init(seconds: seconds, tokens: tokens, figures: figures, samples: try samples())
    }

    private mutating func samples() throws(Damaged) -> Samples {
        let count = try count()
        guard count > 0 else { return Samples([]) }
        guard count <= (end - at) / 8 else { throw Damaged() }
        var all: [Samples.Sample] = []
        if keepsSamples {
            all.reserveCapacity(count)
            for _ in 0..<count { all.append(.init(seconds: try double(), tokens: nil)) }
        } else {
            at += 8 * count
        }
        let isUniform = try number() == 1
        var last: UInt64 = 0
        for place in 0..<count {
            if place == 0 || !isUniform { last = try number() }
            if keepsSamples {
                all[place].tokens = last == 0 ? nil : Int(clamping: last - 1)
            } else if isUniform {
                break
            }
        }
        return Samples(all)
    }

    mutating func run() throws(Damaged) -> RunDigest {
        let (id, label, started) = (try text(), try optionalText(), try text())
        let artifact = try part(Maybe<ArtifactLine>.self)
        let engine = try part(Maybe<EngineSummary>.self)
        let workload = try part(Workload.self)
        let options = try part(JSONValue.self)
        let identity = try part([String: Maybe<String>].self)
        var verdicts: [Condition] = []
        for _ in 0..<(try count()) {
            let name = try text()
            guard let verdict = Condition.Verdict(rawValue: try text()) else { throw Damaged() }
            verdicts.append(Condition(name, verdict, seen: try text()))
        }
        let excluded = try number() == 1
        let sources = try part([SourceSummary].self)
        let total = try part(Total.self)
        let outcome = try part(OutcomeSummary.self)
        let (accounting, disturbance) = (try text(), try optionalText())
        let (prefill, decode) = (try phase(), try phase())
        var figures: [Figure] = []
        for _ in RunFigure.allCases { figures.append(try figure()) }
        var course: [Float] = []
        for _ in 0..<(try count()) { course.append(Float(try double())) }
        return RunDigest(
            id: id, label: label, started: started, artifact: artifact, engine: engine, protocol: workload,
            options: options,
            environment: Environment(
                identity: identity, before: [], after: .unavailable("merged"),
                filter: .init(verdicts: verdicts, excluded: excluded)),
            sources: sources, total: total, outcome: outcome, memoryAccounting: accounting,
            netDisturbance: disturbance, prefill: prefill, decode: decode, figures: figures, course: course)
    }
}
