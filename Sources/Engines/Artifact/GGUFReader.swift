import Analysis

/// A cursor over the header of a GGUF file that trusts nothing it reads.
///
/// It holds one window of the file and never allocates by a length that the file gives. Three budgets bound
/// what any file can cost: bytes read, elements that have to be walked one by one, and bytes kept.
final class GGUFReader {
    /// What a header may cost. The largest real headers hold about a million token and merge strings in
    /// 30 MB, of which a few kilobytes are kept.
    enum Limit {
        static let bytesRead: UInt64 = 256 << 20
        static let elementsWalked: UInt64 = 4 << 20
        static let bytesKept: UInt64 = 16 << 20
        static let windowBytes = 64 << 10
    }

    let sizeBytes: UInt64
    /// Offset in the file of the next byte; never past `sizeBytes`.
    private(set) var offset: UInt64 = 0
    /// What is being read, for messages: "key \"general.name\"".
    var subject = "header"
    /// How many strings were not UTF-8.
    private(set) var invalidStrings: UInt64 = 0

    private let source: any ByteSource
    private let thing: String
    private let window: UnsafeMutableRawBufferPointer
    private var windowStart: UInt64 = 0
    private var windowCount = 0
    private var bytesRead: UInt64 = 0
    private var elementsWalked: UInt64 = 0
    private var bytesKept: UInt64 = 0

    /// - Parameter thing: The file's name, for messages.
    init(_ source: any ByteSource, thing: String) {
        self.source = source
        self.thing = thing
        self.sizeBytes = source.sizeBytes
        self.window = .allocate(byteCount: Limit.windowBytes, alignment: 16)
    }

    deinit { window.deallocate() }

    var remaining: UInt64 { sizeBytes - offset }

    /// The refusal of the file for what stands at `offset`.
    func refusal(_ cause: String, at offset: UInt64, remedy: String? = nil) -> Failure {
        Failure(
            thing: thing, cause: "not a usable GGUF file: at byte \(offset), \(subject): \(cause)",
            remedy: remedy
                ?? "The file is damaged or was not written by a GGUF tool: download or convert it again.")
    }

    private func endsEarly(_ count: UInt64, _ what: String) -> Failure {
        refusal(
            "\(what) takes \(count) bytes, but the file ends at byte \(sizeBytes)", at: offset,
            remedy: "The file is truncated or damaged: download or convert it again.")
    }

    /// Makes the next `count` bytes (at most the window) contiguous and returns their place in the window.
    private func fill(_ count: Int, _ what: String) throws(Failure) -> Int {
        guard UInt64(count) <= remaining else { throw endsEarly(UInt64(count), what) }
        if offset >= windowStart {
            let place = offset - windowStart
            if place + UInt64(count) <= UInt64(windowCount) { return Int(place) }
        }
        let wanted = Int(min(UInt64(Limit.windowBytes), remaining))
        bytesRead += UInt64(wanted)
        guard bytesRead <= Limit.bytesRead else {
            throw refusal("the header needs more than \(Limit.bytesRead >> 20) MiB to be read", at: offset)
        }
        windowCount = 0
        windowStart = offset
        while windowCount < wanted {
            let rest = UnsafeMutableRawBufferPointer(rebasing: window[windowCount..<wanted])
            let count = try source.read(at: windowStart + UInt64(windowCount), into: rest)
            if count <= 0 { break }
            windowCount += min(count, rest.count)
        }
        guard windowCount >= count else {
            throw refusal(
                "the file has become shorter while it was read", at: offset,
                remedy: "Wait until the download or conversion has ended, then start again.")
        }
        return 0
    }

    /// The next little-endian integer.
    func integer<Value: FixedWidthInteger>(_ type: Value.Type, _ what: String) throws(Failure) -> Value {
        let size = MemoryLayout<Value>.size
        let place = try fill(size, what)
        offset += UInt64(size)
        return Value(littleEndian: window.loadUnaligned(fromByteOffset: place, as: Value.self))
    }

    /// Steps over `count` bytes without reading them.
    func skip(_ count: UInt64, _ what: String) throws(Failure) {
        guard count <= remaining else { throw endsEarly(count, what) }
        offset += count
    }

    /// A string's length, then the string: its text when it has at most `limit` bytes (at most a window),
    /// else nil with the string stepped over. What is not UTF-8 is repaired and counted.
    func string(_ what: String, keepingUpTo limit: Int) throws(Failure) -> (text: String?, bytes: UInt64) {
        let start = offset
        let length = try integer(UInt64.self, "the length of \(what)")
        guard length <= remaining else {
            throw refusal("\(what) has \(length) bytes, but the file ends at byte \(sizeBytes)", at: start)
        }
        guard length <= UInt64(limit) else {
            try skip(length, what)
            return (nil, length)
        }
        let bytes = try slice(Int(length), what)
        if let text = String(validating: bytes, as: UTF8.self) { return (text, length) }
        invalidStrings += 1
        return (String(decoding: bytes, as: UTF8.self), length)
    }

    /// Steps over a string, checking that it is UTF-8 where it is short enough to be a token.
    /// - Returns: Its length in bytes.
    func skipString(_ what: String) throws(Failure) -> UInt64 {
        let start = offset
        let length = try integer(UInt64.self, what)
        guard length <= remaining else {
            throw refusal("\(what) has \(length) bytes, but the file ends at byte \(sizeBytes)", at: start)
        }
        guard length <= 1 << 10 else {
            try skip(length, what)
            return length
        }
        let bytes = try slice(Int(length), what)
        // Most tokens are ASCII, and making a String of each takes ten times as long.
        let isASCII = bytes.allSatisfy { $0 < 0x80 }
        if !isASCII, String(validating: bytes, as: UTF8.self) == nil { invalidStrings += 1 }
        return length
    }

    private func slice(_ count: Int, _ what: String) throws(Failure) -> UnsafeRawBufferPointer {
        let place = try fill(count, what)
        offset += UInt64(count)
        return UnsafeRawBufferPointer(rebasing: window[place..<(place + count)])
    }

    /// Accounts for elements that are walked one by one.
    func walk(_ count: UInt64) throws(Failure) {
        let (sum, overflow) = elementsWalked.addingReportingOverflow(count)
        guard !overflow, sum <= Limit.elementsWalked else {
            throw refusal(
                "\(count) elements here make more than \(Limit.elementsWalked) strings and inner arrays in the header",
                at: offset)
        }
        elementsWalked = sum
    }

    /// Accounts for memory that stays in use for the header.
    func keep(_ bytes: Int) throws(Failure) {
        bytesKept += UInt64(bytes)
        guard bytesKept <= Limit.bytesKept else {
            throw refusal(
                "keys, values and tensor names take more than \(Limit.bytesKept >> 20) MiB", at: offset)
        }
    }
}
