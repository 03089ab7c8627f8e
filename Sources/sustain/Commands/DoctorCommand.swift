import Analysis
import Reports
import Session

/// `sustain doctor`: what can be measured on this machine, and what would make more of it measurable.
enum DoctorCommand: SustainCommand {
    static let spec = CommandSpec(
        name: "doctor", summary: "list the sources of this machine, their state and the remedy", operands: "",
        mostOperands: 0,
        groups: [
            OptionGroup(
                title: "Options",
                options: [
                    .value(
                        "--power", placeholder: "WHAT", default: "auto",
                        help: "energy sources: auto, rapl, hwmon, nvml or none"),
                    .value("--path.sysfs", placeholder: "DIR", default: "/sys", help: "root of sysfs"),
                    .value("--path.procfs", placeholder: "DIR", default: "/proc", help: "root of procfs"),
                ])
        ],
        examples: ["sustain doctor"])

    static func run(_ options: ParsedOptions) throws(Failure) -> ExitCode {
        let doctor = try Doctor.examine(
            sysfs: options.text("path.sysfs") ?? "/sys", procfs: options.text("path.procfs") ?? "/proc",
            power: options.text("power") ?? "auto")
        try Output.result(CapabilityTable.text(rows: doctor.rows, total: doctor.total))
        return .done
    }
}
