import Analysis
import Foundation
import TestSupport
import Testing

/// `sustain measure` as a user calls it, on trees that count nothing, wrong things, or a known power.
@Suite struct MeasureTests {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// An empty sysfs, so that no source of the real machine makes a test slow.
    private func emptyTree() throws -> String {
        let root = workplace.url.appending(path: "empty-sys")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        return root.path
    }

    private func measure(_ words: [String], environment: [String: String] = [:]) throws -> Program.Ended {
        try Program.run(
            ["measure", "--path.sysfs", try emptyTree()] + words, in: workplace, environment: environment)
    }

    private func record(_ bytes: Data) throws -> MeasureRecord {
        try JSONDecoder().decode(MeasureRecord.self, from: bytes)
    }

    @Test(
        arguments: [
            (["true"], 0), (["false"], 1), (["--", "sh", "-c", "exit 7"], 7),
            (["sh", "-c", "kill -KILL $$"], 137),
            (["sh", "-c", "kill -PIPE $$"], 141), (["--repeat", "2", "false"], 1),
        ] as [([String], Int32)])
    func theExitCodeIsTheCommands(words: [String], code: Int32) throws {
        let ended = try measure(words)
        #expect(ended.status == code, "\(ended.errors)")
        #expect(ended.errors.contains("total, gross"))
        #expect(ended.errors.contains("exit code \(code)"))
        #expect(ended.output.isEmpty)
    }

    @Test func aMissingProgramIs127() throws {
        for name in ["no-such-program-anywhere", "./no-such-program", "/no/such/program"] {
            let ended = try measure(["--", name, "-x"])
            #expect(ended.status == 127)
            #expect(ended.errors.hasPrefix("sustain: \(name): cannot be started: No such file or directory"))
        }
    }

    @Test func whatCannotBeExecutedIs126() throws {
        let text = try workplace.file("text", "no program\n")
        for name in [text, workplace.url.path] {
            let ended = try measure([name])
            #expect(ended.status == 126)
            #expect(ended.errors.contains("cannot be executed"))
        }
        // Executable, and yet no program: no shell is asked to make sense of it.
        let ended = try measure([try workplace.program("executable", "no program\n")])
        #expect(ended.status == 126, "\(ended.errors)")
        #expect(ended.errors.contains("a script needs a #! line"), "\(ended.errors)")
    }

    @Test(arguments: [
        [], ["--"], [""], ["--repeat", "0", "true"], ["--repeat", "many", "true"], ["--idle", "-1", "true"],
        ["--interval", "0", "true"], ["--power", "sun", "true"], ["--output", "", "true"],
        ["--bogus", "true"], ["--power", "csv:meter.csv", "true"],
        ["--path.sysfs", "/no/such/directory", "true"],
    ])
    func senselessOptionsAreUsage(words: [String]) throws {
        let ended = try measure(words)
        #expect(ended.status == 2, "\(ended.errors)")
        #expect(ended.errors.hasPrefix("sustain: "))
        #expect(ended.output.isEmpty)
    }

    @Test func theCommandsStreamsAreItsOwn() throws {
        let input = try workplace.file("input", "to be copied\n")
        let program = try Program(
            "sustain", ["measure", "--path.sysfs", try emptyTree(), "--", "sh", "-c", "cat; echo word >&2"],
            in: workplace, standardInput: try FileHandle(forReadingFrom: URL(filePath: input)))
        let ended = try program.wait()
        #expect(ended.text == "to be copied\n")
        #expect(ended.errors.hasPrefix("word\n"))
    }

    @Test func optionsAfterTheCommandAreItsOwn() throws {
        let ended = try measure(["echo", "--repeat", "--help", "--", "-x"])
        #expect(ended.text == "--repeat --help -- -x\n")
        #expect(try measure(["--help"]).text.hasPrefix("sustain measure: "))
    }

    /// Names of files need be no text: the command gets the bytes that were given.
    @Test func wordsThatAreNoTextReachTheCommand() throws {
        let script = try workplace.file(
            "bytes.sh",
            "exec \"$1\" measure --json --path.sysfs \"$2\" --output record.json -- "
                + "printf '%s|' \"$(printf 'caf\\351')\" plain \"$(printf 'caf\\303\\251')\"\n")
        let ended = try Program(
            at: "/bin/sh", [script, Program.path("sustain"), try emptyTree()], in: workplace
        ).wait()
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(Array(ended.output) == Array("caf".utf8) + [0xE9] + Array("|plain|café|".utf8))
        let file = try Data(contentsOf: workplace.url.appending(path: "record.json"))
        #expect(try record(file).command == ["printf", "%s|", "caf\\xe9", "plain", "café"])
    }

    /// The command's signals are the caller's: what a caller ignores, its command ignores, and nothing else.
    @Test func ignoredSignalsAreTheCallers() throws {
        let script = try workplace.file(
            "ignoring.sh",
            "trap '' PIPE\nexec \"$1\" measure --path.sysfs \"$2\" -- grep SigIgn /proc/self/status\n")
        func ignored(_ program: Program) throws -> UInt64 {
            let ended = try program.wait()
            #expect(ended.status == 0, "\(ended.errors)")
            let mask = try #require(ended.text.split(whereSeparator: \.isWhitespace).last)
            return try #require(UInt64(mask, radix: 16))
        }
        let pipe = UInt64(1) << (UInt64(SIGPIPE) - 1)
        let ignoring = try ignored(
            Program(at: "/bin/sh", [script, Program.path("sustain"), try emptyTree()], in: workplace))
        #expect(ignoring & pipe != 0)
        // The other way round a program is needed that resets what the tests may ignore themselves.
        let reset = try workplace.file(
            "standard.sh",
            "exec env --default-signal=PIPE \"$1\" measure --path.sysfs \"$2\" -- "
                + "grep SigIgn /proc/self/status\n")
        let standard = try ignored(
            Program(at: "/bin/sh", [reset, Program.path("sustain"), try emptyTree()], in: workplace))
        #expect(standard & pipe == 0)
        #expect(standard | pipe == ignoring)
    }

