import Analysis
import Foundation
import TestSupport

/// `sustain run` with the scripted engine on a simulated machine whose power the engine's phases may drive.
struct SimulatedRun {
    var run: ScriptedRun
    private let log: String

    /// - Parameter script: of the scripted engine; its phases are lines for the machine's control file.
    init(_ script: String = Self.steady) throws {
        run = try ScriptedRun(script)
        run.arguments = ["--seconds", "3", "--idle", "0.5", "-p", "8", "-n", "11", "--warmup", "0"]
        log = run.workplace.url.appending(path: "truth.log").path
    }

    /// Prefills of 0.2 s and decodes of 0.5 s.
    static let steady = #"{"prefill": {"ns": 200000000}, "decode": {"ns": 50000000}}"#

    func start(on scenario: String, _ more: [String] = []) throws -> Program {
        let script = try run.workplace.file("script.json", run.script)
        let command =
            ["run", "--exec", "\(Program.path("scripted-engine")) \(script)"] + run.arguments + more
        // The control file is known only inside.
        let shell = #"SUSTAIN_PHASE_FILE=$SUSTAIN_SIMULATOR/control exec "$@""#
        return try Simulator.start(
            scenario, ["sh", "-c", shell, "sh", Program.path("sustain")] + command, log: log,
            in: run.workplace, environment: run.environment)
    }

    func result(of ended: Program.Ended) throws -> SimulatedResult {
        guard ended.status == 0 else { throw SetUpFailure("exit \(ended.status): \(ended.errors)") }
        let trace = try String(
            contentsOf: try run.workplace.runDirectory().appending(path: "trace.jsonl"), encoding: .utf8)
        struct Header: Decodable {
            let time: UInt64
            enum CodingKeys: String, CodingKey { case time = "t_ns" }
        }
        let first = trace.prefix { $0 != "\n" }
        return SimulatedResult(
            record: try run.record(), errors: ended.errors, truth: try Truth(log: log),
            start: try JSONDecoder().decode(Header.self, from: Data(first.utf8)).time)
    }

    func result(on scenario: String, _ more: [String] = []) throws -> SimulatedResult {
        try result(of: try start(on: scenario, more).wait())
    }
}

/// What a run on the simulated machine recorded, and what was true.
struct SimulatedResult {
    let record: Record
    let errors: String
    let truth: Truth
    fileprivate let start: UInt64

    func source(_ id: String) throws -> SourceSummary {
        guard let source = record.sources.first(where: { $0.id == id }) else {
            throw SetUpFailure("no source \(id) among \(record.sources.map(\.id))")
        }
        return source
    }

    /// What a domain consumed in the whole windows of a phase.
    func joules(_ domain: String, in phase: String) throws -> Double {
        try record.windows.filter { $0.name == phase && $0.part == .sustained && $0.whole }
            .reduce(0) { sum, window in
                sum + (try truth.joules(domain, from: moment(window.begin), to: moment(window.end)))
            }
    }

    /// Relative error of a figure of all decodes against the truth, beyond what its interval admits; nil where
    /// the figure is unavailable.
    ///
    /// On a busy machine a read may last tens of milliseconds. That is in the interval, and no error.
    func error(_ figure: Figure?, of domains: [String], in phase: String = "decode") throws -> Double? {
        guard case .value(let value, let interval, _)? = figure else { return nil }
        let truth = try domains.reduce(0) { $0 + (try joules($1, in: phase)) }
        if case .bounds(let low, let high) = interval, low <= truth, truth <= high { return 0 }
        return value / truth - 1
    }

    private func moment(_ seconds: Double) -> UInt64 { start + UInt64((seconds * 1e9).rounded()) }
}
