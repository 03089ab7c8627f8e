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
                    MachineOptions.power,
                    .value(
                        "--seconds", placeholder: "S", default: "2",
                        help: "how long to look at the counters; slow ones need more"),
                    .flag("--json", help: "print a document (docs/doctor.schema.json) instead of the table"),
                ] + MachineOptions.roots)
        ],
        examples: ["sustain doctor", "sustain doctor --seconds 20 --json"])

    static func run(_ options: ParsedOptions) throws(Failure) -> ExitCode {
        let report = try Doctor.examine(
            sysfs: options.text("path.sysfs") ?? "/sys", procfs: options.text("path.procfs") ?? "/proc",
            power: options.text("power") ?? "auto",
            seconds: try options.seconds("seconds", in: 0.1...120) ?? Seconds(2))
        guard options.isSet("json") else {
            try Output.result(CapabilityTable.text(report))
            return .done
        }
        do {
            try Output.result(try CanonicalJSON.document(report))
        } catch {
            throw error as? Failure ?? Failure(thing: "sustain doctor", cause: "cannot be encoded: \(error)")
        }
        return .done
    }
}
