import Analysis
import Foundation

/// A `sustain run` on the scripted engine: short, without model, without load on the machine.
package struct ScriptedRun {
    package let workplace: Workplace
    package var script = "{}"
    package var arguments = [
        "--seconds", "1", "--idle", "0.2", "-p", "8", "-n", "12", "--warmup", "1", "--power", "none",
    ]
    package var environment: [String: String] = [:]

    package init(_ script: String = "{}") throws {
        workplace = try Workplace()
        self.script = script
    }

    package func start(_ more: [String] = []) throws -> Program {
        let path = try workplace.file("script.json", script)
        let engine = ["run", "--exec", "\(Program.path("scripted-engine")) \(path)"]
        return try Program("sustain", engine + arguments + more, in: workplace, environment: environment)
    }

    package func run(_ more: [String] = []) throws -> Program.Ended { try start(more).wait() }

    package func record() throws -> Record {
        let data = try Data(contentsOf: try workplace.runDirectory().appending(path: "run.json"))
        return try JSONDecoder().decode(Record.self, from: data)
    }

    /// No process of the run is left: none has the script's path among its arguments.
    package func strayProcesses() throws -> [String] {
        let script = workplace.url.path
        return try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { entry in
            guard Int(entry) != nil, let line = FileManager.default.contents(atPath: "/proc/\(entry)/cmdline")
            else {
                return false
            }
            return String(decoding: line, as: UTF8.self).contains(script)
        }
    }
}
