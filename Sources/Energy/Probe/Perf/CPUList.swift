/// A list of processors as sysfs writes it: "0,64", "0-3,8" (kernel lib/bitmap.c, "%*pbl"); "" is none.
struct CPUList: Hashable {
    /// In the order of the text.
    var processors: [Int32]
    /// How many were left out because of the bound.
    var omitted: Int

    /// Above any CONFIG_NR_CPUS.
    private static let highest: Int32 = 65_535

    /// Nil when the text is not such a list; processors beyond `most` are counted only.
    init?(_ text: String, most: Int) {
        processors = []
        omitted = 0
        guard !text.isEmpty else { return }
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
            guard let first = ends.first, let last = ends.last, ends.count <= 2,
                let low = Self.number(first), let high = Self.number(last), low <= high
            else { return nil }
            let taken = min(Int(high - low) + 1, most - processors.count)
            for offset in 0..<taken { processors.append(low + Int32(offset)) }
            omitted += Int(high - low) + 1 - taken
        }
    }

    private static func number(_ text: Substring) -> Int32? {
        guard text.allSatisfy(\.isASCIIDigit), let number = Int32(text), number <= highest else { return nil }
        return number
    }
}
