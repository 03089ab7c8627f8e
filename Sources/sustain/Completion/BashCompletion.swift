/// The completion script of bash; it needs no package of completions beside it.
enum BashCompletion {
    static func script(_ commands: [CommandSpec]) -> String {
        """
        # bash completion of sustain, made by `sustain completions bash`
        _sustain() {
            local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} options= at
            COMPREPLY=()
            # bash parts --name=value into three words.
            if [[ $cur == "=" ]]; then
                cur=
            elif [[ $prev == "=" ]]; then
                prev=${COMP_WORDS[COMP_CWORD - 2]}
            fi
            if (( COMP_CWORD == 1 )); then
                COMPREPLY=( $(compgen -W \(quoted(commands.map(\.name) + ["--help", "--version"])) -- "$cur") )
                return
            fi
            case ${COMP_WORDS[1]} in
        \(commands.map(body).joined())    esac
        }
        complete -o bashdefault -o default -F _sustain sustain

        """
    }

    private static func body(_ command: CommandSpec) -> String {
        let options = command.options
        var lines = ["    \(command.name))"]
        if command.takesCommand { lines += pastCommand(options) }
        lines.append("        case $prev in")
        for option in options {
            guard let kind = option.completion else { continue }
            lines.append("            \(option.names.joined(separator: "|"))) \(reply(kind)) return ;;")
        }
        lines += [
            "        esac",
            "        if [[ $cur == -* ]]; then",
            "            COMPREPLY=( $(compgen -W \(quoted(options.flatMap(\.names))) -- \"$cur\") )",
            "        else",
            "            \(reply(command.completion))",
            "        fi ;;",
        ]
        return lines.map { "    " + $0 + "\n" }.joined()
    }

    /// After the command that is measured all words are its own.
    private static func pastCommand(_ options: [OptionSpec]) -> [String] {
        let taking = options.filter { $0.value != nil }.flatMap(\.names).joined(separator: "|")
        return [
            "        for (( at = 2; at < COMP_CWORD; at++ )); do",
            "            case ${COMP_WORDS[at]} in",
            "                --) (( at + 1 < COMP_CWORD )) && return; break ;;",
            "                \(taking)) (( at++ )) ;;",
            "                -*|=) ;;",
            "                *) [[ ${COMP_WORDS[at - 1]} == \"=\" ]] || return ;;",
            "            esac",
            "        done",
        ]
    }

    /// A command that fills COMPREPLY.
    private static func reply(_ kind: CompletionKind) -> String {
        let words =
            switch kind {
            case .words(let words): "-W \(quoted(words))"
            case .files: "-f"
            case .directories: "-d"
            case .programs: "-c"
            case .nothing: "-W ''"
            }
        return "COMPREPLY=( $(compgen \(words) -- \"$cur\") );"
    }

    private static func quoted(_ words: [String]) -> String { "'\(words.joined(separator: " "))'" }
}
