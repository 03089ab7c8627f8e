import Glibc

/// One word of a command line as the system passes it: bytes without a zero, which need be no text.
public struct Argument: Sendable, Hashable, ExpressibleByStringLiteral {
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) { self.bytes = bytes }
    public init(_ text: String) { bytes = Array(text.utf8) }
    public init(stringLiteral text: String) { self.init(text) }

    /// For people and records: where the bytes are no UTF-8, all that are no ASCII stand as `\xNN`.
    public var text: String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return bytes.map { byte in
            byte < 0x80
                ? String(UnicodeScalar(byte)) : "\\x" + String(byte, radix: 16)
        }.joined()
    }

    /// The words that this program was started with, its name first. `CommandLine.arguments` has them as text, in
    /// which bytes that are none have been replaced.
    public static func ofProcess() -> [Argument] {
        (0..<Int(CommandLine.argc)).compactMap { index in
            CommandLine.unsafeArgv[index].map { word in
                Argument(bytes: Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
            }
        }
    }

    /// Calls `body` with the word ended by a zero.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
            // Never empty: the zero is there.
            buffer.baseAddress.map(body) ?? "".withCString(body)
        }
    }
}
