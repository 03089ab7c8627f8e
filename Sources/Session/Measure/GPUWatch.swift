import Analysis
import Energy

/// Looks now and then on which GPUs the driver lists the command's processes: it is the only way to know which
/// are in use, and the only time to ask is while the command runs.
///
/// A look asks the driver, which takes a while: first after a quarter of a second, since that is when programs
/// open their devices, then less and less often.
struct GPUWatch {
    private let gpus: [GPUDevice]
    private var pause = Nanoseconds(0)
    /// When to look next; never where there is no GPU.
    private(set) var due = Instant(nanoseconds: .max)

    private static let firstPause = Nanoseconds(250_000_000)
    private static let longestPause = Nanoseconds(8_000_000_000)

    init(_ gpus: [GPUDevice]) { self.gpus = gpus }

    /// A command was started.
    mutating func begin(at time: Instant) {
        guard !gpus.isEmpty else { return }
        pause = Self.firstPause
        due = time + pause
    }

    /// What is listed now, if it is time.
    mutating func look(at now: Instant, for command: Int32, _ facts: HostFacts) -> GPUProcessesLine? {
        guard now >= due else { return nil }
        let seen = GPUFacts.processes(gpus, engine: [command], facts)
        pause = min(Nanoseconds(2 * pause.value), Self.longestPause)
        due = now + pause
        return seen
    }
}
