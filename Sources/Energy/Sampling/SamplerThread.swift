import Analysis
import CPower
import Glibc
import Synchronization

/// What the sampler's thread and its owner share. The thread holds a reference of its own, so that a thread
/// stuck in a device's read cannot outlive its memory.
///
/// Unchecked Sendable: `bell` is used through atomic operations only, everything below `MARK: thread` by the
/// thread alone, and the rest is immutable, atomic or says itself who writes.
final class SamplerState: @unchecked Sendable {
    let table = ReadTable()
    let ring: TickRing
    let eventDescriptor: Int32
    let bell: UnsafeMutablePointer<UInt32>

    let stopping = Atomic<Bool>(false)
    let markWanted = Atomic<Bool>(false)
    let finished = Atomic<Bool>(false)

    let threadCPU = Atomic<UInt64>(0)
    let ticks = Atomic<UInt64>(0)
    let missedDeadlines = Atomic<UInt64>(0)
    let worstJitter = Atomic<UInt64>(0)
    let lostTicks = Atomic<UInt64>(0)

    // MARK: thread
    private let text: UnsafeMutablePointer<CChar>
    private var epoch: UInt64 = 0
    private var lastSignal: UInt64 = 0

    init(ringCapacity: Int, eventDescriptor: Int32) {
        ring = TickRing(reads: ringCapacity)
        self.eventDescriptor = eventDescriptor
        bell = .allocate(capacity: 1)
        bell.initialize(to: 0)
        text = .allocate(capacity: sourceTextCapacity)
        text.initialize(repeating: 0, count: sourceTextCapacity)
    }

    deinit {
        _ = cpower_close(eventDescriptor)
        bell.deallocate()
        text.deallocate()
    }

    /// The body of the thread: sleeps until the next source is due or the bell rings, then reads.
    func run() {
        epoch = Clock.monotonic()
        while true {
            // Taken before looking, so that a ring in between ends the sleep at once.
            let seen = cpower_bell_seen(bell)
            if stopping.load(ordering: .acquiring) { break }
            let marked = markWanted.exchange(false, ordering: .acquiringAndReleasing)
            let now = Clock.monotonic()
            let count = table.count
            let (reads, nextDue) = select(slots: count, now: now, marked: marked)
            if reads > 0 {
                tick(slots: count, reads: reads)
                signal(now: now)
            } else {
                _ = cpower_bell_wait(bell, seen, nextDue)
            }
        }
        threadCPU.store(Clock.nanoseconds(of: CLOCK_THREAD_CPUTIME_ID), ordering: .relaxed)
        finished.store(true, ordering: .releasing)
    }

    /// Chooses what is due, moves its deadline on, and returns the number of values to read and, for when
    /// there are none, the next deadline (-1: none).
    private func select(slots count: Int, now: UInt64, marked: Bool) -> (reads: Int, nextDue: Int64) {
        var reads = 0
        var nextDue = UInt64(Int64.max)
        var lateness: UInt64 = 0
        var missed: UInt64 = 0
        for slot in 0..<count where !table.isRetired(slot) {
            let slots = table.slots
            let due = slots[slot].due
            let isDue = due <= now
            if isDue {
                let interval = slots[slot].interval
                if due != 0 {
                    lateness = max(lateness, now &- due)
                    missed = max(missed, (now &- due) / interval)
                }
                // Deadlines are whole intervals from the start: lateness never adds up, and sources of
                // different intervals meet in one tick.
                slots[slot].due = epoch &+ ((now &- epoch) / interval &+ 1) &* interval
            }
            nextDue = min(nextDue, slots[slot].due)
            let chosen = isDue || (marked && slots[slot].readAtMarks)
            slots[slot].selected = chosen
            if chosen { reads += slots[slot].fieldCount }
        }
        if missed > 0 { missedDeadlines.wrappingAdd(missed, ordering: .relaxed) }
        if lateness > worstJitter.load(ordering: .relaxed) { worstJitter.store(lateness, ordering: .relaxed) }
        return (reads, nextDue == UInt64(Int64.max) ? -1 : Int64(nextDue))
    }

    /// Reads the chosen sources into the ring.
    private func tick(slots count: Int, reads: Int) {
        guard ring.hasRoom(reads: reads) else {
            lostTicks.wrappingAdd(1, ordering: .relaxed)
            return
        }
        var previous = Clock.monotonic()
        ring.beginTick(at: previous)
        for slot in 0..<count where table.slots[slot].selected && !table.isRetired(slot) {
            let result = read(slot)
            let end = Clock.monotonic()
            put(slot: slot, result: result, delta: end &- previous)
            if end &- previous > UInt64(UInt32.max) {
                // Deltas are 32 bits wide: after so long a read the rest is a tick of its own.
                ring.endTick()
                ring.beginTick(at: end)
            }
            previous = end
        }
        ring.endTick()
        ticks.wrappingAdd(1, ordering: .relaxed)
    }

    /// What one read gave: bytes in `text`, or the value of a call; or errno.
    private struct ReadResult {
        var error: Int32 = 0
        var length = 0
        var value: Int64 = 0
    }

    private func read(_ slot: Int) -> ReadResult {
        var result = ReadResult()
        if let call = table.slots[slot].call {
            result.error = call.function(call.device, call.item, &result.value)
        } else {
            result.length = readSource(
                table.slots[slot].descriptor, isCounter: table.slots[slot].isCounter, into: text,
                capacity: sourceTextCapacity)
            if result.length < 0 { result.error = Int32(truncatingIfNeeded: -result.length) }
        }
        return result
    }

    /// Parses the fields out of what was read and appends their values.
    private func put(slot: Int, result: ReadResult, delta: UInt64) {
        let isCall = table.slots[slot].call != nil
        let first = table.slots[slot].firstField
        for field in first..<(first + table.slots[slot].fieldCount) {
            var value = result.value
            var error = delta > UInt64(UInt32.max) ? ETIMEDOUT : result.error
            if error == 0, !isCall {
                error = cpower_field_parse(text, result.length, table.fields + field, &value)
            }
            let width = field == first ? UInt32(min(delta, UInt64(UInt32.max))) : 0
            ring.append(index: UInt32(field), delta: width, error: error, value: value)
        }
    }

    /// Wakes the run thread, at most four times a second unless the ring fills up.
    private func signal(now: UInt64) {
        guard now &- lastSignal >= 250_000_000 || ring.isHalfFull else { return }
        lastSignal = now
        _ = cpower_event_raise(eventDescriptor)
    }
}
