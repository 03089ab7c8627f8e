import Analysis
import CPower

/// The names in one directory of a tree that is not trusted: bounded in number, in natural order.
package struct Directory {
    /// Names in natural order: `zone2` before `zone10`.
    package var names: [String]
    /// How many names were left out because of the bound.
    package var omitted: Int

    /// Far more than any class directory of a real machine.
    private static let mostNames = 16_384

    /// Lists the names that `keep` accepts, the first `most` of them in natural order. `capacity` is the room
    /// for all names together, in bytes.
    package init(
        _ path: String, most: Int, capacity: Int = 64 * 1024, keep: (String) -> Bool
    ) throws(Failure) {
        var buffer = [CChar](repeating: 0, count: capacity)
        var count = 0
        var omitted = 0
        let error = cpower_list(path, &buffer, buffer.count, Self.mostNames, &count, &omitted)
        guard error == 0 else { throw Failure(thing: path, cause: errnoText(error), errno: error) }
        let all = buffer.split(separator: 0, maxSplits: count, omittingEmptySubsequences: false).prefix(count)
        let kept = all.map { String(decoding: $0.map(UInt8.init(bitPattern:)), as: UTF8.self) }.filter(keep)
        let ordered = kept.map { (name: $0, key: naturalKey($0)) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        names = ordered.prefix(most).map(\.name)
        self.omitted = omitted + kept.count - names.count
    }
}

/// A key whose plain order is the natural one: numbers in the text count by value, not digit by digit.
func naturalKey(_ text: String) -> [UInt8] {
    var key: [UInt8] = []
    var digits: [UInt8] = []
    func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
    // A number is a zero as its mark, how many digits it has, and the digits.
    func endNumber() {
        let significant = digits.drop { $0 == 0x30 }
        key += [0x30, UInt8(min(significant.count, 255))] + significant
        digits.removeAll(keepingCapacity: true)
    }
    for byte in text.utf8 {
        if isDigit(byte) {
            digits.append(byte)
        } else {
            if !digits.isEmpty { endNumber() }
            key.append(byte)
        }
    }
    if !digits.isEmpty { endNumber() }
    return key
}

func naturallyBefore(_ left: String, _ right: String) -> Bool {
    naturalKey(left).lexicographicallyPrecedes(naturalKey(right))
}

extension Character {
    var isASCIIDigit: Bool { self >= "0" && self <= "9" && isASCII }
}

/// The text of a one-line file such as `name` or `type`, without the line end.
func readTextLine(_ path: String) throws(Failure) -> String {
    var buffer = [CChar](repeating: 0, count: sourceTextCapacity)
    let length = cpower_read_file(path, &buffer, buffer.count)
    guard length >= 0 else {
        throw Failure(thing: path, cause: errnoText(Int32(-length)), errno: Int32(-length))
    }
    let bytes = buffer.prefix(length).map(UInt8.init(bitPattern:)).prefix { $0 != 0x0A }
    return String(decoding: bytes, as: UTF8.self)
}

/// The number in a one-number file.
func readNumber(_ path: String) throws(Failure) -> Int64 {
    try SourceFile.open(path).value(of: .wholeFile)
}

/// A name of the tree as a part of an id: up to 40 of `A-Z a-z 0-9 . _ -`, anything else as `_`; nil when
/// nothing is left of it.
///
/// Names come from firmware and drivers; ids go into file names, selectors and tables.
func identifier(_ name: String) -> String? {
    let cleaned = name.unicodeScalars.prefix(40).map { scalar -> Character in
        switch scalar {
        case "A"..."Z", "a"..."z", "0"..."9", ".", "_", "-": Character(scalar)
        default: "_"
        }
    }
    return cleaned.contains { $0 != "_" } ? String(cleaned) : nil
}
