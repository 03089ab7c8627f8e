import Analysis
import Synchronization

/// The way of ticks from the sampler's thread to the run thread: one writer, one reader, no lock.
///
/// A tick is two words, the number of reads and the clock before the first, then two words a read: index,
/// delta and errno packed, and the raw value. All memory is taken at the start.
///
/// Unchecked Sendable: `words` between `tail` and `head` belong to the reader, the rest to the writer, and the
/// two move by acquire and release.
final class TickRing: @unchecked Sendable {
    private let words: UnsafeMutablePointer<UInt64>
    private let mask: UInt64
    private let head = Atomic<UInt64>(0)
    private let tail = Atomic<UInt64>(0)
    /// The writer's position, ahead of `head` while a tick is being written.
    private var cursor: UInt64 = 0
    private var tickStart: UInt64 = 0

    /// Room for at least `reads` reads of ticks of a few sources, rounded up to a power of two.
    init(reads: Int) {
        var capacity = 64
        while capacity < 1 << 24, capacity < reads * 3 { capacity *= 2 }
        words = .allocate(capacity: capacity)
        words.initialize(repeating: 0, count: capacity)
        mask = UInt64(capacity - 1)
    }

    deinit { words.deallocate() }

    // MARK: The sampler's side

    /// Whether a tick of so many reads finds room, even if it has to be split `reads` times.
    func hasRoom(reads: Int) -> Bool {
        let used = cursor &- tail.load(ordering: .acquiring)
        return mask &+ 1 &- used >= UInt64(4 * reads + 2)
    }

    /// Whether half the ring waits for the reader.
    var isHalfFull: Bool {
        (head.load(ordering: .relaxed) &- tail.load(ordering: .relaxed)) &* 2 > mask
    }

    func beginTick(at time: UInt64) {
        tickStart = cursor
        put(0)
        put(time)
    }

    func append(index: UInt32, delta: UInt32, error: Int32, value: Int64) {
        put(UInt64(index & 0xFFFF) << 48 | UInt64(UInt16(truncatingIfNeeded: error)) << 32 | UInt64(delta))
        put(UInt64(bitPattern: value))
        words[Int(tickStart & mask)] += 1
    }

    func endTick() {
        head.store(cursor, ordering: .releasing)
    }

    private func put(_ word: UInt64) {
        words[Int(cursor & mask)] = word
        cursor &+= 1
    }

    // MARK: The run thread's side

    /// Takes the oldest tick, nil when none waits.
    func take() -> SampleLine? {
        var position = tail.load(ordering: .relaxed)
        guard position != head.load(ordering: .acquiring) else { return nil }
        func next() -> UInt64 {
            defer { position &+= 1 }
            return words[Int(position & mask)]
        }
        let count = Int(next())
        var line = SampleLine(time: Instant(nanoseconds: next()), sources: [], deltas: [], values: [])
        line.sources.reserveCapacity(count)
        line.deltas.reserveCapacity(count)
        line.values.reserveCapacity(count)
        for read in 0..<count {
            let packed = next()
            let value = Int64(bitPattern: next())
            let error = Int32(packed >> 32 & 0xFFFF)
            line.sources.append(Int(packed >> 48))
            line.deltas.append(UInt32(truncatingIfNeeded: packed))
            line.values.append(error == 0 ? value : nil)
            if error != 0 { line.errors[read] = error }
        }
        tail.store(position, ordering: .releasing)
        return line
    }
}
