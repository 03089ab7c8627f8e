/// The help of a command, laid out from its table.
enum HelpText {
    private static let width = 100
    private static let indent = 30

    static func of(_ command: CommandSpec) -> String {
        var lines = [
            "sustain \(command.name): \(command.summary)", "",
            "Usage: sustain \(command.name) [options]\(command.operands.isEmpty ? "" : " \(command.operands)")",
        ]
        for group in command.groups + [OptionGroup(title: "Help", options: [CommandSpec.help])] {
            lines += ["", "\(group.title):"]
            lines += group.options.flatMap(entry)
        }
        if !command.examples.isEmpty {
            lines += ["", "Examples:"] + command.examples.map { "  \($0)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// README, "Exit codes".
    static let exitCodes: [(codes: String, meaning: String)] = [
        ("0", "done"), ("1", "failed"), ("2", "usage"), ("3", "a gate failed"),
        ("4", "conditions or memory refused"), ("5", "engine failed"),
        ("6", "no energy source where one is required"), ("7", "inconclusive"), ("130", "interrupted"),
        ("125", "`measure` failed itself, else it ends with its command's code"),
        ("126", "command of `measure` not executable"), ("127", "command of `measure` not found"),
    ]

    static func ofProgram(_ commands: [CommandSpec]) -> String {
        var lines = [
            "sustain: joules per token and sustained throughput of an LLM build", "",
            "Usage: sustain COMMAND [options]", "", "Commands:",
        ]
        lines += commands.map { pad("  \($0.name)", to: 15) + $0.summary }
        lines += [
            "", "`sustain COMMAND --help` lists a command's options; `sustain --version` names the build.",
            "",
        ]
        let codes = exitCodes.map { "\($0.codes) \($0.meaning)" }.joined(separator: ", ")
        lines += wrap("Exit codes: \(codes).", to: width)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func entry(_ option: OptionSpec) -> [String] {
        let names = option.names.sorted { $0.count < $1.count }.joined(separator: ", ")
        let left = "  " + names + (option.value.map { " \($0)" } ?? "")
        var text = option.help
        if let fallback = option.fallback { text += " (default \(fallback))" }
        let wrapped = wrap(text, to: width - indent)
        guard left.count < indent else {
            return [left] + wrapped.map { String(repeating: " ", count: indent) + $0 }
        }
        return wrapped.enumerated().map { index, line in
            pad(index == 0 ? left : "", to: indent) + line
        }
    }

    private static func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Words in lines of at most `width` letters.
    static func wrap(_ text: String, to width: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            if lines[lines.count - 1].isEmpty {
                lines[lines.count - 1] = String(word)
            } else if lines[lines.count - 1].count + 1 + word.count <= width {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
