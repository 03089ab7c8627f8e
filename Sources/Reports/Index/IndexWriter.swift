import Analysis

/// Puts digests into bytes: numbers plain, each text and each part that runs share once.
struct IndexWriter {
    private(set) var bytes: [UInt8] = []
    private var texts: [String: UInt64] = [:]
    private var parts: [[UInt8]: UInt64] = [:]

    mutating func number(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func put(_ value: Double) { fixed(value.bitPattern) }

    mutating func fixed(_ value: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// A text: its number where it was put before, else the next number and the text.
    mutating func put(_ text: String) {
        if let place = texts[text] { return number(place) }
        let place = UInt64(texts.count)
        texts[text] = place
        number(place)
        number(UInt64(text.utf8.count))
        bytes += text.utf8
    }

    mutating func put(_ text: String?) {
        number(text == nil ? 0 : 1)
        if let text { put(text) }
    }

    /// A part of a record as JSON, put once however many runs have the same.
    mutating func put(part value: some Encodable) throws {
        let json = try CanonicalJSON.line(value)
        if let place = parts[json] { return number(place) }
        let place = UInt64(parts.count)
        parts[json] = place
        number(place)
        number(UInt64(json.count))
        bytes += json
    }

    mutating func put(_ figure: Figure) {
        switch figure {
        case .unavailable(let why):
            number(0)
            put(why.reason)
        case .value(let value, .bounds(let low, let high), let method):
            number(1)
            for end in [value, low, high] { put(end) }
            put(method)
        case .value(let value, .unavailable(let why), let method):
            number(2)
            put(value)
            put(why.reason)
            put(method)
        }
    }

    mutating func put(_ phase: RunDigest.Phase) throws {
        try put(part: phase.tokens)
        switch phase.seconds {
        case .known(let seconds):
            number(1)
            put(seconds)
        case .unavailable(let why):
            number(0)
            put(why.reason)
        }
        for figure in phase.figures { put(figure) }
        put(phase.samples)
    }

    /// All lengths, then the tokens: once where all samples have as many, so that samples are quick to pass over.
    private mutating func put(_ samples: Samples) {
        number(UInt64(samples.all.count))
        for sample in samples.all { put(sample.seconds) }
        let tokens = samples.all.map { $0.tokens.map { UInt64(max(0, $0)) + 1 } ?? 0 }
        guard let first = tokens.first else { return }
        let isUniform = tokens.allSatisfy { $0 == first }
        number(isUniform ? 1 : 0)
        for count in isUniform ? [first] : tokens { number(count) }
    }

    mutating func put(_ run: RunDigest) throws {
        put(run.id)
        put(run.label)
        put(run.started)
        try put(part: run.artifact)
        try put(part: run.engine)
        try put(part: run.protocol)
        try put(part: run.options)
        try put(part: run.environment.identity)
        number(UInt64(run.environment.filter.verdicts.count))
        for condition in run.environment.filter.verdicts {
            put(condition.name)
            put(condition.verdict.rawValue)
            put(condition.seen)
        }
        number(run.environment.filter.excluded ? 1 : 0)
        try put(part: run.sources)
        try put(part: run.total)
        try put(part: run.outcome)
        put(run.memoryAccounting)
        put(run.netDisturbance)
        try put(run.prefill)
        try put(run.decode)
        for figure in run.figures { put(figure) }
        number(UInt64(run.course.count))
        for value in run.course { put(Double(value)) }
    }
}
