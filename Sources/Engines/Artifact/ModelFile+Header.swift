import Analysis

extension ModelFile {
    private static let pieceBytes = 1 << 16

    /// Whether the headers of all files are those of another model to the last byte: it is a copy of it, whatever
    /// has become of the weights.
    ///
    /// - Throws: `.failed` for a file that cannot be read any more.
    public func hasHeader(of other: ModelFile) throws(Failure) -> Bool {
        guard parts.count == other.parts.count else { return false }
        for (own, its) in zip(parts, other.parts) {
            let (ownFile, itsFile) = (try OpenFile(own.path), try OpenFile(its.path))
            let length = try GGUFHeader.parse(ownFile, thing: own.path).dataOffset
            guard try Self.isSame(ownFile, itsFile, first: length) else { return false }
        }
        return true
    }

    /// Whether the first bytes of two files are the same.
    private static func isSame(
        _ left: OpenFile, _ right: OpenFile, first length: UInt64
    ) throws(Failure) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * pieceBytes, alignment: 16)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while offset < length {
            let wanted = Int(min(UInt64(pieceBytes), length - offset))
            let (a, b) = (buffer[..<wanted], buffer[pieceBytes..<pieceBytes + wanted])
            let ownCount = try left.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: a))
            let itsCount = try right.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: b))
            // A file that has become shorter, or a read that was cut in one of them only.
            guard ownCount == wanted, itsCount == wanted, a.elementsEqual(b) else { return false }
            offset += UInt64(wanted)
        }
        return true
    }

    /// Whether the file says that its weights are random (scripts/make-model); nothing can prove the opposite.
    public var hasRandomWeights: Bool { header.metadata["sustain.weights"]?.string == "random" }
}
