import Testing
import WorkerProtocol

@Suite struct LineBufferTests {
    private static func append(_ bytes: some Sequence<UInt8>, to buffer: inout LineBuffer) -> [[UInt8]] {
        Array(bytes).withUnsafeBytes { buffer.append($0) }
    }

    /// Three lines, an empty one among them, and a torn one.
    private static let stream = Array("first\n\nsecond line\ntorn".utf8)
    private static let lines = ["first", "", "second line"].map { Array($0.utf8) }

    @Test func aSplitAtEveryPositionGivesTheSameLines() {
        for first in 0...Self.stream.count {
            for second in first...Self.stream.count {
                var buffer = LineBuffer()
                var lines = Self.append(Self.stream[..<first], to: &buffer)
                lines += Self.append(Self.stream[first..<second], to: &buffer)
                lines += Self.append(Self.stream[second...], to: &buffer)
                #expect(lines == Self.lines, "split at \(first) and \(second)")
                #expect(buffer.remainder == Array("torn".utf8))
            }
        }
    }

    @Test func byteByByteGivesTheSameLines() {
        var buffer = LineBuffer()
        #expect(Self.stream.flatMap { Self.append([$0], to: &buffer) } == Self.lines)
    }

    @Test func aLineOfTheLongestLengthPasses() {
        let line = [UInt8](repeating: 0x61, count: LineCodec.longestLine)
        var whole = LineBuffer()
        #expect(Self.append(line + [0x0A], to: &whole) == [line])
        #expect(!whole.overflowed)
        var split = LineBuffer()
        #expect(Self.append(line, to: &split).isEmpty)
        #expect(Self.append([0x0A], to: &split) == [line])
        #expect(!split.overflowed)
    }

    @Test func aLongerLineEndsTheReading() {
        let line = [UInt8](repeating: 0x61, count: LineCodec.longestLine + 1)
        for chunks in [[line], [line + [0x0A]], [Array(line[..<1000]), Array(line[1000...]) + [0x0A]]] {
            var buffer = LineBuffer()
            for chunk in chunks { #expect(Self.append(chunk, to: &buffer).isEmpty) }
            #expect(buffer.overflowed)
            #expect(buffer.remainder.isEmpty)
            #expect(Self.append("next\n".utf8, to: &buffer).isEmpty)
        }
    }

    @Test func linesBeforeTheLongOneAreKept() {
        let long = [UInt8](repeating: 0x61, count: LineCodec.longestLine + 1)
        var buffer = LineBuffer()
        #expect(Self.append(Array("good\n".utf8) + long + [0x0A], to: &buffer) == [Array("good".utf8)])
        #expect(buffer.overflowed)
    }
}
