/// What a shell should offer for a value.
enum CompletionKind: Equatable {
    case words([String])
    case files
    case directories
    /// Names of programs.
    case programs
    /// A number or a text of the user's own.
    case nothing
}

extension OptionSpec {
    /// nil for a switch.
    var completion: CompletionKind? {
        guard let value else { return nil }
        if !choices.isEmpty { return .words(choices) }
        return switch value {
        case "FILE": .files
        case "DIR": .directories
        case "CMD": .programs
        default: .nothing
        }
    }
}

extension CommandSpec {
    /// For its operands.
    var completion: CompletionKind {
        if takesCommand { return .programs }
        if !operandChoices.isEmpty { return .words(operandChoices) }
        return mostOperands > 0 ? .files : .nothing
    }
}
