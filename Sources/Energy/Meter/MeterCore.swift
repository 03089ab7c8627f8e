import Analysis
import CPower
import Glibc
import Synchronization

/// What a meter's callers and its thread share: the sampler and the books, under one lock.
///
/// Unchecked Sendable: `bell` is used through atomic operations only; the rest is Sendable by itself.
final class MeterCore: @unchecked Sendable {
    private struct State {
        var sampler: Sampler
        var book: EnergyBook
        /// Set once the sampler has stopped.
        var cost: SamplerCost?
    }

    let log = WindowLog()
    private let state: Locked<State>
    private let bell: UnsafeMutablePointer<UInt32>
    private let stopping = Atomic<Bool>(false)

    private static let houseKeeping: UInt64 = 1_000_000_000

    init(sampler: sending Sampler, book: EnergyBook) {
        state = Locked(State(sampler: sampler, book: book))
        bell = .allocate(capacity: 1)
        bell.initialize(to: 0)
    }

    deinit { bell.deallocate() }

    /// The body of the meter's thread: takes the ticks out of the ring before it is full, and keeps the books
    /// within their limits.
    func run() {
        while true {
            let seen = cpower_bell_seen(bell)
            if stopping.load(ordering: .acquiring) { return }
            state.withLock { state in
                Self.absorb(&state, log)
                state.book.tidy()
            }
            _ = cpower_bell_wait(bell, seen, Int64(Clock.monotonic() &+ Self.houseKeeping))
        }
    }

    /// Lets `run` return.
    func endThread() {
        stopping.store(true, ordering: .releasing)
        cpower_bell_ring(bell)
    }

    /// Whether every source was read at or after a moment, or will never be again.
    func isReady(for time: Instant) -> Bool {
        state.withLock { state in
            Self.absorb(&state, log)
            return state.cost != nil || state.book.wasRead(since: time)
        }
    }

    func reading(of id: UInt64) -> EnergyReading? {
        state.withLock { state in
            Self.absorb(&state, log)
            return state.book.reading(of: id, now: Instant(nanoseconds: Clock.monotonic()))
        }
    }

    func end(of id: UInt64) -> Instant? {
        state.withLock { state in
            Self.absorb(&state, log)
            return state.book.end(of: id)
        }
    }

    /// Stops the sampler and ends what is open; only the first call does anything.
    func finish() -> SamplerCost {
        state.withLock { state in
            if let cost = state.cost { return cost }
            let cost = state.sampler.stop()
            Self.absorb(&state, log)
            state.book.endAll(at: Instant(nanoseconds: Clock.monotonic()))
            state.cost = cost
            return cost
        }
    }

    var cost: SamplerCost { state.withLock { $0.cost ?? $0.sampler.cost } }

    /// Ticks and windows held, for the tests of the limits.
    var held: (ticks: Int, windows: Int) {
        state.withLock { state in
            Self.absorb(&state, log)
            return (state.book.tickCount, state.book.windowCount)
        }
    }

    /// The log first: a window must be in the books before the samples about it are judged.
    private static func absorb(_ state: inout State, _ log: WindowLog) {
        for entry in log.take() {
            switch entry {
            case .begin(let id, let name, let time): state.book.begin(id, name, at: time)
            case .end(let id, let time): state.book.end(id, at: time)
            case .dropped(let id): state.book.forget(id)
            }
        }
        if state.cost == nil {
            state.book.note(slept: Clock.slept(), at: Instant(nanoseconds: Clock.monotonic()))
        }
        var arrived: [SampleLine] = []
        state.sampler.drain { arrived.append($0) }
        for sample in arrived { state.book.add(sample) }
    }
}
