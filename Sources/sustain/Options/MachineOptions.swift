/// Options of every command that reads the machine.
enum MachineOptions {
    /// Which energy sources to use (`PowerSelection`).
    static let power = OptionSpec.value(
        "--power", placeholder: "WHAT", default: "auto",
        help: "energy sources: auto, rapl, perf, hwmon, nvml, battery, csv:FILE, exec:CMD or none",
        choices: ["auto", "rapl", "perf", "hwmon", "nvml", "battery", "csv:", "exec:", "none"])

    /// Where sysfs and procfs are mounted.
    static let roots: [OptionSpec] = [
        .value("--path.sysfs", placeholder: "DIR", default: "/sys", help: "root of sysfs"),
        .value("--path.procfs", placeholder: "DIR", default: "/proc", help: "root of procfs"),
    ]
}
