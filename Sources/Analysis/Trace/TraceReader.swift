import FoundationEssentials

extension Trace {
    /// Reads a whole trace.
    ///
    /// - Parameter name: what errors call the trace: its path.
    /// - Throws: when there is no trace at all: no header, a foreign one, or one of a higher major version.
    ///   Anything wrong after the header is counted in `notes`.
    public static func parse(_ bytes: [UInt8], name: String) throws(Failure) -> Trace {
        try parse(chunks: CollectionOfOne(bytes), name: name)
    }

    /// Reads a trace that comes in pieces, wherever the pieces are cut.
    public static func parse(
        chunks: some Sequence<[UInt8]>, name: String
    ) throws(Failure) -> Trace {
        var reader = TraceReader(name: name)
        for chunk in chunks { try reader.read(chunk) }
        return try reader.finish()
    }
}

/// Reads a trace piece by piece; holds what the lines say and at most one line of text.
public struct TraceReader: Sendable {
    /// A stamp further than this from the run's start is no moment of the run: 2^53 ns, 104 days. Within it
    /// every stamp is exact as a Double, and no sum of them overflows.
    static let longestRun: UInt64 = 1 << 53

    /// Bytes of a line: what a worker may write in one (LineCodec.longestLine), four times. A longer one is held by
    /// nobody.
    static let longestLine = 4 << 20
    /// Bytes by which a file is taken for a trace, or not.
    private static let beginning = 1024

    private let name: String
    private let decoder = JSONDecoder()
    private var trace: Trace?
    private var pending: [UInt8] = []
    /// The line that is read now is too long, and so passed over.
    private var isPassingOver = false
    private var lineNumber = 0
    private var indices: Set<Int> = []
    /// Position of the variant whose turn it is; nil where lines are of the whole run or session.
    private var turn: Int?

    public init(name: String) { self.name = name }

    /// Adds the next bytes of the file.
    public mutating func read(_ bytes: [UInt8]) throws(Failure) {
        if trace == nil { try refuseOther(bytes) }
        var begin = bytes.startIndex
        while let end = bytes[begin...].firstIndex(of: 0x0A) {
            try endLine(with: bytes[begin..<end])
            begin = end + 1
        }
        try keep(bytes[begin...])
    }

    /// What is no trace is told by its beginning, before anything of it is kept.
    private func refuseOther(_ bytes: [UInt8]) throws(Failure) {
        let start = (pending.prefix(Self.beginning) + bytes.prefix(Self.beginning)).prefix(Self.beginning)
            .prefix { $0 != 0x0A }
        guard let first = start.first else { return }
        let isText = start.allSatisfy { $0 >= 0x20 || $0 == 0x09 || $0 == 0x0D }
        guard first != UInt8(ascii: "{") || !isText else { return }
        throw noHeader("line 1 is not the header of a trace")
    }

    private mutating func endLine(with rest: ArraySlice<UInt8>) throws(Failure) {
        if pending.isEmpty, !isPassingOver, rest.count <= Self.longestLine {
            return try take(rest, whole: true)
        }
        try keep(rest)
        let line = pending
        pending.removeAll(keepingCapacity: true)
        if isPassingOver {
            isPassingOver = false
            lineNumber += 1
            trace?.notes.longLines += 1
        } else {
            try take(line[...], whole: true)
        }
    }

    /// A part of a line that has no end yet.
    private mutating func keep(_ part: ArraySlice<UInt8>) throws(Failure) {
        guard !isPassingOver else { return }
        guard pending.count + part.count > Self.longestLine else {
            pending += part
            return
        }
        guard trace != nil else {
            throw noHeader(
                "line 1 is longer than \(Self.longestLine >> 20) MiB: it is not the header of a trace")
        }
        pending.removeAll()
        isPassingOver = true
    }

    private func noHeader(_ cause: String) -> Failure {
        Failure(thing: name, cause: cause, remedy: "give the directory of a run, or the trace.jsonl in it")
    }

    /// Ends the file: what has no line feed yet is a line if it reads as one, else it was torn.
    public mutating func finish() throws(Failure) -> Trace {
        if isPassingOver { trace?.notes.tornLastLine = true }
        if !pending.isEmpty {
            let line = pending
            pending = []
            try take(line[...], whole: false)
        }
        guard var trace else {
            throw noHeader("is empty: a trace begins with a header line")
        }
        trace.dropRefused()
        return trace
    }

    private mutating func take(_ line: ArraySlice<UInt8>, whole: Bool) throws(Failure) {
        lineNumber += 1
        guard trace != nil else {
            trace = Trace(header: try header(line, whole: whole))
            return
        }
        if let hot = line.withUnsafeBufferPointer({ HotLine.parse($0) }) {
            add(hot)
        } else if let cold = try? decoder.decode(TraceLine.self, from: Data(line)) {
            add(cold)
        } else if whole {
            trace?.notes.skipBroken(line: lineNumber)
        } else {
            trace?.notes.tornLastLine = true
        }
    }

