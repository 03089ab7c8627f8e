import Analysis
import Glibc
import Session

/// The command line: picks the command, runs it, turns failures into messages and exit codes.
@main
enum Sustain {
    static let commands: [any SustainCommand.Type] = [
        RunCommand.self, CompareCommand.self, ReportCommand.self, AnalyzeCommand.self, MeasureCommand.self,
        DoctorCommand.self,
        FitCommand.self,
        CompletionsCommand.self, ManualCommand.self,
    ]

    static func main() {
        ClosedPipes.areErrors()
        do {
            exit(try run(Array(CommandLine.arguments.dropFirst())).rawValue)
        } catch {
            Output.error(error)
            exit(error.exit.rawValue)
        }
    }

    static func run(_ arguments: [String]) throws(Failure) -> ExitCode {
        guard let name = arguments.first else {
            try Output.result(HelpText.ofProgram(commands.map { $0.spec }))
            return .usage
        }
        switch name {
        case "--help", "-h", "help":
            try Output.result(HelpText.ofProgram(commands.map { $0.spec }))
            return .done
        case "--version":
            try Output.result(versionText)
            return .done
        default: break
        }
        guard let command = commands.first(where: { $0.spec.name == name }) else {
            let near = Suggestion.nearest(to: name, among: commands.map { $0.spec.name })
            throw Failure(
                thing: name, cause: "no such command",
                remedy: near.map { "did you mean `sustain \($0)`?" } ?? "see `sustain --help`", exit: .usage)
        }
        let rest = Array(arguments.dropFirst())
        if OptionParser.asksForHelp(rest, for: command.spec) {
            try Output.result(HelpText.of(command.spec))
            return .done
        }
        return try command.run(try OptionParser.parse(rest, for: command.spec))
    }

    private static var versionText: String {
        let tool = ToolBuild.current
        let engine = ToolBuild.llamaVersion.map { "llama.cpp \($0)" } ?? "without llama.cpp"
        return "sustain \(tool.version) (commit \(tool.commit), \(tool.buildType) build, \(engine))\n"
    }
}

/// A command of the program, one file each.
protocol SustainCommand: Sendable {
    static var spec: CommandSpec { get }
    static func run(_ options: ParsedOptions) throws(Failure) -> ExitCode
}

/// Standard output for results, standard error for everything else.
enum Output {
    /// Writes all of it; a reader that went away (EPIPE) ends the program quietly, a full disk does not.
    /// - Parameter exit: of a failure to write.
    static func result(_ bytes: [UInt8], exit code: ExitCode = .failed) throws(Failure) {
        try result(bytes, to: STDOUT_FILENO, named: "standard output", exit: code)
    }

    /// The same where standard output is somebody else's, so that the result goes to standard error.
    static func resultOnError(_ bytes: [UInt8], exit code: ExitCode) throws(Failure) {
        try result(bytes, to: STDERR_FILENO, named: "standard error", exit: code)
    }

    private static func result(
        _ bytes: [UInt8], to descriptor: Int32, named name: String, exit code: ExitCode
    ) throws(Failure) {
        let error = all(bytes, to: descriptor)
        if error == 0 { return }
        if error == EPIPE { exit(code.rawValue) }
        throw Failure(thing: name, cause: String(cString: strerror(error)), errno: error, exit: code)
    }

    /// Writes all of it to a descriptor: 0, or errno.
    static func all(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count < 0 {
                if errno == EINTR { continue }
                return errno
            }
            written += count
        }
        return 0
    }

    static func result(_ text: String) throws(Failure) { try result(Array(text.utf8)) }

    static func error(_ failure: Failure) { note("sustain: \(failure)") }

    static func note(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
