import Analysis
import CHost
import Energy

/// What can be measured on this machine, and how finely.
public enum Doctor {
    /// Looks for every source, and for `seconds` at those that tell energy.
    public static func examine(
        sysfs: String, procfs: String, power: String, seconds: Seconds
    ) throws(Failure) -> DoctorReport {
        let probed = Probe.run(
            roots: SystemRoots(sysfs: sysfs, procfs: procfs, nvml: SystemRoots.nvmlOfEnvironment),
            power: try PowerSelection(option: power))
        let (energy, context) = (
            probed.sources.filter(\.line.tellsEnergy), probed.sources.filter { !$0.line.tellsEnergy }
        )
        let look = try CounterLook.take(at: energy, for: seconds)
        return DoctorReport(
            rows: look.rows(instead: probed.rows), lines: look.lines, others: context.map(\.line),
            samples: look.samples, seconds: look.seconds)
    }
}

/// A short look at counters: read so often that their rhythm shows, within a bounded share of one core.
struct CounterLook {
    private(set) var lines: [SourceLine] = []
    private(set) var samples: [SampleLine] = []
    private(set) var seconds = 0.0
    private var helperRows: [CapabilitiesLine.Row] = []

    /// Reading may take this share of one core.
    private static let share = 0.1
    private static let shortestInterval = 500_000.0
    /// A source that takes longer to read is read as often all the same.
    private static let longestInterval = 10e9
    /// Reads in an update period that the probe knows.
    private static let readsInPeriod = 20.0
    /// A little longer than asked: what is asked for lies between the first read and the last.
    private static let margin = 0.1

    static func take(at sources: [LiveSource], for seconds: Seconds) throws(Failure) -> CounterLook {
        var look = CounterLook()
        guard !sources.isEmpty else { return look }
        let sampler = try Sampler(interval: Nanoseconds(10_000_000), ringCapacity: 1 << 16)
        look.lines = try sampler.add(sources.map { paced($0, among: sources.count) })
        try sampler.start()
        let start = Clock.now
        let end = start + Nanoseconds(Seconds(seconds.value + margin))
        while Clock.now < end {
            let error = chost_sleep_until(min(end, Clock.now + Nanoseconds(50_000_000)).nanoseconds)
            if error < 0 { throw Failure.of(code: error, "clock", "cannot wait") }
            sampler.drain { look.samples.append($0) }
        }
        _ = sampler.stop()
        sampler.drain { look.samples.append($0) }
        look.seconds = (Clock.now - start).seconds.value
        look.helperRows = sampler.helperRows
        return look
    }

    /// As often as its share of the time allows, and no oftener than its own rhythm needs.
    ///
    /// Intervals are the shortest one times powers of two, so that sources of different pace meet at every read of
    /// the slower: only counters that were read together are known to show the same energy.
    private static func paced(_ source: LiveSource, among count: Int) -> LiveSource {
        let cost = source.secondsToRead * 1e9
        let period = Double(source.line.updatePeriodNanoseconds ?? 0)
        let wanted = min(max(period / readsInPeriod, cost * Double(count) / share), longestInterval)
        var interval = shortestInterval
        while interval < wanted { interval *= 2 }
        var source = source
        source.interval = Nanoseconds(Int64(interval))
        return source
    }

    /// The probe's rows, with what became of meters' programs since.
    func rows(instead rows: [CapabilitiesLine.Row]) -> [CapabilitiesLine.Row] {
        rows.map { row in helperRows.first { $0.id == row.id } ?? row }
    }
}

extension ProbeResult {
    /// The scopes whose sum would be the energy of a run.
    var total: Total {
        let lines = sources.enumerated().map { index, source in
            var line = source.line
            line.index = index
            return line
        }
        return TotalScope(sources: lines).total
    }
}
