/// What the reader of a trace left out, counted.
public struct TraceNotes: Sendable, Hashable {
    /// How many line numbers and type names are kept; the counts are always whole.
    static let kept = 8

    /// Lines of types that this version does not know.
    public private(set) var unknownLines = 0
    /// The first distinct type names among them.
    public private(set) var unknownTypes: [String] = []
    /// Lines that are no JSON object of their type.
    public private(set) var brokenLines = 0
    /// Line numbers of the first of them, counted from 1.
    public private(set) var brokenLineNumbers: [Int] = []
    /// The last line was cut in the middle and dropped.
    public internal(set) var tornLastLine = false
    /// Lines that are too long to be held.
    public internal(set) var longLines = 0
    /// Lines whose stamp is no moment of the run.
    public internal(set) var strayStamps = 0
    /// `source` lines that give an index a second time; the first stands.
    public internal(set) var repeatedSources = 0
    /// Readings of sources that no line before them describes.
    public internal(set) var unknownReadings = 0
    /// `header` lines after the first.
    public internal(set) var extraHeaders = 0

    /// What the session objected to and no figure uses, a sentence each.
    public internal(set) var refused: [String] = []

    public init() {}

    mutating func skipUnknown(type: String) {
        unknownLines += 1
        let name = String(type.prefix(40))
        if unknownTypes.count < Self.kept, !unknownTypes.contains(name) { unknownTypes.append(name) }
    }

    mutating func skipBroken(line: Int) {
        brokenLines += 1
        if brokenLineNumbers.count < Self.kept { brokenLineNumbers.append(line) }
    }

    /// One sentence each, for the record's warnings.
    public var warnings: [String] {
        var result: [String] = []
        if brokenLines > 0 {
            let numbers = brokenLineNumbers.map(String.init).joined(separator: ", ")
            let more = brokenLines > brokenLineNumbers.count ? ", ..." : ""
            result.append("trace: \(brokenLines) broken line(s) skipped: line \(numbers)\(more)")
        }
        if longLines > 0 {
            result.append(
                "trace: \(longLines) line(s) longer than \(TraceReader.longestLine >> 20) MiB skipped")
        }
        if tornLastLine { result.append("trace: the last line is cut short and was dropped") }
        if unknownLines > 0 {
            let names = unknownTypes.joined(separator: ", ")
            result.append("trace: \(unknownLines) line(s) of unknown type skipped: \(names)")
        }
        if strayStamps > 0 {
            result.append("trace: \(strayStamps) line(s) set aside: stamp too far from the start of the run")
        }
        if repeatedSources > 0 {
            result.append("trace: \(repeatedSources) repeated source line(s) ignored, the first stands")
        }
        if unknownReadings > 0 {
            result.append("trace: \(unknownReadings) reading(s) of sources that no line describes")
        }
        if extraHeaders > 0 {
            result.append(
                "trace: \(extraHeaders) further header line(s) ignored; is it several traces in one?")
        }
        return result + refused
    }
}
