import Analysis

/// Reads what `IndexWriter` wrote. Nothing is believed: every length is held against what is left.
struct IndexReader {
    /// The bytes are not those of an index; it is made anew.
    struct Damaged: Error {}

    private let bytes: ArraySlice<UInt8>
    private var at: Int
    private var texts: [String] = []
    private var parts: [ArraySlice<UInt8>] = []
    /// Decoded parts by type and number: runs that share one share its storage too.
    private var decoded: [ObjectIdentifier: [Int: any Sendable]] = [:]

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        at = bytes.startIndex
    }

    var isAtEnd: Bool { at == bytes.endIndex }

    mutating func number() throws(Damaged) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while at < bytes.endIndex, shift < 64 {
            let byte = bytes[at]
            at += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw Damaged()
    }

    mutating func fixed() throws(Damaged) -> UInt64 {
        guard bytes.endIndex - at >= 8 else { throw Damaged() }
        var value: UInt64 = 0
        for place in 0..<8 { value |= UInt64(bytes[at + place]) << UInt64(8 * place) }
        at += 8
        return value
    }

    mutating func double() throws(Damaged) -> Double { Double(bitPattern: try fixed()) }

    /// A count of things that take a byte each at least.
    mutating func count() throws(Damaged) -> Int {
        guard let count = Int(exactly: try number()), count <= bytes.endIndex - at else { throw Damaged() }
        return count
    }

    private mutating func slice() throws(Damaged) -> ArraySlice<UInt8> {
        let length = try count()
        let slice = bytes[at..<at + length]
        at += length
        return slice
    }

    mutating func text() throws(Damaged) -> String {
        guard let index = Int(exactly: try number()), index <= texts.count else { throw Damaged() }
        if index < texts.count { return texts[index] }
        let text = String(decoding: try slice(), as: UTF8.self)
        texts.append(text)
        return text
    }

    mutating func optionalText() throws(Damaged) -> String? { try number() == 0 ? nil : try text() }

    mutating func part<Value: Decodable & Sendable>(_ type: Value.Type) throws(Damaged) -> Value {
        guard let index = Int(exactly: try number()), index <= parts.count else { throw Damaged() }
        if index == parts.count { parts.append(try slice()) }
        let kind = ObjectIdentifier(type)
        if let known = decoded[kind]?[index] as? Value { return known }
        guard let value = try? CanonicalJSON.decode(type, from: parts[index]) else { throw Damaged() }
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
        for _ in PhaseFigure.allCases { figures.append(try figure()) }
        var samples: [Samples.Sample] = []
        let count = try count()
        samples.reserveCapacity(count)
        for _ in 0..<count {
            let seconds = try double()
            let tokens = try number()
            samples.append(.init(seconds: seconds, tokens: tokens == 0 ? nil : Int(clamping: tokens - 1)))
        }
        return .init(seconds: seconds, tokens: tokens, figures: figures, samples: Samples(samples))
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
