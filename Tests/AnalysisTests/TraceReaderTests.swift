import Testing

@testable import Analysis

@Suite struct TraceReaderTests {
    private static func bytes(_ lines: [String]) -> [UInt8] {
        Array(lines.joined(separator: "\n").utf8) + [0x0A]
    }

    private static func header() throws -> String {
        String(decoding: try TraceLine.header(SyntheticRun().header).encodedLine().dropLast(), as: UTF8.self)
    }

    private static let mark = #"{"mark":"begin","part":"idle_before","t_ns":5000000000001,"type":"mark"}"#

    private static func parse(_ lines: [String]) throws -> Trace {
        try Trace.parse(bytes(lines), name: "t.jsonl")
    }

    @Test func readsEveryKindOfLine() throws {
        var run = SyntheticRun()
        run.seconds = 40
        run.temperature = { _ in 40 }
        let trace = try Trace.parse(try run.bytes, name: "t.jsonl")
        let lines = run.lines
        #expect(trace.header == run.header)
        #expect(trace.marks.map(TraceLine.mark) == lines.filter { $0.type == "mark" })
        #expect(trace.tokens.map(TraceLine.tokens) == lines.filter { $0.type == "tokens" })
        #expect(trace.samples.map(TraceLine.sample) == lines.filter { $0.type == "sample" })
        #expect(trace.done.map(TraceLine.done) == lines.filter { $0.type == "done" })
        #expect(trace.memory.map(TraceLine.memory) == lines.filter { $0.type == "memory" })
        #expect(trace.sources.count == 1 && trace.conditions.count == 1)
        #expect(trace.artifact != nil && trace.engine != nil && trace.overhead != nil)
        #expect(trace.outcome?.status == .completed)
        #expect(trace.end != nil)
        #expect(trace.notes == TraceNotes())
    }

