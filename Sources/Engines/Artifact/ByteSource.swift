import Analysis

/// Bytes that can be read in pieces at any offset: a file, or an array in tests.
public protocol ByteSource {
    /// Size in bytes. No read goes past it.
    var sizeBytes: UInt64 { get }

    /// Reads at most `buffer.count` bytes from `offset` on into `buffer` and returns their number; 0 means
    /// that there are none, e.g. because the file has shrunk.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int
}
