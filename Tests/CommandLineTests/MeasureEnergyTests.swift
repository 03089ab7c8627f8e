import Analysis
import Foundation
import TestSupport
import Testing

/// Energy of commands on trees whose power is known, or whose counters are not well.
@Suite struct MeasureEnergyTests {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// A measurement on a tree of constant power.
    private func measure(watts: Int, _ words: [String]) throws -> (Program.Ended, MeasureRecord) {
        let root = workplace.url.appending(path: "sys").path
        let pipe = workplace.url.appending(path: "phases").path
        let input = Pipe()
        let tree = try Program(
            "power-tree", [root, pipe, String(watts)], in: workplace, standardInput: input)
        defer {
            try? input.fileHandleForWriting.close()
            _ = try? tree.wait()
        }
        try tree.wait { FileManager.default.fileExists(atPath: pipe) }
        let ended = try Program.run(
            ["measure", "--json", "--power", "rapl", "--path.sysfs", root] + words, in: workplace)
        return (ended, try JSONDecoder().decode(MeasureRecord.self, from: ended.output))
    }

    private func isNear(_ figure: Figure, _ truth: Double, within share: Double) -> Bool {
        figure.number.map { abs($0 / truth - 1) <= share } ?? false
    }

    @Test func grossIsThePowerAndNetIsWhatIsAboveIdle() throws {
        let (ended, record) = try measure(watts: 60, ["--idle", "1", "--", "sleep", "2"])
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(record.total.scopes.includes == ["rapl:package-0"])
        #expect(isNear(record.total.gross.watts, 60, within: 0.01), "\(record.total.gross.watts)")
        #expect(isNear(record.total.gross.joules, 60 * record.seconds, within: 0.01))
        #expect(isNear(record.idle.watts, 60, within: 0.01), "\(record.idle.watts)")
        let net = try #require(record.total.net.joules.number, "\(record.total.net.joules)")
        #expect(abs(net) < 0.02 * 60 * record.seconds)
        #expect(try #require(record.idle.beforeSeconds.value) >= 1)
        #expect(try #require(record.idle.afterSeconds.value) >= 1)
        #expect(record.sources.filter { $0.source.status == .ok }.map(\.source.id) == ["rapl:package-0"])
    }

    @Test func repeatedRunsHaveAnInterval() throws {
        let (_, record) = try measure(watts: 60, ["--idle", "0", "--repeat", "4", "--", "sleep", "1.5"])
        #expect(isNear(record.total.gross.watts, 60, within: 0.01), "\(record.total.gross.watts)")
        #expect(isNear(record.total.gross.joules, 60 * record.seconds, within: 0.01))
        guard case .value(_, .bounds(let low, let high), let method) = record.total.gross.joules else {
            Issue.record("\(record.total.gross.joules)")
            return
        }
        #expect(low < high && method.contains("t interval over 4 runs"))
        #expect(record.total.net.joules.reason == "--idle 0: no idle window")
        #expect(record.total.net.watts.reason == "--idle 0: no idle window")
        #expect(!record.provisional)
    }

    /// Whoever waits is told for what.
    @Test(arguments: [false, true]) func idleWindowsAreToldUnlessQuiet(quiet: Bool) throws {
        let (ended, record) = try measure(
            watts: 60, ["--idle", "0.5"] + (quiet ? ["--quiet"] : []) + ["--", "true"])
        #expect(ended.status == 0 && record.idle.beforeSeconds.value != nil)
        for text in [
            "sustain: an idle window of 0.5 s before the command (where a source is slow or power drifts",
            "sustain: up to 60 s until power is even, then an idle window of 0.5 s after the command",
        ] { #expect(ended.errors.contains(text) != quiet, "\(ended.errors)") }
    }

    @Test func aSignalBeforeTheCommandEndsItAll() throws {
        let marker = workplace.url.appending(path: "ran").path
        let zone = try zone(name: "package-0", energy: "5000")
        let program = try Program(
            "sustain", ["measure", "--idle", "60", "--path.sysfs", zone, "--", "touch", marker], in: workplace
        )
        try program.waitUntilItBlocks(SIGINT)
        program.signal(SIGINT)
        let ended = try program.wait()
        #expect(ended.status == 130, "\(ended.errors)")
        // Before the idle window, or in it.
        #expect(ended.errors.contains("interrupted"))
        #expect(!FileManager.default.fileExists(atPath: marker))
    }

    // MARK: Counters that are not well

    /// A tree with one zone; returns its root.
    private func zone(name: String, energy: String) throws -> String {
        let root = workplace.url.appending(path: "zone")
        let place = root.appending(path: "class/powercap/intel-rapl:0")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for (file, text) in [("name", name), ("energy_uj", energy), ("max_energy_range_uj", "262143328850")] {
            try Data((text + "\n").utf8).write(to: place.appending(path: file))
        }
        return root.path
    }

    private func measured(_ root: String, _ words: [String]) throws -> MeasureRecord {
        let ended = try Program.run(
            ["measure", "--json", "--power", "rapl", "--path.sysfs", root] + words, in: workplace)
        #expect(ended.status == 0, "\(ended.errors)")
        return try JSONDecoder().decode(MeasureRecord.self, from: ended.output)
    }

    /// CASES C7: dead counters are no energy, however long they were read.
    @Test(arguments: [("0", "the counter never moved"), ("3", "dead")])
    func aDeadCounterGivesNothing(seconds: String, why: String) throws {
        let record = try measured(
            try zone(name: "package-0", energy: "0"), ["--idle", "0", "--", "sleep", seconds])
        for figure in [record.total.gross.joules, record.total.gross.watts, record.sources[0].joules] {
            #expect(figure.reason?.contains(why) == true, "\(figure)")
        }
        #expect(record.total.net.joules.reason != nil)
    }

    @Test(arguments: ["", "many", "99999999999999999999999999", "-", "12 34"])
    func garbageIsSetAsideWithItsReason(energy: String) throws {
        let record = try measured(try zone(name: "package-0", energy: energy), ["true"])
        #expect(record.total.scopes.includes.isEmpty)
        #expect(record.total.gross.joules.reason == "no energy source")
        let source = try #require(record.sources.first)
        #expect(source.source.id == "rapl:package-0" && source.source.status != .ok)
        #expect(source.source.reason != nil && source.joules.reason != nil)
    }

    @Test func noDescriptorOfOursReachesTheCommand() throws {
        let root = try zone(name: "package-0", energy: "5")
        let ended = try Program.run(
            ["measure", "--idle", "0", "--path.sysfs", root, "--", "ls", "-l", "/proc/self/fd"], in: workplace
        )
        #expect(ended.text.contains(" 0 -> "))
        for ours in ["energy_uj", "anon_inode"] { #expect(!ended.text.contains(ours), "\(ended.text)") }
    }

    @Test func aNameOfControlCharactersReachesNoTerminal() throws {
        let root = try zone(name: "pack\u{1B}[31mage", energy: "5")
        let ended = try Program.run(
            ["measure", "--idle", "0", "--power", "rapl", "--path.sysfs", root, "--", "true", "\u{1B}[2J"],
            in: workplace)
        #expect(ended.status == 0)
        #expect(!ended.errors.contains("\u{1B}"))
    }
}
