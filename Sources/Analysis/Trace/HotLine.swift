/// Reads the kinds of line that make up nearly all of a trace, `sample`, `tokens`, and the `mark` and `done` of
/// cycles, without a JSON decoder: 40 times faster, which is what keeps `analyze` of a fast model under two
/// seconds.
///
/// It takes only the exact bytes that `TraceLine.append(to:)` writes (sorted keys, no spaces, integers, plain
/// words) and declines everything else, which the general decoder then judges: so both give the same result.
enum HotLine {
    static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> TraceLine? {
        var scanner = IntegerScanner(bytes)
        if scanner.skip("{\"cycle\":") {
            guard let cycle = scanner.integer(Int.self) else { return nil }
            if scanner.skip(",\"delta_ns\":[") { return tokens(cycle, &scanner).map(TraceLine.tokens) }
            if scanner.skip(",\"mark\":\"") { return mark(cycle, &scanner).map(TraceLine.mark) }
            if scanner.skip(",\"generated_tokens\":") { return done(cycle, &scanner).map(TraceLine.done) }
            return nil
        }
        if scanner.skip("{\"d_ns\":[") { return sample(&scanner).map(TraceLine.sample) }
        return nil
    }

    /// The rest of a `tokens` line after its first bracket.
    private static func tokens(_ cycle: Int, _ scanner: inout IntegerScanner) -> TokensLine? {
        guard let deltas = scanner.list({ $0.integer(UInt64.self) }), scanner.skip(",\"first\":"),
            let first = scanner.integer(Int.self), scanner.skip(",\"start_ns\":"),
            let start = scanner.integer(UInt64.self), scanner.skip(",\"stream\":"),
            let stream = scanner.integer(Int.self), scanner.skip(",\"type\":\"tokens\"}"), scanner.atEnd
        else { return nil }
        return TokensLine(
            cycle: cycle, stream: stream, first: first, start: Instant(nanoseconds: start), deltas: deltas)
    }

    /// The rest of a `mark` line after the quote before its name.
    private static func mark(_ cycle: Int, _ scanner: inout IntegerScanner) -> MarkLine? {
        guard let name = scanner.word().flatMap(MarkLine.Name.init), scanner.skip(",\"part\":\""),
            let part = scanner.word().flatMap(Part.init)
        else { return nil }
        var stream: Int?
        if scanner.skip(",\"stream\":") {
            guard let read = scanner.integer(Int.self) else { return nil }
            stream = read
        }
        guard scanner.skip(",\"t_ns\":"), let time = scanner.integer(UInt64.self),
            scanner.skip(",\"type\":\"mark\"}"), scanner.atEnd
        else { return nil }
        return MarkLine(name, part: part, time: Instant(nanoseconds: time), cycle: cycle, stream: stream)
    }

    /// The rest of a `done` line after its second key.
    private static func done(_ cycle: Int, _ scanner: inout IntegerScanner) -> DoneLine? {
        guard let generated = scanner.integer(Int.self), scanner.skip(",\"part\":\""),
            let part = scanner.word().flatMap(Part.init), scanner.skip(",\"prompt_tokens\":"),
            let prompt = scanner.integer(Int.self), scanner.skip(",\"stop\":\""), let stop = scanner.word()
        else { return nil }
        var hash: String?
        if scanner.skip(",\"token_hash\":\"") {
            guard let read = scanner.word() else { return nil }
            hash = read
        }
        guard scanner.skip(",\"type\":\"done\"}"), scanner.atEnd else { return nil }
        return DoneLine(
            part: part, cycle: cycle, promptTokens: prompt, generatedTokens: generated, stop: stop,
            tokenHash: hash)
    }

    /// The rest of a `sample` line after its first bracket.
    private static func sample(_ scanner: inout IntegerScanner) -> SampleLine? {
        guard let deltas = scanner.list({ $0.integer(UInt32.self) }) else { return nil }
        var errors: [Int: Int32] = [:]
        if scanner.skip(",\"e\":{") {
            guard let read = errorNumbers(&scanner) else { return nil }
            errors = read
        }
        guard scanner.skip(",\"s\":["), let sources = scanner.list({ $0.integer(Int.self) }),
            scanner.skip(",\"t_ns\":"), let time = scanner.integer(UInt64.self),
            scanner.skip(",\"type\":\"sample\",\"v\":["), let values = scanner.list({ $0.reading() }),
            scanner.skip("}"), scanner.atEnd,
            sources.count == values.count, sources.count == deltas.count
        else { return nil }
        return SampleLine(
            time: Instant(nanoseconds: time), sources: sources, deltas: deltas, values: values, errors: errors
        )
    }

    /// `"3":13,"10":5}` after the opening brace; nil when a key comes twice, where a decoder's choice is its own.
    private static func errorNumbers(_ scanner: inout IntegerScanner) -> [Int: Int32]? {
        var errors: [Int: Int32] = [:]
        repeat {
            guard scanner.skip("\""), let position = scanner.integer(Int.self), scanner.skip("\":"),
                let number = scanner.integer(Int32.self), errors.updateValue(number, forKey: position) == nil
            else { return nil }
        } while scanner.skip(",")
        return scanner.skip("}") ? errors : nil
    }
}

/// A cursor over bytes that knows literals, plain words and decimal integers.
struct IntegerScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var atEnd: Bool { position == bytes.count }

    /// Steps over `literal` if it comes next.
    mutating func skip(_ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard bytes.count - position >= length else { return false }
        let matches = literal.withUTF8Buffer { expected in
            for offset in 0..<length where bytes[position + offset] != expected[offset] { return false }
            return true
        }
        if matches { position += length }
        return matches
    }

    /// A JSON integer that fits; nil for a leading zero, minus zero, a fraction, an exponent or an overflow.
    mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        let negative = skip("-")
        let begin = position
        var magnitude: UInt64 = 0
        while position < bytes.count, case let digit = bytes[position] &- 0x30, digit < 10 {
            let (shifted, tooBig) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, carried) = shifted.addingReportingOverflow(UInt64(digit))
            guard !tooBig, !carried else { return nil }
            magnitude = sum
            position += 1
        }
        let digits = position - begin
        guard digits > 0, digits == 1 || bytes[begin] != 0x30, !(negative && magnitude == 0) else {
            return nil
        }
        guard negative else { return Number(exactly: magnitude) }
        return magnitude <= 1 << 63 ? Number(exactly: Int64(truncatingIfNeeded: 0 &- magnitude)) : nil
    }

    /// Small letters, digits and underscores up to and with the closing quote, after the opening one; nil for
    /// any other character, an escape too.
    mutating func word() -> String? {
        let begin = position
        while position < bytes.count, bytes[position] != 0x22 {
            switch bytes[position] {
            case 0x30...0x39, 0x5F, 0x61...0x7A: position += 1
            default: return nil
            }
        }
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return String(decoding: bytes[begin..<position], as: UTF8.self)
    }

    /// A raw value, or a null that stands for a failed read.
    mutating func reading() -> Int64?? {
        if skip("null") { return .some(nil) }
        return integer(Int64.self).map(Optional.some)
    }

    /// Elements up to and with the closing bracket, after the opening one.
    mutating func list<Element>(_ element: (inout IntegerScanner) -> Element?) -> [Element]? {
        var result: [Element] = []
        if skip("]") { return result }
        repeat {
            guard let next = element(&self) else { return nil }
            result.append(next)
        } while skip(",")
        return skip("]") ? result : nil
    }
}
