import Analysis
import Energy

/// Waits between whole runs until the machine is as warm as it was when the first one began.
///
/// A run that begins on a warm machine has no burst to lose: without this the variant that comes second would keep
/// more of less.
final class CoolDown {
    /// Kelvin above the first run's start that count as the same.
    static let tolerance = 2.0
    /// How long to wait where no temperature can be read.
    static let blindWait = Seconds(60)
    /// The longest wait where one can.
    static let longestWait = Seconds(600)
    private static let pace = Nanoseconds(1_000_000_000)

    private let thermometer: Thermometer
    /// As given; nil for the usual waits.
    private let limit: Seconds?
    private let trace: TraceWriter
    /// Waits until a moment, and ends with a signal.
    private let pause: (Instant) throws(Stop) -> Void
    private var target: [Double?]?

    init(
        _ thermometer: Thermometer, limit: Seconds?, trace: TraceWriter,
        pause: @escaping (Instant) throws(Stop) -> Void
    ) {
        self.thermometer = thermometer
        self.limit = limit
        self.trace = trace
        self.pause = pause
    }

    /// Called before every run, the first one too: that is the one whose temperatures are aimed at.
    func wait(_ step: String, _ display: ProgressDisplay) throws(Stop) -> RunLine.Cooling {
        let start = Clock.now
        guard let target else {
            target = try read()
            return .first
        }
        var now = try read()
        let isBlind = Self.excess(now, over: target) == nil
        let longest = Nanoseconds(limit ?? (isBlind ? Self.blindWait : Self.longestWait))
        var state = ProgressState()
        state.step = "\(isBlind ? "waiting" : "cooling down") before \(step)"
        state.length = longest.seconds
        while true {
            if !isBlind, let excess = Self.excess(now, over: target), excess <= Self.tolerance {
                return .reached
            }
            let waited = Clock.now - start
            if waited >= longest { return isBlind ? .blind : .timedOut }
            state.elapsed = waited.seconds
            state.temperature = now.compactMap(\.self).max()
            display.show(state, now: Clock.now)
            try pause(Clock.now + min(Self.pace, longest - waited))
            do { try trace.flushIfDue(now: Clock.now) } catch { throw .failed(error) }
            now = try read()
        }
    }

    /// The farthest that any sensor is above where it was; nil where none can be compared.
    static func excess(_ now: [Double?], over target: [Double?]) -> Double? {
        zip(now, target).compactMap { now, then in
            guard let now, let then else { return nil }
            return now - then
        }.max()
    }

    private func read() throws(Stop) -> [Double?] {
        guard let sample = thermometer.read(at: Clock.now) else { return [] }
        do { try trace.append(.sample(sample)) } catch { throw .failed(error) }
        return thermometer.celsius(sample)
    }
}
