import Analysis

/// The options and operands a command was given, by the keys of its table.
struct ParsedOptions: Sendable {
    let command: CommandSpec
    fileprivate(set) var values: [String: [String]] = [:]
    fileprivate(set) var operands: [String] = []

    func isSet(_ key: String) -> Bool { values[key] != nil }

    /// The last value given, or the table's default.
    func text(_ key: String) -> String? {
        values[key]?.last ?? command.options.first { $0.key == key }?.fallback
    }

    /// The same with other values for one option; nil as if it had not been given.
    func with(_ key: String, _ values: [String]?) -> ParsedOptions {
        var changed = self
        changed.values[key] = values
        return changed
    }

    /// Every value of a list option, in order, or the table's default as a list of one.
    func list(_ key: String) -> [String] {
        values[key] ?? command.options.first { $0.key == key }?.fallback.map { [$0] } ?? []
    }

    /// The same options with one value in the place of a list.
    func taking(_ value: String, of key: String) -> ParsedOptions {
        var taken = self
        taken.values[key] = [value]
        return taken
    }
}

/// Parses a command's arguments against its table.
enum OptionParser {
    /// - Throws: a usage `Failure` (exit 2) that names the option, what is wrong with it and the nearest
    ///   option there is.
    static func parse(_ arguments: [String], for command: CommandSpec) throws(Failure) -> ParsedOptions {
        var parsed = ParsedOptions(command: command)
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                parsed.operands += rest
                break
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                parsed.operands.append(argument)
                guard command.takesCommand else { continue }
                parsed.operands += rest
                break
            }
            let (name, attached) = split(argument)
            guard let option = command.options.first(where: { $0.names.contains(name) }) else {
                throw unknown(name, in: command)
            }
            try take(option, spelled: name, attached: attached, from: &rest, into: &parsed)
        }
        if parsed.operands.count > command.mostOperands {
            throw Failure(
                thing: parsed.operands[command.mostOperands],
                cause: command.mostOperands == 0
                    ? "`sustain \(command.name)` takes no operand"
                    : "more operands than `sustain \(command.name)` takes (\(command.mostOperands))",
                remedy: "see `sustain \(command.name) --help`", exit: .usage)
        }
        return parsed
    }

    /// Whether the help is asked for, also where the rest makes no sense; after a command `--help` is its own.
    static func asksForHelp(_ arguments: [String], for command: CommandSpec) -> Bool {
        if command.takesCommand {
            return (try? parse(arguments, for: command))?.isSet(CommandSpec.help.key) ?? false
        }
        return arguments.prefix { $0 != "--" }.contains(where: CommandSpec.help.names.contains)
    }

    /// "--name=value" in its two parts.
    private static func split(_ argument: String) -> (name: String, attached: String?) {
        guard argument.hasPrefix("--"), let sign = argument.firstIndex(of: "=") else {
            return (argument, nil)
        }
        return (String(argument[..<sign]), String(argument[argument.index(after: sign)...]))
    }

    private static func take(
        _ option: OptionSpec, spelled name: String, attached: String?, from rest: inout ArraySlice<String>,
        into parsed: inout ParsedOptions
    ) throws(Failure) {
        guard let placeholder = option.value else {
            if attached != nil { throw Failure(thing: name, cause: "takes no value", exit: .usage) }
            parsed.values[option.key] = ["true"]
            return
        }
        let known = Set(parsed.command.options.flatMap(\.names))
        if attached == nil, rest.first.map(known.contains) ?? true {
            throw Failure(thing: name, cause: "needs a value (\(placeholder))", exit: .usage)
        }
        let value = attached ?? rest.removeFirst()
        guard option.isList else {
            parsed.values[option.key, default: []].append(value)
            return
        }
        let parts = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if parts.contains(where: \.isEmpty) {
            throw Failure(thing: "\(name) \(value)", cause: "a list has an empty element", exit: .usage)
        }
        parsed.values[option.key, default: []] += parts
    }

    private static func unknown(_ name: String, in command: CommandSpec) -> Failure {
        let near = Suggestion.nearest(to: name, among: command.options.flatMap(\.names))
        return Failure(
            thing: name, cause: "no such option of `sustain \(command.name)`",
            remedy: near.map { "did you mean \($0)?" } ?? "see `sustain \(command.name) --help`", exit: .usage
        )
    }
}
