import Analysis

/// `sustain completions`: a script that teaches a shell the commands and options, made from their tables.
enum CompletionsCommand: SustainCommand {
    static let spec = CommandSpec(
        name: "completions", summary: "print a completion script for a shell", operands: "bash|zsh|fish",
        mostOperands: 1, groups: [],
        examples: [
            "source <(sustain completions bash)",
            "sustain completions zsh > ~/.zfunc/_sustain",
            "sustain completions fish > ~/.config/fish/completions/sustain.fish",
        ], operandChoices: Shell.allCases.map(\.rawValue))

    enum Shell: String, CaseIterable { case bash, zsh, fish }

    static func run(_ options: ParsedOptions) throws(Failure) -> ExitCode {
        let name = options.operands.first ?? ""
        guard let shell = Shell(rawValue: name) else {
            throw Failure(
                thing: "sustain completions\(name.isEmpty ? "" : " \(name)")",
                cause: name.isEmpty ? "names no shell" : "no such shell", remedy: "give bash, zsh or fish",
                exit: .usage)
        }
        let commands = Sustain.commands.map { $0.spec }
        switch shell {
        case .bash: try Output.result(BashCompletion.script(commands))
        case .zsh: try Output.result(ZshCompletion.script(commands))
        case .fish: try Output.result(FishCompletion.script(commands))
        }
        return .done
    }
}
