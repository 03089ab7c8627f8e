import Analysis
import Foundation
import TestSupport
import Testing

/// Conditions of whole runs: what is checked when, what a failed check does, what is kept of the environment.
@Suite struct ConditionsTests {
    private static let quick = #"{"prefill": {"ns": 2000000}, "decode": {"ns": 1000000}}"#

    /// A `/sys` in which the firmware saves power.
    private func savingMachine(_ workplace: Workplace) throws -> String {
        try tree(workplace, ["firmware/acpi/platform_profile": "low-power"])
    }

    private func tree(_ workplace: Workplace, _ files: [String: String]) throws -> String {
        let root = workplace.url.appending(path: "sys")
        for (path, text) in files {
            let file = root.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data((text + "\n").utf8).write(to: file)
        }
        return root.path
    }

    private func verdict(_ name: String, in record: Record) -> Condition? {
        record.environment.filter.verdicts.first { $0.name == name }
    }

    @Test func everyCheckHasAVerdictBeforeAndAfter() throws {
        let run = try ScriptedRun(Self.quick)
        #expect(try run.run(["-r", "2"]).status == 0)
        let environment = try run.record().environment
        let both = [
            "release_build", "no_tracer", "virtual_machine", "container", "governor", "epp",
            "platform_profile", "low_power_mode", "turbo", "rapl_power_limit", "ac_power", "temperature",
            "free_disk", "threads", "another_sustain", "other_load", "steal", "engine_build",
            "engine_no_tracer",
        ]
        #expect(Set(environment.before.map(\.name)).isSuperset(of: both))
        let after = try #require(environment.after.value)
        #expect(Set(after.map(\.name)).isSuperset(of: both))
        let merged = environment.filter.verdicts.map(\.name)
        #expect(Set(merged).isSuperset(of: both + ["throttling", "swap"]))
        #expect(merged.count == Set(merged).count)
        for check in environment.filter.verdicts { #expect(!check.seen.isEmpty, "\(check.name)") }
        let identity = environment.identity
        for key in [
            "product", "cpu_model", "cpu_stepping", "microcode", "kernel", "kernel_build", "distribution",
            "usable_cpus", "memory_total", "virtualization", "tool_compiler", "tool_flags",
        ] {
            #expect(identity[key] != nil, "\(key)")
        }
    }

    /// The machine is looked at also where no idle window is asked for.
    @Test func withoutIdleTheMachineIsStillJudged() throws {
        let run = try ScriptedRun(Self.quick)
        #expect(try run.run(["-r", "1", "--idle", "0"]).status == 0)
        let environment = try run.record().environment
        #expect(environment.before.contains { $0.name == "governor" })
        #expect(environment.identity["kernel"]?.value != nil)
        #expect(!environment.before.contains { $0.name == "other_load" })
    }

    @Test func aFailedCheckMarksTheRunAndIsCounted() throws {
        let run = try ScriptedRun(Self.quick)
        let ended = try run.run(["-r", "2", "--path.sysfs", try savingMachine(run.workplace)])
        #expect(ended.status == 0)
        #expect(ended.errors.contains("condition failed: platform_profile: low-power"))
        let record = try run.record()
        #expect(record.environment.filter.excluded)
        #expect(verdict("platform_profile", in: record)?.verdict == .fail)
        let report = try Program.run(["report"], in: run.workplace)
        #expect(report.text.contains("1 run: 1 excluded"))
        #expect(report.text.contains("platform_profile"))
    }

    /// Refused before anything is started: no engine, no idle window.
    @Test func strictRefusesAtOnce() throws {
        let run = try ScriptedRun(Self.quick)
        let ended = try run.run([
            "--strict", "--idle", "600", "--path.sysfs", try savingMachine(run.workplace),
        ])
        #expect(ended.status == 4)
        let record = try run.record()
        #expect(record.outcome.status == .refused)
        #expect(record.outcome.cause?.contains("condition failed") == true)
        #expect(record.windows.isEmpty)
        #expect(verdict("platform_profile", in: record)?.verdict == .fail)
    }

    @Test(arguments: [("release", Condition.Verdict.pass), ("debug", .fail), ("assertions", .fail)])
    func theEngineSaysHowItWasBuilt(type: String, expected: Condition.Verdict) throws {
        let run = try ScriptedRun(#"{"hello": {"build_type": "\#(type)"}}"#)
        #expect(try run.run(["-r", "1", "--seconds", "1"]).status == 0)
        let record = try run.record()
        #expect(verdict("engine_build", in: record)?.verdict == expected)
        #expect(verdict("engine_build", in: record)?.seen == type)
        if expected == .fail { #expect(record.environment.filter.excluded) }
    }

    /// The counts grow while the run goes on: it is the analysis that finds it, in the trace alone.
    @Test func aThrottleCountThatGrowsDuringTheRun() throws {
        let run = try ScriptedRun()
        let count = "devices/system/cpu/cpu0/thermal_throttle/core_throttle_count"
        let sysfs = try tree(run.workplace, [count: "41"])
        let program = try run.start(["--seconds", "3", "--path.sysfs", sysfs])
        try program.wait { program.errorsSoFar().contains("sustained  ") }
        try Data("47\n".utf8).write(to: URL(filePath: sysfs).appending(path: count))
        let ended = try program.wait()
        #expect(ended.status == 0, "\(ended.errors)")
        let record = try run.record()
        #expect(
            verdict("throttling", in: record)
                == Condition("throttling", .fail, seen: "cores counted from 41 to 47"))
        // What the run did to the machine is its result.
        #expect(
            record.environment.filter.excluded
                == record.environment.filter.verdicts.contains {
                    $0.verdict == .fail && !["throttling", "threads"].contains($0.name)
                })
    }

    @Test func variablesInForceAreOnRecordAndSecretsAreNot() throws {
        var run = try ScriptedRun(Self.quick)
        run.environment = ["OMP_NUM_THREADS": "7", "GGML_SOMETHING": "on", "LLAMA_API_KEY": "hunter2"]
        let ended = try run.run(["-r", "1", "--env", "OMP_NUM_THREADS=3", "--env", "LLAMA_TOKEN=hunter3"])
        #expect(ended.status == 0)
        let identity = try run.record().environment.identity
        // Pinned by --env, whatever the shell had.
        #expect(identity["env:OMP_NUM_THREADS"] == .known("3"))
        #expect(identity["env:GGML_SOMETHING"] == .known("on"))
        #expect(identity["env:LLAMA_API_KEY"]?.reason == "a secret by its name")
        let directory = try run.workplace.runDirectory()
        for name in ["trace.jsonl", "run.json"] {
            let text = try String(contentsOf: directory.appending(path: name), encoding: .utf8)
            #expect(!text.contains("hunter"), "\(name)")
        }
    }

    @Test func moreThreadsThanCoresLessOneIsAWarning() throws {
        let run = try ScriptedRun(Self.quick)
        #expect(try run.run(["-r", "1", "-t", "4096"]).status == 0)
        let record = try run.record()
        #expect(record.warnings.contains { $0.hasPrefix("4096 threads on ") })
        #expect(verdict("threads", in: record)?.verdict == .pass)
    }

    /// Without a model there is nothing to hold a bandwidth against.
    @Test func aScriptedEngineHasNoCeiling() throws {
        let run = try ScriptedRun(Self.quick)
        #expect(try run.run(["-r", "1"]).status == 0)
        let ceiling = try run.record().metrics.ceiling
        #expect(ceiling?.measuredBytesPerSecond.reason == "no bandwidth was measured in this run")
    }
}

/// Two that measure at once disturb each other.
@Suite struct SecondSustainTests {
    private func holder() throws -> (run: ScriptedRun, program: Program) {
        let run = try ScriptedRun()
        let program = try run.start(["--seconds", "60"])
        try program.wait { program.errorsSoFar().contains("sustained  ") }
        return (run, program)
    }

