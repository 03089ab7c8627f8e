import CHost
import Glibc
import WorkerProtocol

/// A worker that computes nothing: it obeys a script of lengths and faults (README.md beside this file).
@main
enum ScriptedEngine {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--parent" { ParentHelper.run(Array(arguments.dropFirst())) }
        let script: Script
        do {
            script = try Script.read(path: arguments.first ?? environmentValue("SUSTAIN_SCRIPT"))
        } catch {
            leave("\(error)")
        }
        // Deadlines are to be met to the microsecond; the default lets the kernel be 50 us late.
        _ = chost_set_timer_slack(1)
        let engine = Engine(
            script: script, events: EventWriter(descriptor: descriptor("SUSTAIN_EVENT_FD")),
            phases: PhaseFile(path: environmentValue("SUSTAIN_PHASE_FILE"), script: script),
            commands: CommandReader(descriptor: descriptor("SUSTAIN_COMMAND_FD")))
        engine.run()
    }

    private static func descriptor(_ variable: String) -> Int32 {
        guard let number = environmentValue(variable).flatMap({ Int32($0) }) else {
            leave("\(variable) does not name a descriptor: this program is a worker, started by sustain")
        }
        return number
    }
}

/// Ends with status 2 and a line on standard error: the script or the surroundings are unusable.
func leave(_ message: String) -> Never {
    say("scripted-engine: \(message)", on: STDERR_FILENO)
    exit(2)
}

/// Writes a line at once, past stdio's buffers, which a process that dies does not flush.
func say(_ line: String, on descriptor: Int32) {
    let bytes = Array(line.utf8) + [0x0A]
    _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
}

func environmentValue(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    return String(cString: value)
}