    @Test func theRecordIsTheOnlyThingOnStandardOutput() throws {
        let ended = try measure(["--json", "--label", "mine", "--", "sh", "-c", "echo loud; exit 3"])
        #expect(ended.status == 3)
        let record = try record(ended.output)
        #expect(record.schema == "sustain.measure/1")
        #expect(record.exitCode == 3 && record.label == "mine")
        #expect(record.command == ["sh", "-c", "echo loud; exit 3"])
        #expect(record.seconds > 0)
        #expect(record.total.scopes.includes.isEmpty)
        #expect(record.total.gross.joules.reason == "no energy source")
        #expect(record.total.net.joules.reason == "no energy source")
        #expect(ended.errors == "loud\n")
    }

    @Test func withAFileTheCommandsOutputIsLeftAlone() throws {
        let file = workplace.url.appending(path: "energy.json")
        let ended = try measure(["--json", "--output", file.path, "--", "echo", "loud"])
        #expect(ended.text == "loud\n" && ended.errors.isEmpty)
        #expect(try record(try Data(contentsOf: file)).command == ["echo", "loud"])
        let table = try measure(["--output", file.path, "true"])
        #expect(table.errors.isEmpty)
        #expect(try String(contentsOf: file, encoding: .utf8).contains("total, gross"))
        // Told before the command runs.
        let marker = workplace.url.appending(path: "ran").path
        let refused = try measure(["--output", "/no/such/place/file", "--", "touch", marker])
        #expect(refused.status == 125)
        #expect(!FileManager.default.fileExists(atPath: marker))
    }

    @Test func repetitionsAreCounted() throws {
        let count = workplace.url.appending(path: "count").path
        let ended = try measure(["--json", "--repeat", "4", "--", "sh", "-c", "echo x >> \(count)"])
        let record = try record(ended.output)
        #expect(record.runs.count == 4 && record.repetitions == 4 && !record.provisional)
        #expect(try String(contentsOfFile: count, encoding: .utf8) == "x\nx\nx\nx\n")
        #expect(abs(record.runs.map(\.seconds).reduce(0, +) / 4 - record.seconds) < 1e-9)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func aSignalGoesToTheCommand(_ number: Int32) throws {
        let started = workplace.url.appending(path: "started").path
        let program = try Program(
            "sustain",
            [
                "measure", "--path.sysfs", try emptyTree(), "--repeat", "5", "--", "sh", "-c",
                "touch \(started); exec sleep 60",
            ], in: workplace)
        try program.wait { FileManager.default.fileExists(atPath: started) }
        program.signal(number)
        let ended = try program.wait()
        #expect(ended.status == 128 + number)
        #expect(ended.errors.contains("total, gross"))
        #expect(ended.errors.contains("the run was interrupted"))
        #expect(ended.errors.contains(" after 1 of 5 runs"))
    }

    /// What takes a signal and goes on was not interrupted.
    @Test func aCommandThatGoesOnIsWhole() throws {
        let started = workplace.url.appending(path: "started").path
        let program = try Program(
            "sustain",
            [
                "measure", "--path.sysfs", try emptyTree(), "--", "sh", "-c",
                "trap 'touch \(started)-again' TERM; touch \(started); "
                    + "while [ ! -e \(started)-again ]; do sleep 0.05; done; exit 7",
            ], in: workplace)
        try program.wait { FileManager.default.fileExists(atPath: started) }
        program.signal(SIGTERM)
        let ended = try program.wait()
        #expect(ended.status == 7)
        #expect(ended.errors.contains("SIGTERM came while it ran"), "\(ended.errors)")
        #expect(!ended.errors.contains("interrupted"), "\(ended.errors)")
    }

    /// A key on the terminal reaches the whole group: the command must not get the signal twice.
    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/script"), "no script(1) for a terminal")
    )
    func controlCReachesTheCommandOnce() throws {
        let log = workplace.url.appending(path: "log").path
        // It sees the signal whenever it comes, also before its first pause, and waits for a second one a while.
        let command = try workplace.program(
            "command",
            """
            #!/bin/sh
            trap 'echo got >> \(log); got=yes' INT
            echo started >> \(log)
            pauses=0
            while [ -z "$got" ] && [ $pauses -lt 600 ]; do
                sleep 0.1
                pauses=$((pauses + 1))
            done
            sleep 0.3
            exit 9

            """)
        let keys = Pipe()
        let terminal = Process()
        terminal.executableURL = URL(filePath: "/usr/bin/script")
        terminal.arguments = [
            // Without `exec` a shell that stays between the two (dash) dies of the signal itself: 130, whatever we do.
            "-qec",
            "exec '\(Program.path("sustain"))' measure --path.sysfs '\(try emptyTree())' '\(command)'",
            "/dev/null",
        ]
        terminal.standardInput = keys
        terminal.standardOutput = Pipe()
        try terminal.run()
        func logged() -> String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }
        for _ in 0..<6000 where logged() != "started\n" { usleep(10_000) }
        try keys.fileHandleForWriting.write(contentsOf: Data([3]))
        terminal.waitUntilExit()
        #expect(terminal.terminationStatus == 9)
        #expect(logged() == "started\ngot\n")
    }
}
