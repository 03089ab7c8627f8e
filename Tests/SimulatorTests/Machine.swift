import Foundation
import Glibc
import Testing

/// A simulated machine that ran one command.
struct Machine {
    /// Why there can be none here; nil where there can.
    static let missing: Comment? = {
        if geteuid() != 0 { return "the simulated machine needs root" }
        if access("/dev/fuse", R_OK | W_OK) != 0 { return "the simulated machine needs /dev/fuse" }
        guard let ended = try? run(arguments: ["/nonexistent", "--", "true"]) else {
            return "the program simulator is not beside the tests"
        }
        let without = ended.errors.contains("built without libfuse3")
        return without ? "the simulator is built without the trait Simulator" : nil
    }()

    static let isHere: Bool = {
        if let missing { print("SimulatorTests: skipped: \(missing)") }
        return missing == nil
    }()

    /// `SUSTAIN_TEST_BIN` if it is set, else the directory of the running test program, where SwiftPM puts
    /// every product of the build.
    static let program: URL = {
        if let named = ProcessInfo.processInfo.environment["SUSTAIN_TEST_BIN"] {
            return URL(filePath: named).appending(path: "simulator")
        }
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(filePath: own).deletingLastPathComponent().appending(path: "simulator")
    }()

    static let scenarios = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Simulator/Scenarios")

    struct Ended {
        let status: Int32
        let output: String
        let errors: String
        /// The log that `--log` wrote; empty if the machine never started.
        let log: MachineLog
        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// Runs a shell script on the machine of a scenario. In it `$C` is the control file, `$T` the truth,
    /// `$P` is class/powercap.
    static func run(_ scenario: String, _ script: String) throws -> Ended {
        try Started(scenario, script).wait()
    }

    /// Runs the program with plain arguments.
    static func run(arguments: [String]) throws -> Ended {
        try Started(arguments: arguments, in: Folder()).wait()
    }

    /// A machine that runs.
    final class Started {
        private let folder: Folder
        private let process = Process()

        convenience init(_ scenario: String, _ script: String) throws {
            let folder = try Folder()
            let file = folder.url.appending(path: "test.scenario")
            try Data(scenario.utf8).write(to: file)
            let names = "C=$SUSTAIN_SIMULATOR/control T=$SUSTAIN_SIMULATOR/truth P=/sys/class/powercap\n"
            try self.init(
                arguments: ["--log", folder.url.appending(path: "log").path, file.path, "--", "sh", "-c"]
                    + [names + script], in: folder)
        }

        init(arguments: [String], in folder: Folder) throws {
            self.folder = folder
            for name in ["out", "err"] { try Data().write(to: folder.url.appending(path: name)) }
            process.executableURL = Machine.program
            process.arguments = arguments
            process.currentDirectoryURL = folder.url
            process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C"]) { $1 }
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = try FileHandle(forWritingTo: folder.url.appending(path: "out"))
            process.standardError = try FileHandle(forWritingTo: folder.url.appending(path: "err"))
            try process.run()
        }

        // A test that failed on the way leaves nothing behind.
        deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

        var pid: Int32 { process.processIdentifier }

        /// What the command has printed up to now.
        var output: String {
            (try? String(contentsOf: folder.url.appending(path: "out"), encoding: .utf8)) ?? ""
        }

        func wait() throws -> Ended {
            process.waitUntilExit()
            let log = folder.url.appending(path: "log")
            func text(_ name: String) throws -> String {
                String(decoding: try Data(contentsOf: folder.url.appending(path: name)), as: UTF8.self)
            }
            return Ended(
                status: process.terminationReason == .exit
                    ? process.terminationStatus : 128 + process.terminationStatus,
                output: try text("out"), errors: try text("err"),
                log: FileManager.default.fileExists(atPath: log.path)
                    ? try MachineLog(try text("log")) : MachineLog(lines: []))
        }
    }

    /// A directory for one run, removed with it.
    final class Folder {
        let url: URL

        init() throws {
            url = FileManager.default.temporaryDirectory.appending(path: "simulator-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: url) }
    }
}

/// Waits until a condition holds; it not coming to hold is a failure.
func wait(until condition: () -> Bool) throws {
    for _ in 0..<1000 {
        if condition() { return }
        usleep(10_000)
    }
    try #require(condition())
}
