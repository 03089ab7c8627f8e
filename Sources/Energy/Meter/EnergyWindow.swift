import Analysis
import Synchronization

/// A named span of time of an `EnergyMeter`, from `begin` to `end`.
///
/// A handle: the meter keeps what belongs to it for as long as the handle lives. Windows may overlap and nest,
/// and may begin on one thread and end on another.
public final class EnergyWindow: Sendable {
    public let name: String
    /// CLOCK_MONOTONIC.
    public let begin: Instant
    let id: UInt64
    private let log: WindowLog

    init(name: String, begin: Instant, log: WindowLog) {
        self.name = name
        self.begin = begin
        self.log = log
        id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
        log.append(.begin(id, name, begin))
    }

    deinit { log.append(.dropped(id)) }

    /// Unique in the process, so that a handle of one meter says nothing to another.
    private static let lastID = Atomic<UInt64>(0)
}

/// What happened to windows since the meter last looked: all that `begin` and `end` leave behind on the thread
/// of the caller, so that they never wait for a figure being computed.
final class WindowLog: Sendable {
    enum Entry: Sendable {
        case begin(UInt64, String, Instant)
        case end(UInt64, Instant)
        case dropped(UInt64)
    }

    private let entries = Locked<[Entry]>([])

    func append(_ entry: Entry) { entries.withLock { $0.append(entry) } }

    func take() -> [Entry] {
        entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
    }
}