    @Test func anyCutOfTheBytesGivesTheSameTrace() throws {
        var run = SyntheticRun()
        run.seconds = 5
        let bytes = try run.bytes
        let whole = try Trace.parse(bytes, name: "t.jsonl")
        var random = SeededGenerator(seed: 7)
        for _ in 0..<20 {
            var chunks: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let length = min(rest.count, Int(random.next(upperBound: UInt64(3_000))))
                chunks.append(Array(rest.prefix(length)))
                rest = rest.dropFirst(length)
            }
            #expect(try Trace.parse(chunks: chunks, name: "t.jsonl") == whole)
        }
        #expect(try Trace.parse(chunks: bytes.map { [$0] }, name: "t.jsonl") == whole)
    }

    @Test(arguments: [
        ("", "is empty"),
        ("\n", "line 1 is not the header"),
        ("hello\n", "line 1 is not the header"),
        ("{\"type\":\"mark\"}\n", "line 1 is not the header"),
        ("{\"type\":\"header\",\"schema\":\"sustain.tr", "line 1 is cut short"),
        ("{\"type\":\"header\",\"schema\":\"sustain.run/1\"}\n", "\"sustain.run/1\" is not a trace's"),
        ("{\"type\":\"header\",\"schema\":\"sustain.trace/0\"}\n", "\"sustain.trace/0\" is not a trace's"),
        ("{\"type\":\"header\",\"schema\":\"sustain.trace/x\"}\n", "\"sustain.trace/x\" is not a trace's"),
        (
            "{\"type\":\"header\",\"schema\":\"sustain.trace/1\"}\n",
            "line 1: the header of schema sustain.trace/1"
        ),
    ])
    func refusesWhatIsNoTrace(text: String, cause: String) {
        let failure = #expect(throws: Failure.self) {
            try Trace.parse(Array(text.utf8), name: "some/t.jsonl")
        }
        #expect(failure?.thing == "some/t.jsonl")
        #expect(failure?.cause.contains(cause) == true, "\(failure?.cause ?? "")")
    }

    /// A file of another kind is told by its beginning, however long it is, and nothing of it is kept.
    @Test(arguments: [[0x00], Array("GGUF".utf8), [0x7B, 0x22, 0x00]] as [[UInt8]])
    func whatIsNoTraceIsToldByItsBeginning(start: [UInt8]) {
        var reader = TraceReader(name: "t.jsonl")
        let failure = #expect(throws: Failure.self) {
            try reader.read(start + [UInt8](repeating: 0x20, count: 4096))
        }
        #expect(failure?.cause == "line 1 is not the header of a trace")
    }

    @Test func aFirstLineWithoutEndIsNoHeader() {
        let piece = [UInt8](repeating: 0x20, count: 1 << 20)
        var reader = TraceReader(name: "t.jsonl")
        let failure = #expect(throws: Failure.self) {
            try reader.read([0x7B])
            for _ in 0..<8 { try reader.read(piece) }
        }
        #expect(failure?.cause == "line 1 is longer than 4 MiB: it is not the header of a trace")
    }

    /// In pieces and at once, ended by a line feed and not.
    @Test func aLongerLineThanAnyIsPassedOver() throws {
        let long = [UInt8](repeating: 0x78, count: TraceReader.longestLine + 1)
        let lines = Self.bytes([try Self.header(), Self.mark]) + long + Self.bytes(["", Self.mark])
        let whole = try Trace.parse(lines, name: "t")
        #expect(whole.marks.count == 2)
        #expect(whole.notes.warnings == ["trace: 1 line(s) longer than 4 MiB skipped"])
        let pieces = stride(from: 0, to: lines.count, by: 1 << 16).map {
            Array(lines[$0..<min(lines.count, $0 + (1 << 16))])
        }
        #expect(try Trace.parse(chunks: pieces, name: "t") == whole)
        let torn = try Trace.parse(Self.bytes([try Self.header()]) + long, name: "t")
        #expect(torn.notes.tornLastLine && torn.notes.longLines == 0)
    }

    @Test func refusesAHigherMajorVersionAndNamesBoth() throws {
        let text = try Self.header().replacing("sustain.trace/1", with: "sustain.trace/2")
        let failure = #expect(throws: Failure.self) { try Self.parse([text]) }
        #expect(failure?.cause.contains("sustain.trace/2") == true)
        #expect(failure?.cause.contains("sustain.trace/1") == true)
        #expect(failure?.remedy != nil)
    }

    @Test func acceptsAMinorVersion() throws {
        let text = try Self.header().replacing("sustain.trace/1", with: "sustain.trace/1.4")
        #expect(try Self.parse([text]).header.schema == "sustain.trace/1.4")
    }

    @Test func skipsAndCountsUnknownTypes() throws {
        let trace = try Self.parse([
            try Self.header(), #"{"type":"phase_of_moon","full":true}"#, Self.mark, #"{"type":"tide"}"#,
            #"{"type":"tide"}"#,
        ])
        #expect(trace.marks.count == 1)
        #expect(trace.notes.unknownLines == 3)
        #expect(trace.notes.unknownTypes == ["phase_of_moon", "tide"])
        #expect(trace.notes.warnings == ["trace: 3 line(s) of unknown type skipped: phase_of_moon, tide"])
    }

    @Test func namesTheNumbersOfBrokenLines() throws {
        let trace = try Self.parse([
            try Self.header(), Self.mark, "garbage", "", #"{"type":"mark","mark":"begin"}"#, Self.mark,
        ])
        #expect(trace.marks.count == 2)
        #expect(trace.notes.brokenLines == 3)
        #expect(trace.notes.warnings == ["trace: 3 broken line(s) skipped: line 3, 4, 5"])
        let many = try Self.parse([try Self.header()] + Array(repeating: "x", count: 100))
        #expect(many.notes.brokenLines == 100)
        #expect(many.notes.warnings[0].hasSuffix("line 2, 3, 4, 5, 6, 7, 8, 9, ..."))
    }

    @Test func dropsATornLastLine() throws {
        let text = Self.bytes([try Self.header(), Self.mark, Self.mark])
        let torn = try Trace.parse(Array(text.dropLast(10)), name: "t.jsonl")
        #expect(torn.marks.count == 1)
        #expect(torn.notes.tornLastLine)
        #expect(torn.notes.brokenLines == 0)
        let onlyTheLineFeedIsMissing = try Trace.parse(Array(text.dropLast()), name: "t.jsonl")
        #expect(onlyTheLineFeedIsMissing.marks.count == 2)
        #expect(!onlyTheLineFeedIsMissing.notes.tornLastLine)
        let zeros = try Trace.parse(text + [0, 0, 0, 0], name: "t.jsonl")
        #expect(zeros.marks.count == 2)
        #expect(zeros.notes.tornLastLine)
    }

    @Test func aSecondHeaderIsIgnoredAndSaid() throws {
        let trace = try Self.parse([try Self.header(), Self.mark, try Self.header(), Self.mark])
        #expect(trace.marks.count == 2)
        #expect(trace.notes.extraHeaders == 1)
        #expect(trace.notes.warnings.count == 1)
    }

    @Test func theFirstOfTwoSourcesWithOneIndexStands() throws {
        func source(_ index: Int, _ id: String) throws -> String {
            let line = SourceLine(
                index: index, id: id, kind: .gauge, quantity: .memory, scale: 1_024,
                scope: .init(domain: "process", device: "pid-1"), interface: "procfs",
                intervalNanoseconds: 1_000_000_000)
            return String(decoding: try TraceLine.source(line).encodedLine().dropLast(), as: UTF8.self)
        }
        let trace = try Self.parse([
            try Self.header(), try source(0, "process:rss"), try source(0, "process:file"),
            try source(1, "process:rss"),
            #"{"d_ns":[1,1],"s":[0,7],"t_ns":5000000000002,"type":"sample","v":[3,4]}"#,
        ])
        #expect(trace.sources.map(\.index) == [0, 1])
        #expect(trace.sources.map(\.id) == ["process:rss", "process:rss"])
        #expect(trace.notes.repeatedSources == 1)
        #expect(trace.notes.unknownReadings == 1)
        #expect(trace.notes.warnings.count == 2)
        #expect(trace.samples.count == 1)
    }

    @Test(arguments: [
        #"{"mark":"begin","part":"idle_before","t_ns":18446744073709551615,"type":"mark"}"#,
        #"{"mark":"begin","part":"idle_before","t_ns":18000000000000000,"type":"mark"}"#,
        #"{"d_ns":[],"s":[],"t_ns":18446744073709551615,"type":"sample","v":[]}"#,
        #"{"cycle":1,"delta_ns":[18446744073709551615],"first":0,"start_ns":5000000000001,"stream":0,"type":"tokens"}"#,
        #"{"type":"end","t_ns":9900000000000000000,"slept_ns":0}"#,
    ])
    func setsAsideStampsThatAreNoMomentOfTheRun(line: String) throws {
        let trace = try Self.parse([try Self.header(), line])
        #expect(trace.notes.strayStamps == 1)
        #expect(trace.marks.isEmpty && trace.samples.isEmpty && trace.tokens.isEmpty && trace.end == nil)
    }

    @Test func aLineThatJSONHasNoWordForIsAFailure() {
        let source = SourceLine(
            index: 0, id: "x", kind: .gauge, quantity: .power, scale: .nan,
            scope: .init(domain: "cpu", device: "x"), interface: "x", intervalNanoseconds: 1)
        var buffer: [UInt8] = [1]
        #expect(throws: Failure.self) { try TraceLine.source(source).append(to: &buffer) }
        #expect(buffer == [1])
    }
}
