import Analysis
import Session

/// `sustain manual`: the man page, made from the tables of commands and options.
enum ManualCommand: SustainCommand {
    static let spec = CommandSpec(
        name: "manual", summary: "print the manual page (roff)", operands: "", mostOperands: 0, groups: [],
        examples: ["sustain manual > sustain.1 && man -l sustain.1"])

    static func run(_ options: ParsedOptions) throws(Failure) -> ExitCode {
        try Output.result(
            ManualPage.text(Sustain.commands.map { $0.spec }, version: ToolBuild.current.version))
        return .done
    }
}
