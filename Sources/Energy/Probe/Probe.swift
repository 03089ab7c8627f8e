import Analysis

/// What this machine can measure.
public struct ProbeResult: Sendable {
    /// Open and readable, energy first: give them to `Sampler.add`.
    public var sources: [LiveSource]
    /// One row for everything that was looked for, in its state (the record's capability table).
    public var rows: [CapabilitiesLine.Row]
    /// NVIDIA's boards, where they were asked for.
    public var gpus: [GPUDevice] = []

    /// Whether any source counts energy or gauges power.
    public var hasEnergy: Bool {
        sources.contains { $0.line.quantity == .energy || $0.line.quantity == .power }
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
        switch power {
        case .none: findings.note("power", .absent, "turned off by --power none")
        case .auto, .rapl, .hwmon, .nvml: break
        }
        if power.includesRAPL { Powercap(roots).find(into: &findings) }
        let hwmon = Hwmon(roots)
        if power.includesHwmon { hwmon.findPower(into: &findings) }
        let gpus = power.includesNvml ? Nvml(roots).find(into: &findings, context: context) : []
        if power == .auto {
            for name in ["perf", "battery"] {
                findings.note(name, .unsupported, "not supported by this version")
            }
        }
        if context {
            hwmon.findTemperatures(into: &findings)
            ThermalZones(roots).find(into: &findings)
            Processors(roots).find(into: &findings)
            SystemContext(roots).find(into: &findings)
        }
        return ProbeResult(sources: findings.sources, rows: findings.rows, gpus: gpus)
    }
}
