/// The completion script of fish.
enum FishCompletion {
    static func script(_ commands: [CommandSpec]) -> String {
        var lines = [
            "# fish completion of sustain, made by `sustain completions fish`",
            "complete -c sustain -f",
            "complete -c sustain -n __fish_use_subcommand -l help -d 'print the commands'",
            "complete -c sustain -n __fish_use_subcommand -l version -d 'name the build'",
        ]
        for command in commands {
            lines.append(
                "complete -c sustain -n __fish_use_subcommand -a \(command.name) -d \(quoted(command.summary))"
            )
        }
        for command in commands {
            let within = "complete -c sustain -n '__fish_seen_subcommand_from \(command.name)'"
            for option in command.options {
                let kind = option.completion.map { " " + value($0) } ?? ""
                lines.append("\(within)\(names(option))\(kind) -d \(quoted(option.help))")
            }
            switch command.completion {
            case .words(let words): lines.append("\(within) -a \(quoted(words.joined(separator: " ")))")
            case .files, .directories: lines.append("\(within) -F")
            case .programs: lines.append("\(within) -a '(__fish_complete_subcommand --fcs-skip=2)'")
            case .nothing: break
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Long names, single letters, and llama-bench's words after one dash.
    private static func names(_ option: OptionSpec) -> String {
        option.names.map { name in
            if name.hasPrefix("--") { return " -l \(name.dropFirst(2))" }
            return name.count == 2 ? " -s \(name.dropFirst())" : " -o \(name.dropFirst())"
        }.joined()
    }

    private static func value(_ kind: CompletionKind) -> String {
        switch kind {
        case .words(let words): "-x -a \(quoted(words.joined(separator: " ")))"
        case .files: "-r -F"
        case .directories: "-x -a '(__fish_complete_directories)'"
        case .programs: "-x -a '(__fish_complete_command)'"
        case .nothing: "-x"
        }
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
