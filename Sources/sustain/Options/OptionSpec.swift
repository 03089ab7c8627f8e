/// One option of a command. The table of these makes parsing, help, suggestions and the checks of values.
struct OptionSpec: Sendable {
    /// Every spelling, the long name first: ["--threads", "-t"].
    let names: [String]
    /// What stands for the value in the help text ("N", "FILE"); nil for a switch.
    let value: String?
    /// The default as the help shows it, nil when there is none.
    let fallback: String?
    /// True when the option takes a comma-separated list and may be repeated.
    let isList: Bool
    let help: String
    /// The words a value can be, for completion; empty where it is free.
    var choices: [String] = []

    /// The key values are kept under: the long name without its dashes.
    var key: String { String(names[0].drop { $0 == "-" }) }

    /// What a value stands for, the same for all of its spellings: "01" and "1", of switches "1" and "on".
    func meaning(of value: String) -> String {
        switch key {
        case "model": value
        case "flash-attn": FlashAttention(value)?.rawValue ?? value
        default: Int(value).map(String.init) ?? value
        }
    }

    static func value(
        _ names: String..., placeholder: String, default fallback: String? = nil, list: Bool = false,
        help: String, choices: [String] = []
    ) -> OptionSpec {
        OptionSpec(
            names: names, value: placeholder, fallback: fallback, isList: list, help: help, choices: choices)
    }

    static func flag(_ names: String..., help: String) -> OptionSpec {
        OptionSpec(names: names, value: nil, fallback: nil, isList: false, help: help)
    }
}

/// A titled group of options in a command's help.
struct OptionGroup: Sendable {
    let title: String
    let options: [OptionSpec]
}

/// A command: its options and what its arguments are called.
struct CommandSpec: Sendable {
    let name: String
    let summary: String
    /// The operands as the usage line shows them, "" for none.
    let operands: String
    /// How many operands are accepted at most.
    let mostOperands: Int
    let groups: [OptionGroup]
    /// Shown at the end of the help.
    let examples: [String]
    /// The first operand is a command: all that follows is its own, whatever it looks like.
    var takesCommand = false
    /// The words an operand can be, for completion; empty where it is a file.
    var operandChoices: [String] = []

    var options: [OptionSpec] { groups.flatMap(\.options) + [Self.help] }

    static let help = OptionSpec.flag("--help", "-h", help: "print this help and exit")
}
