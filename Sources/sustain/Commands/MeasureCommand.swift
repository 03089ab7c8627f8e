import Analysis
import Glibc
import Reports
import Session

/// `sustain measure`: the energy of the machine while a command runs, as `perf stat` counts its events.
enum MeasureCommand: SustainCommand {
    static let spec = CommandSpec(
        name: "measure", summary: "energy of the machine while a command runs",
        operands: "[--] COMMAND [ARG...]",
        mostOperands: .max, groups: [measurement, output],
        examples: [
            "sustain measure -- make -j8", "sustain measure --repeat 5 -- ./bench --quick",
            "sustain measure --json --idle 0 -- sleep 10 > energy.json",
        ], takesCommand: true)

    static let measurement = OptionGroup(
        title: "Measurement",
        options: [
            .value(
                "--repeat", "-r", placeholder: "N", default: "1",
                help:
                    "run the command N times; figures are means, from three runs on with an interval over them"
            ),
            .value(
                "--idle", placeholder: "S", default: "15",
                help:
                    "length of the idle windows before and after, at least 20 updates of the slowest source; "
                    + "0 leaves net figures unavailable"),
            .value(
                "--interval", placeholder: "T", default: "100ms", help: "time between reads of the counters"),
            .value(
                "--power", placeholder: "WHAT", default: "auto",
                help: "energy sources, as in `sustain run` but for csv:FILE",
                choices: MachineOptions.power.choices.filter { $0 != "csv:" }),
        ] + MachineOptions.roots)

    static let output = OptionGroup(
        title: "Output",
        options: [
            .flag(
                "--json",
                help:
                    "print the record on standard output instead of the table on standard error; the command's "
                    + "own standard output then joins standard error, unless --output is given"),
            .value(
                "--output", placeholder: "FILE",
                help: "write the table or the record to FILE; the command's output is left alone"),
            .value("--label", placeholder: "TEXT", help: "a name of your own, kept in the record"),
            .flag("--quiet", "-q", help: "do not tell on standard error what is waited for"),
        ])

    static func run(_ parsed: ParsedOptions) throws(Failure) -> ExitCode {
        let isJSON = parsed.isSet("json")
        // The command's words are the last ones; as text they may have lost bytes.
        let command = Argument.ofProcess().suffix(parsed.operands.count)
        let options = try MeasureOptions(parsed, command: Array(command))
        let file = try parsed.text("output").map { path throws(Failure) in try ResultFile(path) }
        // Standard error is the command's too: progress is shown where it can be wiped away, elsewhere only what is
        // waited for.
        let mode = ProgressDisplay.mode(quiet: parsed.isSet("quiet"))
        let display = ProgressDisplay(mode: mode == .lines ? .notes : mode)
        let result = try Measure.execute(options, tool: .current, display: display)
        let bytes = isJSON ? try document(result.record) : Array(MeasureTable.text(result.record).utf8)
        if let file {
            do { try file.write(bytes) } catch {
                // The measurement is made: it must not be lost for a full disk.
                Output.note(MeasureTable.text(result.record))
                throw error
            }
        } else if isJSON {
            try Output.result(bytes, exit: .measureFailed)
        } else {
            try Output.resultOnError(bytes, exit: .measureFailed)
        }
        return result.exit
    }

    private static func document(_ record: MeasureRecord) throws(Failure) -> [UInt8] {
        do {
            return try CanonicalJSON.document(record)
        } catch {
            throw Failure(thing: "record", cause: "cannot be encoded: \(error)", exit: .measureFailed)
        }
    }
}

extension MeasureOptions {
    init(_ parsed: ParsedOptions, command: [Argument]) throws(Failure) {
        guard let name = command.first, !name.bytes.isEmpty else {
            throw Failure(
                thing: "sustain measure", cause: "names no command", remedy: "sustain measure -- sleep 10",
                exit: .usage)
        }
        if parsed.text("output") == "" {
            throw Failure(
                thing: "--output", cause: "is empty", remedy: "is a variable of your script unset?",
                exit: .usage)
        }
        self.init(
            command: command, repetitions: try parsed.integer("repeat", in: 1...100_000) ?? 1,
            idle: try parsed.seconds("idle", in: 0...3600) ?? Seconds(15),
            interval: Nanoseconds(try parsed.seconds("interval", in: 0.001...60) ?? Seconds(0.1)),
            power: parsed.text("power") ?? "auto", sysfs: parsed.text("path.sysfs") ?? "/sys",
            procfs: parsed.text("path.procfs") ?? "/proc", label: parsed.text("label"),
            joinsOutput: parsed.isSet("json") && !parsed.isSet("output"))
    }
}

/// The file of `--output`: opened before the command runs, so that what it measured is not lost for a typo.
final class ResultFile {
    private let descriptor: Int32
    private let path: String

    init(_ path: String) throws(Failure) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        if descriptor < 0 { throw Self.failure(path, "cannot be opened") }
    }

    deinit { close(descriptor) }

    func write(_ bytes: [UInt8]) throws(Failure) {
        // What was there before stays until there is something better; a device or a pipe has no length.
        if ftruncate(descriptor, 0) != 0, errno != EINVAL { throw Self.failure(path, "cannot be emptied") }
        let error = Output.all(bytes, to: descriptor)
        if error != 0 { throw Self.failure(path, "cannot be written", code: error) }
    }

    private static func failure(_ path: String, _ cause: String, code: Int32 = errno) -> Failure {
        Failure(
            thing: "--output \(path)", cause: "\(cause): \(String(cString: strerror(code)))", errno: code,
            exit: .measureFailed)
    }
}
