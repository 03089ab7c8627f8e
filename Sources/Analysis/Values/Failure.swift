/// Why a figure, a source or a fact is missing. Absence is a value of its own, never 0 and never NaN.
public struct Unavailable: Error, Sendable, Hashable, Codable {
    /// One short clause in plain words, e.g. "no energy source" or "one observation".
    public let reason: String
    public init(_ reason: String) { self.reason = reason }

    enum CodingKeys: String, CodingKey { case reason = "unavailable" }
}

/// The exit codes of the program (docs: README, "Exit codes"). Not an enumeration: `sustain measure` passes on
/// the code of its command.
public struct ExitCode: RawRepresentable, Sendable, Hashable, Codable {
    public let rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    public static let done = ExitCode(rawValue: 0)
    public static let failed = ExitCode(rawValue: 1)
    public static let usage = ExitCode(rawValue: 2)
    public static let gateFailed = ExitCode(rawValue: 3)
    public static let refused = ExitCode(rawValue: 4)
    public static let engineFailed = ExitCode(rawValue: 5)
    public static let noEnergySource = ExitCode(rawValue: 6)
    public static let inconclusive = ExitCode(rawValue: 7)
    public static let interrupted = ExitCode(rawValue: 130)
    /// Of `sustain measure`, as env(1) has them: a failure of its own, a command that cannot be executed, one
    /// that is not there.
    public static let measureFailed = ExitCode(rawValue: 125)
    public static let notExecutable = ExitCode(rawValue: 126)
    public static let notFound = ExitCode(rawValue: 127)
}

/// An error as a value: what it is about, why it happened and what to do about it.
public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file, device, option or program the error is about.
    public let thing: String
    /// What went wrong, in plain words.
    public let cause: String
    /// The system's error number (errno(3)), when a system call failed.
    public let errno: Int32?
    /// What the user can do; nil where there is nothing to say.
    public let remedy: String?
    /// The code the program ends with if nobody handles the error.
    public let exit: ExitCode

    public init(
        thing: String, cause: String, errno: Int32? = nil, remedy: String? = nil, exit: ExitCode = .failed
    ) {
        self.thing = thing
        self.cause = cause
        self.errno = errno
        self.remedy = remedy
        self.exit = exit
    }

    /// "thing: cause (errno 13)", then the remedy on a line of its own; fit for a terminal.
    public var description: String {
        var text = "\(thing.escapedForDisplay): \(cause.escapedForDisplay)"
        if let errno { text += " (errno \(errno))" }
        if let remedy { text += "\n  \(remedy.escapedForDisplay)" }
        return text
    }
}
