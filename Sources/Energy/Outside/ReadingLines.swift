import Analysis

/// The lines of a meter's program: `watts N` or `joules N`, N a decimal number.
///
/// Whatever else it writes is counted and left out; what is kept in memory is bounded.
struct ReadingLines {
    enum Unit: Int, Sendable {
        case watts = 1
        case joules = 2
    }

    /// A reading in millionths of its unit.
    struct Reading: Equatable {
        var unit: Unit
        var micro: Int64
    }

    /// Longer lines are garbage.
    private static let longestLine = 256

    private var line: [UInt8] = []
    private var isTooLong = false
    private(set) var lines = 0
    /// Lines that are no reading.
    private(set) var garbage = 0
    /// Of the garbage, how many came without a reading between them.
    private(set) var garbageInARow = 0
    private(set) var firstGarbage: String?

    /// Something is left that no line feed has ended.
    var isTorn: Bool { isTooLong || !line.isEmpty }

    /// Takes the next bytes; the readings of the lines that they end, in order.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [Reading] {
        var readings: [Reading] = []
        for byte in bytes {
            guard byte == 0x0A else {
                if line.count == Self.longestLine { isTooLong = true } else { line.append(byte) }
                continue
            }
            lines += 1
            if !isTooLong, let reading = Self.parse(line) {
                readings.append(reading)
                garbageInARow = 0
            } else {
                garbage += 1
                garbageInARow += 1
                if firstGarbage == nil { firstGarbage = String(decoding: line.prefix(60), as: UTF8.self) }
            }
            line.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        return readings
    }

    static func parse(_ line: [UInt8]) -> Reading? {
        let words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        guard words.count == 2, let value = decimal(words[1]) else { return nil }
        let unit: Unit
        switch String(decoding: words[0], as: UTF8.self) {
        case "watts": unit = .watts
        case "joules": unit = .joules
        default: return nil
        }
        let micro = (value * 1e6).rounded()
        // Within it every number is exact as a Double.
        guard abs(micro) <= 9e15 else { return nil }
        return Reading(unit: unit, micro: Int64(micro))
    }

    /// Digits, a point, an exponent: no "nan", no "0x10".
    private static func decimal(_ word: ArraySlice<UInt8>) -> Double? {
        let text = String(decoding: word, as: UTF8.self)
        guard text.allSatisfy({ $0.isASCIIDigit || "+-.eE".contains($0) }) else { return nil }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }
}
