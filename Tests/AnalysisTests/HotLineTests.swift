import Testing

@testable import Analysis

/// The hand-written reader and writer of the hot kinds of line against the general codec.
@Suite struct HotLineTests {
    private static func number(_ random: inout SeededGenerator) -> UInt64 {
        // All magnitudes alike, so that every number of digits and the ends of the range come up.
        let value = random.next() >> random.next(upperBound: UInt64(64))
        return random.next(upperBound: UInt64(8)) == 0
            ? ([0, 1, .max, 9, 10, 99, 100].randomElement(using: &random) ?? 0) : value
    }

    private static func signed(_ random: inout SeededGenerator) -> Int64 {
        let value = Int64(truncatingIfNeeded: number(&random))
        return random.next(upperBound: UInt64(8)) == 0
            ? [Int64.min, .max, -1].randomElement(using: &random) ?? 0 : value
    }

    private static func sample(_ random: inout SeededGenerator) -> SampleLine {
        let count = Int(random.next(upperBound: UInt64(14)))
        var sample = SampleLine(
            time: Instant(nanoseconds: number(&random)), sources: [], deltas: [], values: [])
        for position in 0..<count {
            sample.sources.append(Int(signed(&random)))
            sample.deltas.append(UInt32(truncatingIfNeeded: number(&random)))
            let failed = random.next(upperBound: UInt64(5)) == 0
            sample.values.append(failed ? nil : signed(&random))
            if failed { sample.errors[position] = Int32(truncatingIfNeeded: signed(&random)) }
        }
        return sample
    }

    private static func tokens(_ random: inout SeededGenerator) -> TokensLine {
        TokensLine(
            cycle: Int(signed(&random)), stream: Int(signed(&random)), first: Int(signed(&random)),
            start: Instant(nanoseconds: number(&random)),
            deltas: (0..<Int(random.next(upperBound: UInt64(50)))).map { _ in number(&random) })
    }

    private static func mark(_ random: inout SeededGenerator) -> MarkLine {
        MarkLine(
            MarkLine.Name.allCases.randomElement(using: &random) ?? .submit,
            part: Part.allCases.randomElement(using: &random) ?? .sustained,
            time: Instant(nanoseconds: number(&random)), cycle: Int(signed(&random)),
            stream: Bool.random(using: &random) ? Int(signed(&random)) : nil)
    }

    private static func done(_ random: inout SeededGenerator) -> DoneLine {
        DoneLine(
            part: Part.allCases.randomElement(using: &random) ?? .sustained, cycle: Int(signed(&random)),
            promptTokens: Int(signed(&random)), generatedTokens: Int(signed(&random)),
            stop: ["length", "deadline", ""].randomElement(using: &random) ?? "",
            tokenHash: Bool.random(using: &random) ? "0a1b" : nil)
    }

    private static func line(_ random: inout SeededGenerator, _ round: Int) -> TraceLine {
        switch round % 4 {
        case 0: .sample(sample(&random))
        case 1: .tokens(tokens(&random))
        case 2: .mark(mark(&random))
        default: .done(done(&random))
        }
    }

    @Test func writesTheBytesOfTheEncoderAndReadsThemBack() throws {
        var random = SeededGenerator(seed: 11)
        for round in 0..<2_000 {
            let line = Self.line(&random, round)
            let written = try line.encodedLine()
            #expect(written == (try CanonicalJSON.line(line)) + [0x0A])
            let text = Array(written.dropLast())
            #expect(text.withUnsafeBufferPointer { HotLine.parse($0) } == line)
            #expect(try CanonicalJSON.decode(TraceLine.self, from: text) == line)
        }
    }

    @Test func whatItTakesTheDecoderTakesAlike() throws {
        var random = SeededGenerator(seed: 12)
        let alphabet = Array(#"0123456789-+.eE,:"[]{} nul"#.utf8)
        var taken = 0
        for round in 0..<5_000 {
            let line = Self.line(&random, round)
            var text = Array(try line.encodedLine().dropLast())
            for _ in 0...random.next(upperBound: UInt64(2)) {
                let position = Int(random.next(upperBound: UInt64(text.count)))
                let byte = alphabet.randomElement(using: &random) ?? 0
                switch random.next(upperBound: UInt64(3)) {
                case 0: text[position] = byte
                case 1: text.insert(byte, at: position)
                default: text.remove(at: position)
                }
            }
            if let fast = text.withUnsafeBufferPointer({ HotLine.parse($0) }) {
                taken += 1
                let slow = try? CanonicalJSON.decode(TraceLine.self, from: text)
                #expect(fast == slow, "\(String(decoding: text, as: UTF8.self))")
            }
        }
        #expect(taken > 250)
    }

    @Test(arguments: [
        #"{"cycle":01,"delta_ns":[],"first":0,"start_ns":1,"stream":0,"type":"tokens"}"#,
        #"{"cycle":-0,"delta_ns":[],"first":0,"start_ns":1,"stream":0,"type":"tokens"}"#,
        #"{"cycle":9223372036854775808,"delta_ns":[],"first":0,"start_ns":1,"stream":0,"type":"tokens"}"#,
        #"{"cycle":1,"delta_ns":[1,],"first":0,"start_ns":1,"stream":0,"type":"tokens"}"#,
        #"{"cycle":1,"delta_ns":[18446744073709551616],"first":0,"start_ns":1,"stream":0,"type":"tokens"}"#,
        #"{"cycle":1,"delta_ns":[-1],"first":0,"start_ns":1,"stream":0,"type":"tokens"}"#,
        #"{"cycle":1,"delta_ns":[],"first":0,"start_ns":1,"stream":0,"type":"tokens"} "#,
        #"{"d_ns":[1],"s":[0],"t_ns":1,"type":"sample","v":[1,2]}"#,
        #"{"d_ns":[4294967296],"s":[0],"t_ns":1,"type":"sample","v":[1]}"#,
        #"{"d_ns":[1],"e":{},"s":[0],"t_ns":1,"type":"sample","v":[1]}"#,
        #"{"d_ns":[1],"e":{"0":1,"0":2},"s":[0],"t_ns":1,"type":"sample","v":[null]}"#,
        #"{"d_ns":[1],"s":[0],"t_ns":1,"type":"sample","v":[nil]}"#,
        #"{"cycle":1,"mark":"pause","part":"sustained","t_ns":1,"type":"mark"}"#,
        #"{"cycle":1,"mark":"submit","part":"sust\u0061ined","t_ns":1,"type":"mark"}"#,
        #"{"cycle":1,"mark":"submit","part":"sustained","t_ns":1,"type":"done"}"#,
        #"{"cycle":1,"generated_tokens":1,"part":"warmup","prompt_tokens":1,"stop":"a b","type":"done"}"#,
        #"{"cycle":1,"generated_tokens":1,"part":"warmup","prompt_tokens":1,"stop":"len"#,
        "", "{", #"{"cycle":"#, #"{"d_ns":["#,
    ])
    func declinesWhatItDoesNotKnow(text: String) {
        #expect(Array(text.utf8).withUnsafeBufferPointer { HotLine.parse($0) } == nil)
    }
}
