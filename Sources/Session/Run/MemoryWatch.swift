import Analysis
import Engines

/// Holds what is left of memory against the budget of the start, four times a second (docs/metrics.md, "Memory").
struct MemoryWatch {
    /// What a poll found.
    enum Finding: Equatable {
        /// In words, with the numbers.
        case warning(String)
        case stop(String)
    }

    /// The poll that found least.
    struct Lowest: Equatable {
        var time: Instant
        var reading: MemoryGovernor.Reading
    }

    /// Reads what is available and what these processes hold; nil where it cannot be read.
    typealias Read = (_ engine: [Int32]) -> MemoryGovernor.Reading?

    private static let period = Nanoseconds(250_000_000)

    /// When the next poll is due.
    private(set) var due: Instant
    private(set) var lowest: Lowest?
    private var governor: MemoryGovernor
    private let read: Read

    /// Freezes the budget; nil where memory cannot be read.
    init?(now: Instant, read: @escaping Read) {
        guard let start = read([]), let governor = MemoryGovernor(start: start) else { return nil }
        self.governor = governor
        self.read = read
        due = now
    }

    /// Reads where a poll is due.
    ///
    /// - Parameter engine: processes that hold the model; none while they are not known, or elsewhere: nothing is
    ///   read then.
    /// - Returns: the worst level that fired.
    mutating func poll(now: Instant, engine: [Int32]) -> Finding? {
        guard now >= due else { return nil }
        due = now + Self.period
        guard !engine.isEmpty, let reading = read(engine) else { return nil }
        if lowest.map({ reading.available < $0.reading.available }) ?? true {
            lowest = Lowest(time: now, reading: reading)
        }
        guard let level = governor.pollOnce(reading).max() else { return nil }
        let text = describe(reading)
        return level == .stop ? .stop(text) : .warning(text)
    }

    private func describe(_ reading: MemoryGovernor.Reading) -> String {
        let left = governor.left(reading) * 100
        return "\(left.inTenths) % of the budget of \(Self.mebibytes(governor.budget)) is left: "
            + "\(Self.mebibytes(reading.available)) available, the engine holds \(Self.mebibytes(reading.footprint))"
    }

    private static func mebibytes(_ bytes: UInt64) -> String { "\(bytes >> 20) MiB" }
}