    private struct Tag: Decodable {
        let type: String?
        let schema: String?
    }

    private func header(_ line: ArraySlice<UInt8>, whole: Bool) throws(Failure) -> TraceHeader {
        let data = Data(line)
        guard let tag = try? decoder.decode(Tag.self, from: data), tag.type == "header",
            let schema = tag.schema
        else {
            throw noHeader(
                whole
                    ? "line 1 is not the header of a trace" : "line 1 is cut short: the trace has no header")
        }
        try Self.checkVersion(of: schema, name: name)
        do {
            return try decoder.decode(TraceHeader.self, from: data)
        } catch {
            throw Failure(
                thing: name,
                cause: "line 1: the header of schema \(schema) lacks a key or has one of another type")
        }
    }

    /// Accepts "sustain.trace/1" and its minor versions "sustain.trace/1.N".
    private static func checkVersion(of schema: String, name: String) throws(Failure) {
        let current = TraceHeader.currentSchema
        let prefix = "sustain.trace/"
        let major =
            schema.hasPrefix(prefix)
            ? Int(schema.dropFirst(prefix.count).prefix { $0 != "." }) : nil
        guard let major, major >= 1 else {
            throw Failure(
                thing: name,
                cause: "line 1: schema \"\(schema)\" is not a trace's, this version reads \(current)",
                remedy: "give the directory of a run, or the trace.jsonl in it")
        }
        guard major == 1 else {
            throw Failure(
                thing: name,
                cause: "line 1: schema \(schema) is newer than \(current), which this version reads",
                remedy: "use the sustain that wrote it, or a later one")
        }
    }

    private mutating func add(_ line: TraceLine) {
        if let turn { trace?.variants[turn].take(line) }
        switch line {
        case .header: trace?.notes.extraHeaders += 1
        case .workload(let body): trace?.laterWorkload = body
        case .source(let body): addSource(body)
        case .sample(let body): addSample(body)
        case .mark(let body): if keeps(body.time) { trace?.marks.append(body) }
        case .tokens(let body): if keeps(body) { trace?.tokens.append(body) }
        case .done(let body): trace?.done.append(body)
        case .memory(let body): if keeps(body.time) { trace?.memory.append(body) }
        case .depth(let body): if keeps(body.time) { trace?.depths.append(body) }
        case .objection(let body): trace?.objections.append(body)
        case .artifact(let body): trace?.artifact = body
        case .pageCache(let body): trace?.pageCache = body
        case .bandwidth(let body): trace?.bandwidth = body
        case .fit(let body): trace?.fit = body
        case .engine(let body): trace?.engine = body
        case .gpuProcesses(let body): if keeps(body.time) { trace?.gpuProcesses = body }
        case .conditions(let body): trace?.conditions.append(body)
        case .capabilities(let body): trace?.capabilities += body.rows
        case .overhead(let body): trace?.overhead = body
        case .warning(let body): trace?.warnings.append(body.text)
        case .outcome(let body): if turn == nil { trace?.outcome = body }
        case .variant(let body): addVariant(body)
        case .turn(let body): turn = body.variant.flatMap { position(of: $0) }
        case .session(let body): trace?.session = body
        case .block(let body): trace?.blocks.append(body)
        case .run(let body): if keeps(body.begin) { trace?.runs.append(body) }
        // Of a variant, which has it from its turn.
        case .parity: break
        case .end(let body): if keeps(body.time) { trace?.end = body }
        case .unknown(let type): trace?.notes.skipUnknown(type: type)
        }
    }

    /// The first of an index stands.
    private mutating func addVariant(_ variant: VariantLine) {
        guard position(of: variant.index) == nil else { return }
        trace?.variants.append(VariantFacts(variant))
    }

    private func position(of variant: Int) -> Int? {
        trace?.variants.firstIndex { $0.line.index == variant }
    }

    private mutating func addSource(_ source: SourceLine) {
        guard indices.insert(source.index).inserted else {
            trace?.notes.repeatedSources += 1
            return
        }
        trace?.sources.append(source)
    }

    private mutating func addSample(_ sample: SampleLine) {
        guard keeps(sample.time) else { return }
        for index in sample.sources where !indices.contains(index) { trace?.notes.unknownReadings += 1 }
        trace?.samples.append(sample)
    }

    private mutating func keeps(_ time: Instant) -> Bool {
        guard let start = trace?.header.start.nanoseconds else { return false }
        let distance = time.nanoseconds > start ? time.nanoseconds - start : start - time.nanoseconds
        if distance <= Self.longestRun { return true }
        trace?.notes.strayStamps += 1
        return false
    }

    private mutating func keeps(_ batch: TokensLine) -> Bool {
        var last = batch.start.nanoseconds
        for delta in batch.deltas {
            let (sum, overflow) = last.addingReportingOverflow(delta)
            last = overflow ? .max : sum
        }
        return keeps(batch.start) && keeps(Instant(nanoseconds: last))
    }
}
