import Analysis

/// What this machine can measure.
public struct ProbeResult: Sendable {
    /// Open and readable, energy first: give them to `Sampler.add`.
    public var sources: [LiveSource]
    /// One row for everything that was looked for, in its state (the record's capability table).
    public var rows: [CapabilitiesLine.Row]
    /// NVIDIA's boards, where they were asked for.
    public var gpus: [GPUDevice] = []
    /// Why the meter's program that was asked for tells nothing; nil where it does, or none was.
    public var meterFailure: Failure?

    /// Whether any source counts energy or gauges power.
    public var hasEnergy: Bool {
        sources.contains(where: \.line.tellsEnergy)
    }

    /// What the user can do, each thing once, in the order of the rows.
    public var remedies: [String] {
        var seen: Set<String> = []
        return rows.compactMap(\.remedy).filter { seen.insert($0).inserted }
    }
}

/// Looks for sources. Nothing it meets is an error: each source ends in one state, and one that is broken
/// never hides another.
public enum Probe {
    /// - Parameter context: whether to look for what only explains figures: temperatures, clocks, load.
    public static func run(
        roots: SystemRoots, power: PowerSelection, context: Bool = true
    ) -> ProbeResult {
        var findings = Findings()
        if power == .none { findings.note("power", .absent, "turned off by --power none") }
        if let log = power.log {
            // It may well be written only during the run: whether it is there is known after it.
            let isThere = (try? SourceFile.open(log.path)) != nil
            findings.note(
                log.id, isThere ? .ok : .absent,
                isThere ? "read after the run" : "not there yet: read after the run")
        }
        var meterFailure: Failure?
        if case .exec(let words) = power { meterFailure = addHelper(words, into: &findings) }
        if power.includesRAPL { Powercap(roots).find(into: &findings) }
        if power.includesPerf { PerfEnergy(roots).find(into: &findings) }
        let hwmon = Hwmon(roots)
        if power.includesHwmon { hwmon.findPower(into: &findings) }
        let gpus = power.includesNvml ? Nvml(roots).find(into: &findings, context: context) : []
        Batteries(roots).find(energy: power.includesBattery, into: &findings)
        if context {
            hwmon.findTemperatures(into: &findings)
            ThermalZones(roots).find(into: &findings)
            Processors(roots).find(into: &findings)
            RaspberryPi(roots).find(into: &findings)
            SystemContext(roots).find(into: &findings)
        }
        var result = ProbeResult(
            sources: findings.sources, rows: findings.rows, gpus: gpus, meterFailure: meterFailure)
        ReadPace.setTold(&result.sources)
        return result
    }

    /// A program that tells nothing is a row like any other source that cannot be used; returns why it is.
    private static func addHelper(_ words: [String], into findings: inout Findings) -> Failure? {
        do {
            let helper = try HelperProgram.start(words)
            findings.add(LiveSource(helper), remark: helper.row.reason)
            return nil
        } catch {
            let name = words.first?.split(separator: "/").last.map(String.init) ?? ""
            findings.note(
                "exec:\(identifier(name) ?? "program")", .dead, "\(error.thing): \(error.cause)",
                remedy: error.remedy)
            return error
        }
    }
}
