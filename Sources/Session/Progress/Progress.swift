import Analysis
import Glibc

/// What a run tells while it goes on. All of it goes to standard error: standard output is the result.
public struct ProgressState: Sendable, Hashable {
    /// What the run is doing, in words.
    public var step: String = ""
    /// Time into the current step and its expected length, where it has one.
    public var elapsed = Seconds(0)
    public var length: Seconds?
    /// Decode rate of the last whole second or cycle; nil until there is one.
    public var tokensPerSecond: Double?
    public var watts: Watts?
    public var joulesPerToken: Double?
    public var temperature: Double?
    /// Rate now / rate of the first ten seconds.
    public var kept: Double?
}

/// Shows progress: a live line on a terminal, plain lines elsewhere, nothing when quiet.
public final class ProgressDisplay {
    public enum Mode: Sendable {
        case live, lines
        /// What is said, and no progress.
        case notes
        case quiet
    }

    private let mode: Mode
    private var lastShown = Instant(nanoseconds: 0)
    private var lastStep = ""
    private var lineIsOpen = false

    public init(mode: Mode) { self.mode = mode }

    /// The mode for this standard error: live on a terminal that can move its cursor.
    public static func mode(quiet: Bool) -> Mode {
        if quiet { return .quiet }
        let terminal = getenv("TERM").map { String(cString: $0) } ?? "dumb"
        return isatty(STDERR_FILENO) == 1 && terminal != "dumb" ? .live : .lines
    }

    /// A line that stays: the plan, a warning, where the trace is.
    public func say(_ text: String) {
        guard mode != .quiet else { return }
        closeLine()
        put(
            text.split(separator: "\n", omittingEmptySubsequences: false).map(\.escapedForDisplay).joined(
                separator: "\n") + "\n")
    }

    /// Shows the state if it is time to: five times a second live, every ten seconds (and at each new step)
    /// as plain lines.
    public func show(_ state: ProgressState, now: Instant) {
        let isNewStep = state.step != lastStep
        let period = Nanoseconds(mode == .live ? 200_000_000 : 10_000_000_000)
        guard [.live, .lines].contains(mode), isNewStep || now - lastShown >= period else { return }
        lastShown = now
        lastStep = state.step
        switch mode {
        case .live:
            put("\r\u{1B}[K" + Self.line(state))
            lineIsOpen = true
        case .lines: put(Self.line(state) + "\n")
        case .notes, .quiet: break
        }
    }

    /// Ends an open live line, so that what follows starts on a line of its own.
    public func closeLine() {
        if lineIsOpen { put("\n") }
        lineIsOpen = false
    }

    static func line(_ state: ProgressState) -> String {
        var parts = [state.step.escapedForDisplay]
        let elapsed = Int(state.elapsed.value.rounded(.down))
        parts.append(state.length.map { "\(elapsed)/\(Int($0.value.rounded(.up))) s" } ?? "\(elapsed) s")
        if let rate = state.tokensPerSecond { parts.append("\(tenths(rate)) tok/s") }
        if let watts = state.watts { parts.append("\(tenths(watts.value)) W") }
        if let cost = state.joulesPerToken { parts.append("\(thousandths(cost)) J/token") }
        if let temperature = state.temperature { parts.append("\(tenths(temperature)) C") }
        if let kept = state.kept { parts.append("kept \(Int((kept * 100).rounded())) %") }
        return parts.joined(separator: "  ")
    }

    private static func tenths(_ value: Double) -> String { decimal(value, digits: 1, scale: 10) }
    private static func thousandths(_ value: Double) -> String { decimal(value, digits: 3, scale: 1000) }

    private static func decimal(_ value: Double, digits: Int, scale: Double) -> String {
        guard let scaled = Int64(exactly: (value.magnitude * scale).rounded()) else { return "-" }
        let fraction = String(scaled % Int64(scale))
        let sign = value < 0 && scaled != 0 ? "-" : ""
        return
            "\(sign)\(scaled / Int64(scale)).\(String(repeating: "0", count: digits - fraction.count))\(fraction)"
    }

    /// Progress is not worth dying for: a closed or full standard error is ignored.
    private func put(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
