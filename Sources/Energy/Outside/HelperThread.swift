import Analysis
import CPower
import Glibc
import Synchronization

/// What the thread that listens to a meter's program shares with its owner. The thread holds a reference of
/// its own.
///
/// Unchecked Sendable: `lines` and below are the thread's alone, the rest is immutable, atomic or locked.
final class HelperState: @unchecked Sendable {
    let words: [String]
    let ring = TickRing(reads: 4096)
    /// Readable when the thread is to end.
    let stopDescriptor: Int32

    /// The unit of the first reading; 0 before it.
    let unit = Atomic<Int>(0)
    let readings = Atomic<Int>(0)
    /// The last reading, in millionths.
    let last = Atomic<Int64>(0)
    /// From reading to reading, nanoseconds: the longest among the first few.
    let gap = Atomic<UInt64>(0)
    let isOver = Atomic<Bool>(false)
    /// errno, where the program could not be started.
    let startError = Atomic<Int32>(0)
    let lostReadings = Atomic<UInt64>(0)
    /// Number of the source among the sampler's; -1 before it has one: readings are then not kept.
    let index = Atomic<Int>(-1)
    /// The sampler's, to be raised when readings wait; -1 before.
    let eventDescriptor = Atomic<Int32>(-1)
    /// How it ended, and what else is to be said of it.
    let ending = Mutex<(failure: String?, remark: String?)>((nil, nil))

    // MARK: thread
    private var lines = ReadingLines()
    private var helper = cpower_helper()
    private var lastReading: UInt64 = 0
    private var lastSignal: UInt64 = 0
    private var second: (begin: UInt64, bytes: Int, lines: Int) = (0, 0, 0)

    /// More than any meter tells, and little enough to be read without being felt.
    private static let mostBytesASecond = 1 << 20
    private static let mostLinesASecond = 10_000
    private static let mostGarbageInARow = 1000
    private static let gapsForPeriod = 8

    init(words: [String], stopDescriptor: Int32) {
        self.words = words
        self.stopDescriptor = stopDescriptor
    }

    deinit { _ = cpower_close(stopDescriptor) }

    /// The body of the thread.
    func run() {
        let failure = start() ?? listen()
        let remark: String? =
            lines.garbage == 0
            ? nil : "\(lines.garbage) lines were no readings, the first: \(lines.firstGarbage ?? "")"
        ending.withLock { $0 = (failure, remark) }
        isOver.store(true, ordering: .releasing)
        raise()
    }

    private func start() -> String? {
        var path = [CChar](repeating: 0, count: 4096)
        let name = words.first ?? ""
        var error = cpower_find_program(name, &path, path.count)
        if error == 0 {
            let arguments = words.map { strdup($0) }
            defer { for argument in arguments { free(argument) } }
            error = cpower_helper_start(path, arguments + [nil], &helper)
        }
        startError.store(error, ordering: .relaxed)
        return error == 0 ? nil : "cannot be started: \(errnoText(error)) (errno \(error))"
    }

