/// Why a figure, a source or a fact is missing. Absence is a value of its own, never 0 and never NaN.
public struct Unavailable: Error, Sendable, Hashable, Codable {
    /// One short clause in plain words, e.g. "no energy source" or "one observation".
    public let reason: String
    public init(_ reason: String) { self.reason = reason }

    enum CodingKeys: String, CodingKey { case reason = "unavailable" }
}

/// The exit codes of the program (docs: README, "Exit codes").
public enum ExitCode: Int32, Sendable, Codable {
    case done = 0
    case failed = 1
    case usage = 2
    case gateFailed = 3
    case refused = 4
    case engineFailed = 5
    case noEnergySource = 6
    case inconclusive = 7
    case interrupted = 130
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
