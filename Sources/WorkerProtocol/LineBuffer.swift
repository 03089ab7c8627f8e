/// Cuts a stream of bytes into lines, however the reads fall, and never holds more than the longest line.
public struct LineBuffer: Sendable {
    private var pending: [UInt8] = []
    /// True once a line grew past `LineCodec.longestLine`; nothing from it on is kept.
    public private(set) var overflowed = false

    public init() {}

    /// Bytes of a last line that has no line feed yet: not empty at end of file means a torn line.
    public var remainder: [UInt8] { pending }

    /// Adds what was read and returns the lines that are complete, without their line feeds.
    public mutating func append(_ bytes: UnsafeRawBufferPointer) -> [[UInt8]] {
        guard !overflowed else { return [] }
        var lines: [[UInt8]] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 0x0A) {
            guard take(rest[..<end]) else { return lines }
            lines.append(pending)
            pending.removeAll(keepingCapacity: true)
            rest = rest[(end + 1)...]
        }
        _ = take(rest)
        return lines
    }

    /// Adds a part of a line; false when that makes the line too long.
    private mutating func take(_ part: UnsafeRawBufferPointer.SubSequence) -> Bool {
        guard pending.count + part.count <= LineCodec.longestLine else {
            overflowed = true
            pending.removeAll()
            return false
        }
        pending.append(contentsOf: part)
        return true
    }
}
