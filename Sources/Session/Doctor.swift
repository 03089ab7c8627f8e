import Analysis
import Energy

/// What can be measured on this machine.
public struct Doctor: Sendable {
    /// Every source that was looked for, in its state, with the remedy.
    public let rows: [CapabilitiesLine.Row]
    /// What a run here would add up.
    public let total: Total

    public static func examine(sysfs: String, procfs: String, power: String) throws(Failure) -> Doctor {
        let probed = try Probe.run(
            roots: SystemRoots(sysfs: sysfs, procfs: procfs), power: try PowerSelection(power))
        let total = TotalScope.choose(probed.sources.map(\.line), engineDevices: [])
        return Doctor(rows: probed.rows, total: total.record)
    }
}
