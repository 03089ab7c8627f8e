import Foundation

/// The simulated machine (Tests/Simulator), which is built with the trait `Simulator` only and needs root and FUSE.
package enum Simulator {
    /// `SUSTAIN_TEST_SIMULATOR` if it is set, else the one built beside the tests.
    private static let path =
        ProcessInfo.processInfo.environment["SUSTAIN_TEST_SIMULATOR"] ?? Program.path("simulator")

    /// Why it cannot be had here; nil where it can.
    package static let missing: String? = {
        if geteuid() != 0 { return "the simulated machine needs root (a mount namespace)" }
        if access("/dev/fuse", R_OK | W_OK) != 0 { return "/dev/fuse cannot be used here" }
        if access(path, X_OK) != 0 { return "no program simulator beside the tests" }
        guard let place = try? Workplace(), let started = try? start("", ["true"], in: place),
            let ended = try? started.wait()
        else {
            return "the simulator could not be started"
        }
        return ended.status == 0 ? nil : "the simulator does not run here: \(ended.errors)"
    }()

    package static var isHere: Bool { missing == nil }

    /// Starts a command on the machine of a scenario.
    ///
    /// - Parameter log: gets every change of power, as JSON lines.
    package static func start(
        _ scenario: String, _ command: [String], log: String? = nil, in workplace: Workplace,
        environment: [String: String] = [:]
    ) throws -> Program {
        let file = try workplace.file("\(UUID().uuidString).scenario", scenario)
        let options = log.map { ["--log", $0] } ?? []
        return try Program(
            at: path, options + [file, "--"] + command, in: workplace, environment: environment)
    }
}
