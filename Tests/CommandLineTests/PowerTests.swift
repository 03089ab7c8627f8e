import Analysis
import Foundation
import TestSupport
import Testing

/// Energy through the command line, on a tree whose power is known.
@Suite struct PowerTests {
    /// Runs on a tree of its own; `script` may switch the power by the lines of its phases.
    private func record(script: String, watts: Int, arguments: [String]) throws -> Record {
        var run = try ScriptedRun(script)
        let root = run.workplace.url.appending(path: "sys").path
        let pipe = run.workplace.url.appending(path: "phases").path
        let input = Pipe()
        let tree = try Program(
            "power-tree", [root, pipe, String(watts)], in: run.workplace, standardInput: input)
        defer {
            try? input.fileHandleForWriting.close()
            _ = try? tree.wait()
        }
        try tree.wait { FileManager.default.fileExists(atPath: pipe) }
        run.environment["SUSTAIN_PHASE_FILE"] = pipe
        let model = run.workplace.url.appending(path: "m.gguf")
        try TinyModel.bytes().write(to: model)
        run.arguments = arguments + ["--path.sysfs", root, "-m", model.path]
        let ended = try run.run()
        #expect(ended.status == 0, "\(ended.errors)")
        return try run.record()
    }

    private func isNear(_ figure: Figure, _ truth: Double, within share: Double) -> Bool {
        figure.number.map { abs($0 / truth - 1) <= share } ?? false
    }

    @Test func aConstantPowerIsFoundInEveryWindow() throws {
        let record = try record(
            script:
                #"{"load": {"cold_ns": 1000000000}, "prefill": {"ns": 300000000}, "decode": {"ns": 20000000}}"#,
            watts: 50,
            arguments: ["--seconds", "8", "--idle", "2", "-p", "8", "-n", "26", "--warmup", "1"])
        #expect(record.total.includes == ["rapl:package-0"])
        let metrics = record.metrics
        #expect(abs((metrics.decode.gross.watts.number ?? 0) - 50) <= 0.25, "\(metrics.decode.gross.watts)")
        for phase in [metrics.idle, metrics.loadedIdle, metrics.prefill, metrics.cycle] {
            #expect(isNear(phase.gross.watts, 50, within: 0.01), "\(phase.gross.watts)")
        }
        // The machine draws the same when idle: nothing is left, and the interval says so.
        let net = try #require(metrics.decode.net.joules.number)
        let gross = try #require(metrics.decode.gross.joules.number)
        #expect(abs(net) <= 0.01 * gross)
        // J/token = W / (tok/s).
        let rate = try #require(metrics.decode.tokensPerSecond.number)
        let watts = try #require(metrics.decode.gross.watts.number)
        #expect(isNear(metrics.decode.gross.joulesPerToken, watts / rate, within: 1e-9))
        #expect(metrics.decode.gross.bySource.keys.sorted() == ["rapl:package-0"])
        // Not every file system lets the model's pages go: the first use holds a load that was seen to be cold.
        let isCold = metrics.loadCold.gross.joules.number != nil
        #expect((metrics.firstUse.joules.number != nil) == isCold, "\(metrics.firstUse.joules)")
    }

    @Test func eachPhaseGetsItsOwnPower() throws {
        let record = try record(
            script: """
                {"prefill": {"ns": 400000000}, "decode": {"ns": 20000000}, "load": {"warm_ns": 500000000},
                 "phase_append": true,
                 "phases": {"idle": "20 {t_ns}", "load": "60 {t_ns}", "loaded": "30 {t_ns}",
                            "prefill": "140 {t_ns}", "decode": "90 {t_ns}", "gap": "30 {t_ns}",
                            "unload": "40 {t_ns}"}}
                """, watts: 20,
            arguments: ["--seconds", "10", "--idle", "2", "-p", "8", "-n", "41", "--warmup", "0"])
        let metrics = record.metrics
        #expect(isNear(metrics.prefill.gross.watts, 140, within: 0.01), "\(metrics.prefill.gross.watts)")
        #expect(isNear(metrics.decode.gross.watts, 90, within: 0.01), "\(metrics.decode.gross.watts)")
        #expect(isNear(metrics.idle.gross.watts, 20, within: 0.01), "\(metrics.idle.gross.watts)")
        #expect(isNear(metrics.loadedIdle.gross.watts, 30, within: 0.01), "\(metrics.loadedIdle.gross.watts)")
        #expect(isNear(metrics.loadWarm.gross.watts, 60, within: 0.02), "\(metrics.loadWarm.gross.watts)")
        #expect(isNear(metrics.decode.net.watts, 70, within: 0.02), "\(metrics.decode.net.watts)")
        #expect(isNear(metrics.decode.netLoaded.watts, 60, within: 0.02), "\(metrics.decode.netLoaded.watts)")
        #expect(isNear(metrics.prefill.net.watts, 120, within: 0.02), "\(metrics.prefill.net.watts)")
    }

