/// The completion script of zsh: a file of `fpath`, or to be sourced after compinit.
///
/// Its variables are not called `command` and `commands`: zsh's own functions read those.
enum ZshCompletion {
    static func script(_ commands: [CommandSpec]) -> String {
        let names = commands.map { "        '\($0.name):\(escaped($0.summary))'" }.joined(separator: "\n")
        return """
            #compdef sustain
            # zsh completion of sustain, made by `sustain completions zsh`
            _sustain() {
                local -a subcommands=(
            \(names)
                )
                if (( CURRENT == 2 )); then
                    _describe -t subcommands command subcommands
                    _arguments '(- *)--help[print the commands]' '(- *)--version[name the build]'
                    return
                fi
                local subcommand=$words[2]
                shift words
                (( CURRENT-- ))
                case $subcommand in
            \(commands.map(body).joined())    esac
            }
            if [[ $funcstack[1] == _sustain ]]; then
                _sustain "$@"
            else
                compdef _sustain sustain
            fi

            """
    }

    private static func body(_ command: CommandSpec) -> String {
        var specs = command.options.map(entry)
        switch command.completion {
        case .words(let words): specs.append("':operand:(\(words.joined(separator: " ")))'")
        case .programs: specs += ["'(-)1:command:_command_names -e'", "'*::arguments:_normal'"]
        case .files: specs.append("'*:file:_files'")
        case .directories: specs.append("'*:directory:_files -/'")
        case .nothing: break
        }
        let list = specs.map { " \\\n            " + $0 }.joined()
        return "    \(command.name))\n        _arguments -S\(list) ;;\n".split(separator: "\n").map {
            "    \($0)\n"
        }
        .joined()
    }

    private static func entry(_ option: OptionSpec) -> String {
        let many = option.isList || option.key == "env"
        let names = option.names.map { name in
            option.value != nil && name.hasPrefix("--") ? name + "=" : name
        }
        let head =
            (many ? "'*'" : "'(\(option.names.joined(separator: " ")))'")
            + (names.count > 1 ? "{\(names.joined(separator: ","))}" : names.joined())
        let help = "'[\(escaped(option.help))]"
        guard let kind = option.completion, let value = option.value else { return head + help + "'" }
        let action =
            switch kind {
            case .words(let words): "(\(words.map { $0.replacing(":", with: "\\:") }.joined(separator: " ")))"
            case .files: "_files"
            case .directories: "_files -/"
            case .programs: "_command_names -e"
            case .nothing: ""
            }
        return head + help + ":\(escaped(value)):\(action)'"
    }

    /// Within single quotes, in a place where brackets and colons have a meaning.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "'": result += "'\\''"
            case "[", "]", ":", "\\": result += "\\" + String(character)
            default: result.append(character)
            }
        }
        return result
    }
}
