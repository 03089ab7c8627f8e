/// Cuts a stream of bytes into lines, however the reads fall, and never holds more than the longest line.
public struct LineBuffer: Sendable {
    private var pending: [UInt8] = []
    /// True once a line grew past `LineCodec.longestLine`; nothing after it is read.
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
            pending.append(contentsOf: rest[rest.startIndex..<end])
            lines.append(pending)
            pending.removeAll(keepingCapacity: true)
            rest = rest[(end + 1)...]
        }
        pending.append(contentsOf: rest)
        if pending.count > LineCodec.longestLine {
            overflowed = true
            pending.removeAll()
        }
        return lines
    }
}