    /// Counters of a processor are root's, unless a filter of system calls refuses them all the same.
    private static let mayCountProcessors: Bool = {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        return geteuid() == 0 && status.contains("Seccomp:\t0\n")
    }()

    /// The kernel's own clock event in place of an energy counter: 1e9 units of 5e-8 J a second are 50 W.
    @Test(.enabled(if: mayCountProcessors, "counters of a processor need root and no seccomp filter"))
    func energyThroughPerf() throws {
        var run = try ScriptedRun(#"{"decode": {"ns": 20000000}}"#)
        let root = run.workplace.url.appending(path: "sys")
        for (path, text) in [
            ("bus/event_source/devices/power/type", "1"), ("bus/event_source/devices/power/cpumask", "0"),
            ("bus/event_source/devices/power/format/event", "config:0-7"),
            ("bus/event_source/devices/power/events/energy-pkg", "event=0x00"),
            ("bus/event_source/devices/power/events/energy-pkg.scale", "5e-8"),
            ("bus/event_source/devices/power/events/energy-pkg.unit", "Joules"),
            ("devices/system/cpu/cpu0/topology/physical_package_id", "0"),
        ] {
            let file = root.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data((text + "\n").utf8).write(to: file)
        }
        run.arguments = ["--seconds", "4", "--idle", "1", "-p", "8", "-n", "26", "--power", "perf"]
        let ended = try run.run(["--path.sysfs", root.path, "--require-energy"])
        #expect(ended.status == 0, "\(ended.errors)")
        let record = try run.record()
        #expect(record.total.includes == ["perf:package-0"])
        #expect(isNear(record.metrics.decode.gross.watts, 50, within: 0.01))
        #expect(!record.sources.contains { $0.id == "rapl" })
    }

    /// What the engine did is in the record, or why it is not; and never in idle.
    @Test func theEnginesEventsAreCounted() throws {
        var run = try ScriptedRun(#"{"prefill": {"ns": 50000000}}"#)
        run.arguments = ["--seconds", "2", "--idle", "0.2", "-p", "8", "-n", "12", "--power", "none"]
        let ended = try run.run()
        #expect(ended.status == 0, "\(ended.errors)")
        let record = try run.record()
        #expect(record.metrics.idle.counters == nil)
        for phase in [record.metrics.prefill, record.metrics.decode, record.metrics.cycle] {
            let counters = try #require(phase.counters)
            let clock = counters.cpuSecondsPerToken
            let isCounted = record.sources.contains { $0.id == "process:task_clock" && $0.status == .ok }
            // On a busy machine the reads may come too late after the marks, which is then said.
            let isLate = clock.reason == "the reads about the windows are too far from their edges"
            #expect((clock.number != nil || isLate) == isCounted, "\(clock)")
            #expect((counters.instructionsPerToken.number ?? 1) > 0)
        }
    }

    /// CASES C7: nothing counts energy.
    @Test func withoutASourceThroughputIsMeasuredAllTheSame() throws {
        var run = try ScriptedRun()
        let empty = run.workplace.url.appending(path: "empty").path
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
        run.arguments = ["--seconds", "1", "--idle", "0.2", "-p", "8", "-n", "12", "--path.sysfs", empty]
        let ended = try run.run()
        #expect(ended.status == 0)
        #expect(ended.errors.split(separator: "\n").count { $0.hasPrefix("energy: none") } == 1)
        let record = try run.record()
        #expect(record.total.includes == [])
        #expect(record.total.unavailable == "no energy source")
        #expect(record.metrics.decode.tokensPerSecond.number != nil)
        for phase in [record.metrics.idle, record.metrics.decode, record.metrics.cycle] {
            #expect(phase.gross.joules.reason?.contains("no energy source") == true)
            #expect(phase.net.joules.reason != nil)
        }
        let refused = try ScriptedRun()
        #expect(try refused.run(["--path.sysfs", empty, "--power", "auto", "--require-energy"]).status == 6)
    }

    /// A counter that can be opened and never moves is no energy source: no live watts, and exit 6 where one
    /// is required.
    @Test func aDeadCounterIsNoEnergySource() throws {
        var run = try ScriptedRun()
        let zone = run.workplace.url.appending(path: "sys/class/powercap/intel-rapl:0")
        try FileManager.default.createDirectory(at: zone, withIntermediateDirectories: true)
        for (name, text) in [
            ("name", "package-0"), ("energy_uj", "0"), ("max_energy_range_uj", "262143328850"),
        ] {
            try Data((text + "\n").utf8).write(to: zone.appending(path: name))
        }
        run.arguments = ["--seconds", "2", "--idle", "0", "-p", "8", "-n", "12", "--require-energy"]
        let ended = try run.run(["--path.sysfs", run.workplace.url.appending(path: "sys").path])
        #expect(ended.status == 6, "\(ended.errors)")
        #expect(!ended.errors.contains(" W "))
        #expect(try run.record().metrics.decode.gross.joules.number == nil)
    }
}