    @Test func theSecondKnowsOfTheFirst() throws {
        let first = try holder()
        defer { first.program.signal(SIGTERM) }
        var second = try ScriptedRun(#"{"prefill": {"ns": 2000000}, "decode": {"ns": 1000000}}"#)
        second.environment["SUSTAIN_LOCK_DIR"] = first.run.workplace.url.path
        let ended = try second.run(["-r", "1"])
        #expect(ended.status == 0)
        let record = try second.record()
        let seen = record.environment.before.first { $0.name == "another_sustain" }
        #expect(seen?.verdict == .fail)
        #expect(
            seen?.seen.hasPrefix("process \(first.program.pid) holds ") == true
                || seen?.seen.hasPrefix("a process that is not shown here holds ") == true)
        #expect(record.environment.filter.excluded)
        var strict = try ScriptedRun()
        strict.environment = second.environment
        #expect(try strict.run(["--strict"]).status == 4)
        let measured = try Program.run(
            ["measure", "--power", "none", "--json", "--", "true"], in: second.workplace,
            environment: second.environment)
        #expect((measured.text + measured.errors).contains("another sustain measures: "))
    }

    /// The kernel gives the lock back, however its holder ends.
    @Test func aKilledOneHoldsNothing() throws {
        let first = try holder()
        first.program.signal(SIGKILL)
        _ = try first.program.wait()
        var second = try ScriptedRun(#"{"prefill": {"ns": 2000000}, "decode": {"ns": 1000000}}"#)
        second.environment["SUSTAIN_LOCK_DIR"] = first.run.workplace.url.path
        #expect(try second.run(["-r", "1"]).status == 0)
        let seen = try second.record().environment.before.first { $0.name == "another_sustain" }
        #expect(seen == Condition("another_sustain", .pass, seen: "none"))
    }
}
