import Analysis
import Foundation
import TestSupport
import Testing

/// Every fault of a single file, on every domain of a machine that has them all: nothing crashes, no number is
/// wrong, and the source is in the state that the fault deserves.
@Suite(.enabled(if: Simulator.isHere, Comment(rawValue: Simulator.missing ?? "")))
struct FaultSweepTests {
    /// What a fault may make of its source. Others must not be touched by it.
    enum Verdict: String {
        /// Energy is right or void, whatever the state.
        case rightOrVoid
        /// The source is set aside in this state.
        case noPermission, absent, unreadable, dead, frozen
        /// Renamed: its energy is told under another name or not at all.
        case renamed
    }

    struct Domain: Sendable, CustomStringConvertible {
        let zone: String
        let name: String
        let domain: String
        let id: String
        var description: String { id }

        /// Of its directory below class/powercap.
        var path: String { "class/powercap/\(zone)" }
    }

    static let domains = [
        Domain(zone: "intel-rapl:0", name: "package-0", domain: "package", id: "rapl:package-0"),
        Domain(zone: "intel-rapl:0:0", name: "core", domain: "core", id: "rapl:package-0/core"),
        Domain(zone: "intel-rapl:0:1", name: "uncore", domain: "uncore", id: "rapl:package-0/uncore"),
        Domain(zone: "intel-rapl:0:2", name: "dram", domain: "dram", id: "rapl:package-0/dram"),
        Domain(zone: "intel-rapl:1", name: "package-1", domain: "second", id: "rapl:package-1"),
        Domain(zone: "intel-rapl:2", name: "psys", domain: "psys", id: "rapl:psys"),
    ]

    static let faults: [(file: String, action: String, verdict: Verdict)] = [
        ("energy_uj", "fault PATH eacces", .noPermission),
        ("energy_uj", "fault PATH eio", .unreadable),
        ("energy_uj", "fault PATH enodev", .absent),
        ("energy_uj", "fault PATH enoent", .absent),
        ("energy_uj", "fault PATH garbage", .unreadable),
        ("energy_uj", "fault PATH empty", .unreadable),
        ("energy_uj", "fault PATH missing", .absent),
        ("energy_uj", "fault PATH frozen", .dead),
        ("energy_uj", "fault PATH sentinel=-1", .rightOrVoid),
        ("energy_uj", "fault PATH sentinel=99999999999999999999", .unreadable),
        ("energy_uj", "fault PATH slow=20ms", .rightOrVoid),
        ("energy_uj", "at 1.5 fault PATH eacces", .rightOrVoid),
        ("energy_uj", "at 1.5 fault PATH eio for=0.5", .rightOrVoid),
        ("energy_uj", "at 1.5 fault PATH enodev for=0.5", .rightOrVoid),
        ("energy_uj", "at 1.5 fault PATH garbage for=0.5", .rightOrVoid),
        ("energy_uj", "at 1.5 fault PATH empty for=0.5", .rightOrVoid),
        ("energy_uj", "at 1.5 fault PATH slow=300ms for=0.5", .rightOrVoid),
        ("energy_uj", "at 0.8 fault PATH frozen", .frozen),
        ("energy_uj", "at 1.5 reset PATH", .rightOrVoid),
        ("energy_uj", "at 1.5 jump PATH 100000", .rightOrVoid),
        ("energy_uj", "at 1.5 jump PATH -500", .rightOrVoid),
        ("max_energy_range_uj", "fault PATH eacces", .rightOrVoid),
        ("max_energy_range_uj", "fault PATH garbage", .rightOrVoid),
        ("max_energy_range_uj", "fault PATH missing", .rightOrVoid),
        ("max_energy_range_uj", "fault PATH sentinel=0", .rightOrVoid),
        ("name", "fault PATH eacces", .renamed),
        ("name", "fault PATH garbage", .renamed),
        ("name", "fault PATH empty", .renamed),
        ("name", "fault PATH missing", .renamed),
    ]

