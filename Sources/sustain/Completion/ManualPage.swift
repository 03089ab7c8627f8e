/// The manual page in the man macros of roff (man(7)).
enum ManualPage {
    /// Of the text: a page without a date is one that formatters complain of.
    private static let date = "2026-11-30"

    static func text(_ commands: [CommandSpec], version: String) -> String {
        var lines = [
            ".TH SUSTAIN 1 \(date) \"sustain \(escaped(version))\" \"User Commands\"",
            ".SH NAME",
            "sustain \\- joules per token and sustained throughput of an LLM build",
            ".SH SYNOPSIS",
        ]
        for command in commands {
            lines += [
                ".B sustain \(escaped(command.name))",
                "[options]" + (command.operands.isEmpty ? "" : " " + escaped(command.operands)), ".br",
            ]
        }
        lines.removeLast()
        lines += [".SH DESCRIPTION"] + description
        for command in commands { lines += section(command) }
        lines.append(".SH EXIT STATUS")
        for entry in HelpText.exitCodes { lines += [".TP", ".B \(entry.codes)"] + text(entry.meaning) }
        lines += [".SH FILES"]
        for (name, what) in files { lines += [".TP", ".I \(escaped(name))"] + text(what) }
        lines += [".SH ENVIRONMENT"]
        for (name, what) in variables { lines += [".TP", ".B \(escaped(name))"] + text(what) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let description =
        text(
            "sustain drives an inference engine, reads the machine's energy counters while it works, and tells "
                + "joules per token, how fast the build starts, how fast it still is after ten minutes, and how "
                + "sure each number is. What could not be measured is unavailable, with its reason, never 0.")
        + [".PP"] + text("Standard output is the result; progress and notes go to standard error.")

    private static let files = [
        ("reports/RUN/trace.jsonl", "everything raw: counters as they were read, marks, token stamps"),
        ("reports/RUN/run.json", "the record, made from the trace; `sustain analyze RUN` makes it anew"),
    ]

    private static let variables = [
        ("SUSTAIN_LIBEXEC", "where the engines' workers are, instead of beside the program"),
        ("SUSTAIN_NVML", "another file for NVIDIA's library libnvidia-ml.so.1"),
    ]

    private static func section(_ command: CommandSpec) -> [String] {
        var lines = [".SH SUSTAIN \(escaped(command.name.uppercased()))"] + text(command.summary)
        for group in command.groups + [OptionGroup(title: "Help", options: [CommandSpec.help])] {
            lines.append(".SS \(escaped(group.title))")
            for option in group.options { lines += entry(option) }
        }
        guard !command.examples.isEmpty else { return lines }
        return lines + [".SS Examples", ".nf"] + command.examples.map(escaped) + [".fi"]
    }

    private static func entry(_ option: OptionSpec) -> [String] {
        let names = option.names.map { "\\fB\(escaped($0))\\fR" }.joined(separator: ", ")
        let value = option.value.map { " \\fI\(escaped($0))\\fR" } ?? ""
        let fallback = option.fallback.map { " (default \($0))" } ?? ""
        return [".TP", names + value] + text(option.help + fallback)
    }

    /// Text in short lines, as formatters like their input: one that begins like a request is none.
    private static func text(_ text: String) -> [String] {
        HelpText.wrap(text, to: 72).map { line in
            let safe = escaped(line)
            return safe.hasPrefix(".") || safe.hasPrefix("'") ? "\\&" + safe : safe
        }
    }

    /// A hyphen is set as the character that can be typed again.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    }
}
