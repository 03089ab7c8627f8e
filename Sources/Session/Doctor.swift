import Analysis
import Energy

/// What can be measured on this machine.
public struct Doctor: Sendable {
    /// Every source that was looked for, in its state, with the remedy.
    public let rows: [CapabilitiesLine.Row]
    /// What a run here would add up.
    public let total: Total

    public static func examine(sysfs: String, procfs: String, power: String) throws(Failure) -> Doctor {
        let probed = Probe.run(
            roots: SystemRoots(sysfs: sysfs, procfs: procfs, nvml: SystemRoots.nvmlOfEnvironment),
            power: try PowerSelection(option: power))
        return Doctor(rows: probed.rows, total: probed.total)
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
