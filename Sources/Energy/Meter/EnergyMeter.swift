import Analysis
import Glibc

/// Measures the energy of named windows of a program, from any of its threads.
///
///     let meter = try EnergyMeter()
///     let prefill = try meter.measure("prefill") { try model.prefill(prompt) }
///     print(prefill.joules.number ?? prefill.joules.reason ?? "")
///
///     let window = meter.begin("decode")
///     ...
///     meter.end(window)
///     let decode = meter.reading(of: window)
///     meter.finish()
///
/// The sources of the machine are opened once and read by a thread of the meter's own. `begin` and `end` cost
/// the caller a clock reading, a short lock and the wake-up of that thread, which then reads the sources whose
/// devices renew their value within 10 ms (RAPL). Figures are computed when a reading is asked for, by the
/// functions that make the records of `sustain run`: counters are unwrapped, and a reset, a gap that could hide
/// a wrap or a suspend leaves the window without energy rather than with a wrong one.
///
/// **What it needs.** Permission to read the counters; without it, or on a machine that counts no energy, every
/// figure is `unavailable` with the reason and the program goes on. `capabilities` has the remedies.
///
/// **What it keeps.** Raw samples of the last minute and of the windows that are open or still to be read, at
/// most ten minutes or 65,536 ticks of them; longer windows are added up on the way (`EnergyBook`). A window may
/// stay open for weeks. A window whose handle is gone is forgotten.
public final class EnergyMeter: Sendable {
    /// What to measure with.
    public struct Configuration: Sendable, Hashable {
        /// Where sysfs and procfs are mounted.
        public var roots: SystemRoots
        /// Which sources to use.
        public var power: PowerSelection
        /// Time between reads; at least 0.1 ms.
        public var interval: Nanoseconds
        public var limits: EnergyBook.Limits
        /// Which GPUs belong to the total.
        public var gpus: GPUSelection

        public init(
            roots: SystemRoots = SystemRoots(), power: PowerSelection = .auto,
            interval: Nanoseconds = Nanoseconds(100_000_000), limits: EnergyBook.Limits = EnergyBook.Limits(),
            gpus: GPUSelection = .allVisible
        ) {
            self.roots = roots
            self.power = power
            self.interval = interval
            self.limits = limits
            self.gpus = gpus
        }
    }

    /// Everything that was looked for, in its state, with the remedy where there is one.
    public let capabilities: [CapabilitiesLine.Row]
    /// The sources that are read.
    public let sources: [SourceLine]

    let core: MeterCore
    private let bell: SamplerBell
    private let thread: MeterThread
    /// How long a reading waits for sources that do not answer.
    private let patience: UInt64

    /// Opens the sources and starts reading them; returns once each was read.
    ///
    /// - Throws: an interval below 0.1 ms; no descriptor or thread to be had. A machine without energy sources
    ///   is no error.
    public init(_ configuration: Configuration = Configuration()) throws(Failure) {
        let probed = Probe.run(roots: configuration.roots, power: configuration.power, context: false)
        capabilities = probed.rows
        let intervals = probed.sources.map { $0.interval ?? configuration.interval }
        let slowest = max(intervals.max() ?? configuration.interval, configuration.interval)
        patience = UInt64(clamping: slowest.value) * 2 + 1_000_000_000
        let sampler = try Sampler(
            interval: configuration.interval, ringCapacity: Self.ringCapacity(intervals))
        sources = try sampler.add(probed.sources)
        bell = sampler.bell
        try sampler.start()
        core = MeterCore(
            sampler: sampler,
            book: EnergyBook(
                sources: sources, limits: configuration.limits, gpus: configuration.gpus,
                whyNone: CapabilitiesLine.whyNoEnergy(probed.rows)))
        thread = try MeterThread(core)
        waitForRead(since: Instant(nanoseconds: 0))
    }

    deinit { finish() }

    /// Room for eight seconds of ticks and for reads at marks: the meter's thread looks every second.
    private static func ringCapacity(_ intervals: [Nanoseconds]) -> Int {
        intervals.reduce(1) { $0 + Int(8_000_000_000 / max(100_000, $1.value)) + 8 * 1024 }
    }

    /// Opens a window now.
    public func begin(_ name: String) -> EnergyWindow {
        let time = Instant(nanoseconds: Clock.monotonic())
        bell.readNow()
        return EnergyWindow(name: name, begin: time, log: core.log)
    }

    /// Ends a window now; of several ends the first stands.
    public func end(_ window: EnergyWindow) {
        let time = Instant(nanoseconds: Clock.monotonic())
        bell.readNow()
        core.log.append(.end(window.id, time))
    }

    /// The energy of a window; of one that is still open, up to now.
    ///
    /// Blocks until every source was read once more: under a millisecond for RAPL, up to one interval for slow
    /// sources, and at most a second and two intervals where a device does not answer.
    public func reading(of window: EnergyWindow) -> EnergyReading {
        if let end = core.end(of: window.id) {
            waitForRead(since: end)
        } else {
            bell.readNow()
            waitForRead(since: Instant(nanoseconds: Clock.monotonic()))
        }
        guard let reading = core.reading(of: window.id) else {
            let why = Figure.unavailable("the window belongs to another meter")
            return EnergyReading(
                name: window.name, seconds: 0,
                total: Total(includes: [], excludes: [], unavailable: why.reason), joules: why, watts: why,
                sources: [])
        }
        return reading
    }

    /// Measures the energy of a piece of work. What the work throws is passed on, and there is no reading.
    public func measure<Thrown: Error>(
        _ name: String, _ work: () throws(Thrown) -> Void
    ) throws(Thrown) -> EnergyReading {
        let window = begin(name)
        do {
            try work()
        } catch {
            end(window)
            throw error
        }
        end(window)
        return reading(of: window)
    }

    /// What measuring has cost so far.
    public var cost: SamplerCost { core.cost }

    /// Ends open windows, stops reading and tells what it has cost. Readings can still be asked for; windows
    /// that begin later are without energy.
    @discardableResult public func finish() -> SamplerCost {
        let cost = core.finish()
        thread.end()
        return cost
    }

    private func waitForRead(since time: Instant) {
        let deadline = Clock.monotonic() &+ patience
        var pause = 100_000
        while !core.isReady(for: time), Clock.monotonic() < deadline {
            var time = timespec(tv_sec: 0, tv_nsec: pause)
            nanosleep(&time, nil)
            pause = min(2 * pause, 5_000_000)
        }
    }
}
