import Analysis
import CPower
import Glibc
import Synchronization

/// Reads sources on a thread of its own, at absolute deadlines, into a ring that the run thread drains.
///
/// The sampling path takes no lock and allocates nothing; a sensor that stalls delays the other sensors but
/// never the run thread. All methods are for one thread, the run thread.
public final class Sampler {
    private let state: SamplerState
    private let interval: UInt64
    private var thread: pthread_t?
    private var startTime: UInt64 = 0
    private var startProcessCPU: UInt64 = 0
    private var helpers: [HelperProgram] = []
    private var toldFailures: Set<String> = []

    /// 0.1 ms: below that the thread would do little else.
    private static let shortestInterval: Int64 = 100_000

    /// Readable (eventfd(2)) when ticks wait, raised at most four times a second. For ppoll; `drain` clears it.
    public var eventDescriptor: Int32 { state.eventDescriptor }

    /// - Parameters:
    ///   - interval: time between ticks of sources without an interval of their own; at least 0.1 ms.
    ///   - ringCapacity: reads (values) that can wait for `drain`. 16,384 are 30 s of 50 sources at 10 Hz.
    public init(interval: Nanoseconds, ringCapacity: Int = 16_384) throws(Failure) {
        guard interval.value >= Self.shortestInterval else {
            throw Failure(
                thing: "sampling interval", cause: "\(interval.value) ns is below 0.1 ms", exit: .usage)
        }
        let descriptor = cpower_event_open()
        guard descriptor >= 0 else {
            throw Failure(thing: "eventfd", cause: errnoText(-descriptor), errno: -descriptor)
        }
        self.interval = UInt64(interval.value)
        state = SamplerState(ringCapacity: ringCapacity, eventDescriptor: descriptor)
    }

    deinit {
        for helper in helpers { helper.stop() }
        if thread != nil { _ = stop() }
    }

    /// Adds sources, also while the sampler runs: they are read at once, then at their interval.
    ///
    /// Returns their lines with index and interval set, in the same order; write them to the trace before the
    /// next `drain`. Neighbours that hold the same file and interval are read in one pread.
    public func add(_ sources: [LiveSource]) throws(Failure) -> [SourceLine] {
        let first = state.table.sourceCount
        guard first + sources.count <= ReadTable.capacity else {
            throw Failure(
                thing: "sampler", cause: "\(first + sources.count) sources are over \(ReadTable.capacity)")
        }
        let intervals = sources.map { source -> UInt64 in
            if case .helper = source.reading { return 0 }
            let wanted = source.interval.map { UInt64(max($0.value, Self.shortestInterval)) } ?? interval
            return min(wanted, source.longestInterval.map { UInt64(max($0.value, 1)) } ?? wanted)
        }
        state.table.append(sources, intervals: intervals)
        cpower_bell_ring(state.bell)
        for (offset, source) in sources.enumerated() {
            guard case .helper(let helper) = source.reading else { continue }
            helpers.append(helper)
            helper.begin(index: first + offset, eventDescriptor: eventDescriptor)
        }
        return zip(sources.indices, sources).map { offset, source in
            var line = source.line
            line.index = first + offset
            line.intervalNanoseconds = Int64(intervals[offset])
            return line
        }
    }

    /// Stops the reading of sources for good: those of a worker that is gone. A tick may still follow.
    public func retire(_ lines: [SourceLine]) {
        for line in lines { state.table.retire(source: line.index) }
    }

    /// Starts the thread, with all signals blocked. Only once.
    public func start() throws(Failure) {
        guard thread == nil, startTime == 0 else {
            throw Failure(thing: "sampler", cause: "started twice")
        }
        startTime = Clock.monotonic()
        startProcessCPU = Clock.nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID)
        thread = try startQuietThread("sampler thread") { [state] in state.run() }
    }

    /// Asks for a read of every source whose device renews its value at least every 10 ms, as near to now as
    /// the scheduler allows: a mark has arrived. Costs the caller one futex wake.
    public func readNow() { bell.readNow() }

    /// The same for other threads.
    var bell: SamplerBell { SamplerBell(state: state) }

    /// Hands over the ticks that wait, oldest first, and clears the event descriptor. What a meter's program
    /// told comes after them, in ticks of its own.
    public func drain(_ body: (SampleLine) -> Void) {
        // EAGAIN says that it was not raised; ticks may wait all the same.
        _ = cpower_event_clear(eventDescriptor)
        while let line = state.ring.take() { body(line) }
        for helper in helpers { helper.drain(body) }
    }

    /// The meters' programs as they are now: a row for the capability table each.
    public var helperRows: [CapabilitiesLine.Row] { helpers.map(\.row) }

    /// What went wrong with a meter's program since the last call, in words.
    public func takeHelperFailures() -> [String] {
        helpers.compactMap { helper in
            guard let failure = helper.failure, toldFailures.insert(helper.id).inserted else { return nil }
            return "\(helper.id): \(failure)"
        }
    }

    /// What sampling has cost so far.
    public var cost: SamplerCost {
        let cpu: UInt64
        if let thread, !state.finished.load(ordering: .acquiring) {
            var clock = clockid_t()
            cpu = pthread_getcpuclockid(thread, &clock) == 0 ? Clock.nanoseconds(of: clock) : 0
        } else {
            cpu = state.threadCPU.load(ordering: .relaxed)
        }
        let started = startTime != 0
        return SamplerCost(
            overhead: OverheadLine(
                samplerCPUNanoseconds: cpu,
                processCPUNanoseconds: started
                    ? Clock.nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) &- startProcessCPU : 0,
                wallNanoseconds: started ? Clock.monotonic() &- startTime : 0,
                ticks: state.ticks.load(ordering: .relaxed),
                missedDeadlines: state.missedDeadlines.load(ordering: .relaxed),
                worstJitterNanoseconds: state.worstJitter.load(ordering: .relaxed),
                lostTicks: state.lostTicks.load(ordering: .relaxed),
                // Not ru_maxrss: it survives exec and so would tell of the shell that started us.
                peakRSSBytes: ProcessMemory.read(getpid()).value?["peak_rss"]),
            isStalled: false)
    }

    /// Ends the thread and returns the cost; ticks that wait can still be drained.
    ///
    /// Waits for a read in progress, but at most `patience`: a stalled device must not hold up Ctrl-C.
    public func stop(patience: Nanoseconds = Nanoseconds(1_000_000_000)) -> SamplerCost {
        for helper in helpers { helper.stop() }
        guard let thread else { return cost }
        state.stopping.store(true, ordering: .releasing)
        cpower_bell_ring(state.bell)
        let deadline = Clock.monotonic() &+ UInt64(max(patience.value, 0))
        while !state.finished.load(ordering: .acquiring), Clock.monotonic() < deadline {
            var pause = timespec(tv_sec: 0, tv_nsec: 200_000)
            nanosleep(&pause, nil)
        }
        var result = cost
        if state.finished.load(ordering: .acquiring) {
            pthread_join(thread, nil)
        } else {
            result.isStalled = true
            pthread_detach(thread)
        }
        self.thread = nil
        return result
    }
}

/// Asks a sampler for a read at a mark, from any thread.
struct SamplerBell: Sendable {
    fileprivate let state: SamplerState

    func readNow() {
        state.markWanted.store(true, ordering: .releasing)
        cpower_bell_ring(state.bell)
    }
}