    private static let machine: String = {
        let powers = """
            domain core 60
            domain uncore 5
            domain rest 20
            domain second 71
            domain dram 6
            domain board 20
            sum package core uncore rest
            sum psys package second dram board

            """
        let zones = domains.map {
            "zone \($0.zone) \($0.name) \($0.domain) start=9000000000"
        }
        return powers + zones.joined(separator: "\n") + "\n"
    }()

    private struct Started {
        let domain: Domain
        let action: String
        let verdict: Verdict
        let run: SimulatedRun
        let program: Program
    }

    /// Runs at once: each waits most of its time.
    private static let atOnce = 4 * domains.count

    @Test func noFaultMakesAWrongNumber() throws {
        let cases = Self.faults.flatMap { fault in Self.domains.map { (fault, $0) } }
        #expect(cases.count >= 100)
        for first in stride(from: 0, to: cases.count, by: Self.atOnce) {
            let started = try cases[first..<min(first + Self.atOnce, cases.count)].map { fault, domain in
                try start(domain, file: fault.file, action: fault.action, verdict: fault.verdict)
            }
            for each in started { try check(each, in: try each.run.result(of: try each.program.wait())) }
        }
    }

    private func start(
        _ domain: Domain, file: String, action: String, verdict: Verdict
    ) throws -> Started {
        var run = try SimulatedRun()
        run.run.arguments = [
            "--seconds", verdict == .frozen ? "5" : "2.4", "--idle", "0.4", "-p", "8", "-n", "11", "--warmup",
            "0",
        ]
        let line = action.replacing("PATH", with: "\(domain.path)/\(file)")
        let program = try run.start(on: Self.machine + line)
        return Started(domain: domain, action: line, verdict: verdict, run: run, program: program)
    }

    private func check(_ started: Started, in result: SimulatedResult) throws {
        for other in Self.domains where started.verdict != .renamed || other.id != started.domain.id {
            let isFaulted = other.id == started.domain.id
            try check(other, in: result, verdict: isFaulted ? started.verdict : nil, started.action)
        }
        try checkTotal(result, started.action)
    }

    /// A figure of a source is right or there is none; where the fault decides a state, it is that state.
    private func check(
        _ domain: Domain, in result: SimulatedResult, verdict: Verdict?, _ action: String
    ) throws {
        let figure = result.record.metrics.decode.gross.bySource[domain.id]
        let error = try result.error(figure, of: [domain.domain])
        // A faulted name makes children of another parent.
        guard let source = result.record.sources.first(where: { $0.id == domain.id }) else {
            #expect(action.contains("/name") || verdict == nil, "\(domain) is not in the record: \(action)")
            return
        }
        if let error { #expect(abs(error) < tolerance, "\(domain): \(action)") }
        switch verdict {
        case nil:
            if !action.contains("name") {
                #expect(source.status == .ok, "\(domain): \(action): \(source.reason ?? "")")
                #expect(error != nil, "\(domain): \(action): \(figure?.reason ?? "no figure")")
            }
        case .noPermission: #expect(source.status == .noPermission, "\(domain): \(action)")
        case .absent: #expect(source.status == .absent, "\(domain): \(action)")
        case .unreadable: #expect(source.status != .ok && error == nil, "\(domain): \(action)")
        case .dead: #expect(source.status == .dead && error == nil, "\(domain): \(action)")
        case .frozen: #expect(source.status == .frozen && error == nil, "\(domain): \(action)")
        case .rightOrVoid, .renamed: break
        }
    }

    /// The total is right for the scopes it says it includes, or void.
    private func checkTotal(_ result: SimulatedResult, _ what: String) throws {
        let byID = Dictionary(uniqueKeysWithValues: Self.domains.map { ($0.id, $0.domain) })
        let included = result.record.total.includes.compactMap { byID[$0] }
        guard included.count == result.record.total.includes.count else { return }
        let joules = result.record.metrics.decode.gross.joules
        if let error = try result.error(joules, of: included) { #expect(abs(error) < tolerance, "\(what)") }
    }
}
