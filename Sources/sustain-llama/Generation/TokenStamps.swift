/// The tokens of one generation and when each came: memory taken and touched before the prompt is submitted,
/// sent in batches, because a write per token costs 2 to 4 % at 2,400 tokens a second.
struct TokenStamps {
    /// Longest time between two batches while tokens come, for the live display.
    private static let flushNanoseconds: UInt64 = 250_000_000

    private let stamps: UnsafeMutableBufferPointer<UInt64>
    private let ids: UnsafeMutableBufferPointer<Int32>
    private let cycle: Int
    private let stream: Int
    private(set) var count = 0
    private var sent = 0
    private var lastFlush: UInt64 = 0

    init(capacity: Int, cycle: Int, stream: Int) {
        stamps = .allocate(capacity: capacity)
        stamps.initialize(repeating: 0)
        ids = .allocate(capacity: capacity)
        ids.initialize(repeating: 0)
        self.cycle = cycle
        self.stream = stream
    }

    func deallocate() {
        stamps.deallocate()
        ids.deallocate()
    }

    var last: UInt64? { count > 0 ? stamps[count - 1] : nil }
    var generated: UnsafeBufferPointer<Int32> { UnsafeBufferPointer(rebasing: ids[..<count]) }

    /// - Parameter now: CLOCK_MONOTONIC nanoseconds.
    mutating func add(_ token: Int32, at now: UInt64) {
        stamps[count] = now
        ids[count] = token
        count += 1
    }

    mutating func flushIfDue(to channel: EventChannel) {
        guard let last else { return }
        // The first token begins the first interval: it has a mark of its own.
        if lastFlush == 0 { lastFlush = last }
        if last - lastFlush >= Self.flushNanoseconds { flush(to: channel) }
    }

    mutating func flush(to channel: EventChannel) {
        guard sent < count else { return }
        channel.tokens(
            cycle: cycle, stream: stream, first: sent,
            stamps: UnsafeBufferPointer(rebasing: stamps[sent..<count]))
        lastFlush = stamps[count - 1]
        sent = count
    }
}
