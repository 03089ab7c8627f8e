import Analysis

/// A performance monitoring unit as sysfs describes it (kernel Documentation/ABI/testing,
/// sysfs-bus-event_source-devices and its -format and -events).
struct PMU {
    let path: String
    /// What perf_event_open(2) calls it.
    let type: UInt32

    /// More terms, or bit ranges of a term, than any event has.
    private static let most = 16

    /// - Throws: with errno where it has no readable `type`, above all ENOENT where it is not there.
    init(path: String) throws(Failure) {
        self.path = path
        let number = try readNumber("\(path)/type")
        guard let type = UInt32(exactly: number) else {
            throw Failure(thing: "\(path)/type", cause: "is no type of a PMU: \(number)")
        }
        self.type = type
    }

    /// The processors to count on, one for each part of the machine that the PMU tells apart.
    func processors(most: Int) throws(Failure) -> CPUList {
        let file = "\(path)/cpumask"
        let text = try readTextLine(file)
        if let list = CPUList(text, most: most) { return list }
        throw Failure(thing: file, cause: "is no list of processors")
    }

    /// The events whose names begin with `prefix`, in natural order.
    func events(prefix: String, most: Int) throws(Failure) -> Directory {
        try Directory("\(path)/events", most: most) { $0.hasPrefix(prefix) && !$0.contains(".") }
    }

    /// Base units in one raw unit.
    func scale(of event: String) throws(Failure) -> Double {
        let file = "\(path)/events/\(event).scale"
        let text = try readTextLine(file)
        // Decimal digits alone: Double would take "nan", "infinity" and hexadecimal as well.
        let isDecimal = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
        }
        guard isDecimal, let scale = Double(text), scale.isFinite, scale > 0 else {
            throw Failure(thing: file, cause: "is no positive number")
        }
        return scale
    }

    func unit(of event: String) throws(Failure) -> String { try readTextLine("\(path)/events/\(event).unit") }

    /// The number that makes the PMU count an event: its terms ("event=0x02,umask=1"), each put into the bits
    /// that its format names.
    func config(of event: String) throws(Failure) -> UInt64 {
        let file = "\(path)/events/\(event)"
        var config: UInt64 = 0
        let terms = try readTextLine(file).split(separator: ",", omittingEmptySubsequences: false)
        for term in terms.prefix(Self.most + 1) {
            let sides = term.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = sides.count == 1 ? 1 : Self.number(sides[1])
            guard terms.count <= Self.most, let value, let name = sides.first.map(String.init),
                identifier(name) == name
            else { throw Failure(thing: file, cause: "is no event") }
            config |= name == "config" ? value : try placed(value, by: name)
        }
        return config
    }

    /// Spreads a value over the bits of a format, lowest first: "config:0-7,32-35".
    private func placed(_ value: UInt64, by format: String) throws(Failure) -> UInt64 {
        let file = "\(path)/format/\(format)"
        let text = try readTextLine(file)
        let sides = text.split(separator: ":", maxSplits: 1)
        guard sides.count == 2, sides[0] == "config" else {
            throw Failure(thing: file, cause: "names no bits of config")
        }
        var rest = value
        var result: UInt64 = 0
        guard let bits = CPUList(String(sides[1]), most: 64), bits.omitted == 0,
            bits.processors.allSatisfy({ $0 < 64 })
        else { throw Failure(thing: file, cause: "names no bits of config") }
        for bit in bits.processors {
            result |= (rest & 1) << UInt64(bit)
            rest >>= 1
        }
        guard rest == 0 else { throw Failure(thing: file, cause: "has no room for \(value)") }
        return result
    }

    private static func number(_ text: Substring) -> UInt64? {
        if text.hasPrefix("0x") {
            let digits = text.dropFirst(2)
            return digits.allSatisfy(\.isHexDigit) ? UInt64(digits, radix: 16) : nil
        }
        return text.allSatisfy(\.isASCIIDigit) ? UInt64(text) : nil
    }
}
