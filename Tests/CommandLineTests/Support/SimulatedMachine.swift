import Foundation
import TestSupport

/// The program `simulator`, which is built with the trait `Simulator` only and needs FUSE and a mount namespace.
struct SimulatedMachine {
    private let scenario: String
    private let workplace: Workplace

    /// `SUSTAIN_TEST_SIMULATOR` if it is set, else the one built beside the tests.
    private static let path =
        ProcessInfo.processInfo.environment["SUSTAIN_TEST_SIMULATOR"] ?? Program.path("simulator")

    /// Whether it can run here.
    static let isThere: Bool = {
        guard FileManager.default.isExecutableFile(atPath: path), let workplace = try? Workplace(),
            let machine = try? SimulatedMachine("domain package-0 1\n", in: workplace)
        else { return false }
        return (try? machine.start(["/bin/true"]).wait().status) == 0
    }()

    init(_ text: String, in workplace: Workplace) throws {
        scenario = try workplace.file("\(UUID().uuidString).scenario", text)
        self.workplace = workplace
    }

    private func start(_ words: [String]) throws -> Program {
        try Program(at: Self.path, [scenario, "--"] + words, in: workplace)
    }

    /// Runs `sustain` in it.
    func run(_ words: [String]) throws -> Program.Ended {
        try start([Program.path("sustain")] + words).wait()
    }
}
