import Analysis
import CPower
import Glibc
import Synchronization

/// A program that tells a meter's readings, a line each (`--power exec:CMD`): a wall meter, a lab supply.
///
/// A thread of its own stamps each line on receipt. The program is ended, with all it started, by `stop` or
/// with the last reference.
final class HelperProgram: Sendable {
    let id: String
    private let state: HelperState
    /// Nil once it was joined.
    private let thread: Mutex<pthread_t?>

    /// For the first reading, and then for a few more that tell how often they come.
    private static let firstReading: UInt64 = 10_000_000_000
    private static let moreReadings: UInt64 = 3_000_000_000
    private static let readingsForPeriod = 4

    /// Starts the program and waits for its first reading.
    ///
    /// - Throws: when it cannot be started (usage), ends, misbehaves or tells nothing within 10 s (no energy
    ///   source).
    static func start(_ words: [String]) throws(Failure) -> HelperProgram {
        let meter = try HelperProgram(words)
        guard meter.wait(readings: 1, atMost: firstReading) else {
            meter.stop()
            let error = meter.state.startError.load(ordering: .relaxed)
            let (failure, remark) = meter.state.ending.withLock { $0 }
            throw Failure(
                thing: words.joined(separator: " "),
                cause: (failure ?? "wrote no line `watts N` or `joules N` within 10 s")
                    + (remark.map { "; " + $0 } ?? ""),
                remedy: error == 0
                    ? "it is to write such a line for each reading, and to go on until it is ended"
                    : "check the path; the command is split on spaces, without a shell",
                exit: error == 0 ? .noEnergySource : .usage)
        }
        _ = meter.wait(readings: readingsForPeriod, atMost: moreReadings)
        return meter
    }

    private init(_ words: [String]) throws(Failure) {
        let program = words.first?.split(separator: "/").last.map(String.init) ?? ""
        id = "exec:\(identifier(program) ?? "program")"
        let descriptor = cpower_event_open()
        guard descriptor >= 0 else {
            throw Failure(thing: "eventfd", cause: errnoText(-descriptor), errno: -descriptor)
        }
        state = HelperState(words: words, stopDescriptor: descriptor)
        thread = Mutex(try startQuietThread("thread of a meter's program") { [state] in state.run() })
    }

    deinit { stop() }

    private func wait(readings: Int, atMost time: UInt64) -> Bool {
        let deadline = Clock.monotonic() &+ time
        while state.readings.load(ordering: .acquiring) < readings {
            if state.isOver.load(ordering: .acquiring) || Clock.monotonic() > deadline { return false }
            var pause = timespec(tv_sec: 0, tv_nsec: 5_000_000)
            nanosleep(&pause, nil)
        }
        return true
    }

    /// How the trace describes it. It covers what the meter is plugged into: the whole machine, most likely.
    var line: SourceLine {
        let countsEnergy = state.unit.load(ordering: .acquiring) == ReadingLines.Unit.joules.rawValue
        var line = SourceLine(
            id: id, kind: countsEnergy ? .counter : .gauge, quantity: countsEnergy ? .energy : .power,
            scale: 1e-6, domain: "wall", device: id,
            interface: countsEnergy ? "exec:joules" : "exec:watts")
        let gap = state.gap.load(ordering: .relaxed)
        line.updatePeriodNanoseconds = gap > 0 ? Int64(clamping: gap) : nil
        return line
    }

    /// The last reading in millionths of its unit.
    var value: Int64 { state.last.load(ordering: .relaxed) }

    /// Why it tells no more, once that is so.
    var failure: String? { state.isOver.load(ordering: .acquiring) ? state.ending.withLock(\.failure) : nil }

    /// Its state for the capability table.
    var row: CapabilitiesLine.Row {
        let (failure, remark) = state.ending.withLock { $0 }
        let lost = state.lostReadings.load(ordering: .relaxed)
        let notes = [failure, remark, lost > 0 ? "\(lost) readings were lost" : nil].compactMap(\.self)
        return CapabilitiesLine.Row(
            id: id, status: failure == nil ? .ok : .dead,
            reason: notes.isEmpty ? nil : notes.joined(separator: "; "))
    }

    // MARK: For the sampler

    /// From now on readings are kept, as those of the source of this number.
    func begin(index: Int, eventDescriptor: Int32) {
        state.eventDescriptor.store(eventDescriptor, ordering: .releasing)
        state.index.store(index, ordering: .releasing)
    }

    func drain(_ body: (SampleLine) -> Void) {
        while let line = state.ring.take() { body(line) }
    }

    /// Ends the program and waits for the thread, which takes half a second where it has to be killed; only
    /// the first call does anything. What was kept can still be drained.
    func stop() {
        _ = cpower_event_raise(state.stopDescriptor)
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let running { pthread_join(running, nil) }
    }
}