    /// Reads until the program ends, misbehaves or is to be ended; why it failed, if it did.
    private func listen() -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        defer {
            _ = cpower_close(helper.output)
            _ = cpower_close(helper.life)
        }
        while true {
            if cpower_wait_readable(helper.output, stopDescriptor, -1) != 0 {
                return endHelper("cannot be read")
            }
            // EAGAIN: not raised.
            if cpower_event_clear(stopDescriptor) == 0 {
                _ = endHelper("")
                return nil
            }
            let asked = Clock.monotonic()
            let length = cpower_helper_read(&helper, &buffer, buffer.count)
            if length == -Int(EAGAIN) { continue }
            guard length > 0 else { return endHelper(nil) }
            let bytes = buffer.prefix(length).map(UInt8.init(bitPattern:))
            take(lines.take(bytes), asked: asked)
            if let fault = misbehaviour(bytes: length, now: asked) { return endHelper(fault) }
        }
    }

    /// Keeps the last of the readings that came together: one stamp can hold one value.
    private func take(_ readings: [ReadingLines.Reading], asked: UInt64) {
        let known = ReadingLines.Unit(rawValue: unit.load(ordering: .relaxed)) ?? readings.first?.unit
        guard let reading = readings.last(where: { $0.unit == known }) else { return }
        let now = max(Clock.monotonic(), asked &+ 1)
        let count = readings.count + self.readings.load(ordering: .relaxed)
        if lastReading != 0, count <= Self.gapsForPeriod {
            gap.store(max(gap.load(ordering: .relaxed), now &- lastReading), ordering: .relaxed)
        }
        lastReading = now
        last.store(reading.micro, ordering: .relaxed)
        let source = index.load(ordering: .acquiring)
        if source >= 0 {
            if ring.hasRoom(reads: 1) {
                ring.beginTick(at: asked)
                ring.append(
                    index: UInt32(source), delta: UInt32(min(now &- asked, UInt64(UInt32.max))), error: 0,
                    value: reading.micro)
                ring.endTick()
            } else {
                lostReadings.wrappingAdd(1, ordering: .relaxed)
            }
            if now &- lastSignal >= 250_000_000 {
                lastSignal = now
                raise()
            }
        }
        unit.store(reading.unit.rawValue, ordering: .releasing)
        self.readings.store(count, ordering: .releasing)
    }

    private func raise() {
        let descriptor = eventDescriptor.load(ordering: .acquiring)
        if descriptor >= 0 { _ = cpower_event_raise(descriptor) }
    }

    private func misbehaviour(bytes: Int, now: UInt64) -> String? {
        if now &- second.begin >= 1_000_000_000 { second = (now, 0, lines.lines) }
        second.bytes += bytes
        if second.bytes > Self.mostBytesASecond {
            return "floods: over \(Self.mostBytesASecond >> 10) KiB in a second"
        }
        if lines.lines - second.lines > Self.mostLinesASecond {
            return "floods: over \(Self.mostLinesASecond) lines in a second"
        }
        guard lines.garbageInARow > Self.mostGarbageInARow else { return nil }
        return "writes garbage: \(lines.garbageInARow) lines in a row were no readings, the first: "
            + (lines.firstGarbage ?? "")
    }
}

extension HelperState {
    /// How long a program has to end in order before it is killed.
    private static let patience = 50
    private static let step = timespec(tv_sec: 0, tv_nsec: 10_000_000)

    /// Ends the program and all it started.
    ///
    /// - Parameter fault: what it did wrong; nil when it closed its output of its own accord.
    /// - Returns: what became of it.
    private func endHelper(_ fault: String?) -> String {
        var status: Int32 = -1
        var signal: Int32 = 0
        // One that closed its output is about to end: its own exit tells more than a signal of ours.
        var ended: Int32 = fault == nil ? wait(&status, &signal) : 0
        if ended == 0 {
            _ = cpower_helper_signal(&helper, SIGTERM)
            ended = wait(&status, &signal)
        }
        // Also what it has started and left behind.
        _ = cpower_helper_signal(&helper, SIGKILL)
        while ended == 0 {
            var pause = Self.step
            nanosleep(&pause, nil)
            ended = cpower_helper_ended(&helper, &status, &signal)
        }
        if let fault { return fault + ", and was ended" }
        let torn = lines.isTorn ? "; its last line was torn" : ""
        if signal != 0 { return "ended by signal \(signal)\(torn)" }
        return status >= 0 ? "ended with exit status \(status)\(torn)" : "closed its output\(torn)"
    }

    private func wait(_ status: inout Int32, _ signal: inout Int32) -> Int32 {
        for _ in 0..<Self.patience {
            let ended = cpower_helper_ended(&helper, &status, &signal)
            if ended != 0 { return ended }
            var pause = Self.step
            nanosleep(&pause, nil)
        }
        return 0
    }
}
