import Analysis
import Glibc
import Testing

@testable import Session

/// The checks of the machine on trees of files, each with the value that it must show.
@Suite struct MachineConditionsTests {
    private static let cpu = "sys/devices/system/cpu"

    private func expect(
        _ name: String, _ verdict: Condition.Verdict, _ seen: String? = nil, _ files: [String: String],
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let check = try MachineTree(files).checks()[name]
        #expect(check?.verdict == verdict.rawValue, "\(check?.seen ?? "")", sourceLocation: location)
        if let seen { #expect(check?.seen == seen, sourceLocation: location) }
    }

    /// All processors in use count, not the first one alone.
    @Test func oneSlowGovernorIsEnough() throws {
        let first = "\(Self.cpu)/cpu0/cpufreq/scaling_governor"
        let second = "\(Self.cpu)/cpu1/cpufreq/scaling_governor"
        let epp = "\(Self.cpu)/cpu1/cpufreq/energy_performance_preference"
        try expect("governor", .pass, "performance", [first: "performance", second: "performance"])
        try expect(
            "governor", .fail, "performance on 1 CPUs, powersave on 1 CPUs",
            [first: "performance", second: "powersave"])
        try expect("governor", .pass, nil, [second: "powersave", epp: "balance_performance"])
        try expect("governor", .cannotTell, "no cpufreq", [:])
    }

    @Test(arguments: [
        ("performance", Condition.Verdict.pass), ("balance_power", .pass), ("power", .fail), ("255", .fail),
    ])
    func preferences(text: String, verdict: Condition.Verdict) throws {
        try expect(
            "epp", verdict, text, ["\(Self.cpu)/cpu1/cpufreq/energy_performance_preference": text])
    }

    @Test func lowPowerByAnyName() throws {
        let profile = "sys/firmware/acpi/platform_profile"
        try expect("platform_profile", .fail, "low-power", [profile: "low-power"])
        try expect("platform_profile", .pass, "balanced", [profile: "balanced"])
        try expect("low_power_mode", .fail, nil, [profile: "low-power"])
        try expect("low_power_mode", .pass, "off", [profile: "performance"])
        let most = "\(Self.cpu)/cpu0/cpufreq/cpuinfo_max_freq"
        let allowed = "\(Self.cpu)/cpu0/cpufreq/scaling_max_freq"
        try expect("low_power_mode", .pass, "off", [most: "4000000", allowed: "4000000"])
        try expect(
            "low_power_mode", .fail, "clocks of 1 CPUs are capped below their maximum",
            [most: "4000000", allowed: "2000000"])
        try expect(
            "low_power_mode", .fail, "max_perf_pct is 60", ["\(Self.cpu)/intel_pstate/max_perf_pct": "60"])
        try expect("low_power_mode", .cannotTell, "no interface", [:])
    }

    @Test func turboIsNamedAndNoFault() throws {
        try expect("turbo", .pass, "off", ["\(Self.cpu)/intel_pstate/no_turbo": "1"])
        try expect("turbo", .pass, "on", ["\(Self.cpu)/cpufreq/boost": "1"])
    }

    /// Of every package by the zone's name, with the constraint found by its name too.
    @Test func aLoweredPowerLimit() throws {
        func zone(_ limit: String, enabled: String = "1") -> [String: String] {
            let path = "sys/class/powercap/intel-rapl:1"
            return [
                "sys/class/powercap/intel-rapl:0/name": "psys", "\(path)/name": "package-0",
                "\(path)/enabled": enabled, "\(path)/constraint_0_name": "short_term",
                "\(path)/constraint_0_power_limit_uw": "1", "\(path)/constraint_0_max_power_uw": "2",
                "\(path)/constraint_1_name": "long_term", "\(path)/constraint_1_power_limit_uw": limit,
                "\(path)/constraint_1_max_power_uw": "55000000",
            ]
        }
        let name = "rapl_power_limit"
        try expect(name, .fail, "intel-rapl:1 (package-0): 45 W, default 55 W", zone("45000000"))
        // Boards raise it: no fault.
        try expect(name, .pass, "intel-rapl:1 (package-0): 253 W, default 55 W", zone("253000000"))
        try expect(name, .pass, "intel-rapl:1 (package-0): not enforced", zone("45000000", enabled: "0"))
        try expect(name, .cannotTell, nil, [:])
    }

    /// Firmware names its supplies as it likes.
    @Test func powerSuppliesByTheirType() throws {
        let mains = "sys/class/power_supply/hidpp_17"
        let pack = "sys/class/power_supply/CMB9"
        let battery = ["\(pack)/type": "Battery", "\(pack)/status": "Discharging", "\(pack)/capacity": "81"]
        func charger(_ online: String) -> [String: String] {
            ["\(mains)/type": "Mains", "\(mains)/online": online]
        }
        let both = { (online: String) in battery.merging(charger(online)) { first, _ in first } }
        try expect("ac_power", .fail, "battery: CMB9 discharging 81 %", battery)
        try expect("ac_power", .fail, "battery: CMB9 discharging 81 %", both("0"))
        try expect("ac_power", .pass, "AC (hidpp_17), CMB9 discharging 81 %", both("1"))
        try expect("ac_power", .pass, "AC (hidpp_17)", charger("1"))
        try expect("ac_power", .fail, "no charger is online", charger("0"))
        try expect(
            "ac_power", .pass, "CMB9 full 100 %",
            ["\(pack)/type": "Battery", "\(pack)/status": "Full", "\(pack)/capacity": "100"])
        // A mouse's own.
        try expect(
            "ac_power", .cannotTell, "no power supply is listed",
            battery.merging(["\(pack)/scope": "Device"]) { first, _ in first })
    }

    @Test func kelvinUnderTheFirstTripPoint() throws {
        func zone(_ degrees: String, mode: String = "enabled") -> [String: String] {
            let path = "sys/class/thermal/thermal_zone0"
            return [
                "\(path)/type": "x86_pkg_temp", "\(path)/temp": degrees, "\(path)/mode": mode,
                "\(path)/trip_point_0_type": "active", "\(path)/trip_point_0_temp": "35000",
                "\(path)/trip_point_1_type": "passive", "\(path)/trip_point_1_temp": "95000",
                "\(path)/trip_point_2_type": "critical", "\(path)/trip_point_2_temp": "105000",
                "\(path)/trip_point_3_type": "passive", "\(path)/trip_point_3_temp": "-274000",
            ]
        }
        let text = "K under its first trip point"
        try expect("temperature", .pass, "x86_pkg_temp at 45.0 C, 50.0 \(text)", zone("45000"))
        try expect("temperature", .fail, "x86_pkg_temp at 91.5 C, 3.5 \(text)", zone("91500"))
        try expect("temperature", .cannotTell, nil, zone("45000", mode: "disabled"))
        let chip = "sys/class/hwmon/hwmon3"
        let sensor = [
            "\(chip)/name": "coretemp", "\(chip)/temp1_label": "Package id 0", "\(chip)/temp1_input": "79000",
            "\(chip)/temp1_max": "80000", "\(chip)/temp1_crit": "100000",
        ]
        // The nearest one counts.
        try expect(
            "temperature", .fail, "coretemp Package id 0 at 79.0 C, 1.0 \(text)",
            sensor.merging(zone("45000")) { first, _ in first })
    }

    @Test func aTracerIsSeen() throws {
        try expect("no_tracer", .fail, "traced by process 77", ["proc/self/status": "TracerPid:\t77"])
        try expect("no_tracer", .pass, "none", ["proc/self/status": "TracerPid:\t0"])
        try expect("no_tracer", .cannotTell, nil, [:])
    }

    /// What is named is no fault, whatever it is.
    @Test func machinesInMachinesAreNamed() throws {
        let checks = try MachineTree(["proc/1/cgroup": "0::/kubepods/pod1", "proc/cpuinfo": "flags : fpu"])
            .checks()
        for name in ["virtual_machine", "container", "threads"] {
            #expect(checks[name]?.verdict != "fail")
        }
        // Marks of a container that these tests themselves run in go before.
        let marks = ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"]
        if marks.allSatisfy({ access($0, F_OK) != 0 }) { #expect(checks["container"]?.seen == "kubepods") }
    }

    /// A container may see many processors and get the time of a few.
    @Test func aQuotaLeavesFewerProcessors() throws {
        let tree = try MachineTree([
            "proc/self/cgroup": "0::/a/b", "sys/fs/cgroup/a/b/cpu.max": "max 100000",
            "sys/fs/cgroup/a/cpu.max": "150000 100000",
        ])
        #expect(
            tree.checks(threads: 2)["threads"]?.seen
                == "2 threads on 2 usable CPUs of which a quota leaves 1.5")
        #expect(Identity.read(tree.facts)["cpu_quota"] == .known("1.5 CPUs"))
        #expect(Identity.read(try MachineTree().facts)["cpu_quota"]?.value == nil)
        try tree.write("sys/fs/cgroup/a/cpu.max", "900000 100000")
        #expect(tree.checks()["threads"]?.seen == "the engine's default on 2 usable CPUs")
    }

    @Test func whatIsSeenIsHeldToALength() throws {
        let long = String(repeating: "x", count: 5_000)
        let checks = try MachineTree([
            "sys/firmware/acpi/platform_profile": long,
            "\(Self.cpu)/cpu0/cpufreq/scaling_governor": long + "\u{1B}[31m",
        ]).checks()
        for (name, check) in checks { #expect(check.seen.unicodeScalars.count <= 401, "\(name)") }
        #expect(checks["platform_profile"]?.seen.hasPrefix("xxx") == true)
    }
}

@Suite struct EngineConditionsTests {
    private func verdicts(_ type: String?, tracer: String = "0") throws -> [Condition.Verdict] {
        let tree = try MachineTree(["proc/42/status": "TracerPid:\t\(tracer)"])
        return Conditions.engine(buildType: type, pids: [42], isLocal: true, tree.facts).map(
            \.verdict)
    }

    @Test(
        arguments: [
            ("release", Condition.Verdict.pass), ("RelWithDebInfo", .pass), ("debug", .fail),
            ("assertions", .fail), (nil, .cannotTell),
        ] as [(String?, Condition.Verdict)])
    func onlyAReleaseBuildPasses(type: String?, verdict: Condition.Verdict) throws {
        #expect(try verdicts(type) == [verdict, .pass])
    }

    @Test func aTracedEngineFails() throws {
        #expect(try verdicts("release", tracer: "9") == [.pass, .fail])
        let remote = Conditions.engine(
            buildType: "release", pids: [], isLocal: false, try MachineTree().facts)
        #expect(remote.map(\.verdict) == [.cannotTell, .cannotTell])
    }

    @Test func variablesInForceAreKeptAndSecretsAreNot() {
        let identity = EngineVariables.identity([
            "OMP_NUM_THREADS=4", "PATH=/bin", "LLAMA_API_KEY=hunter2", "LD_PRELOAD=",
            "GGML_X=" + String(repeating: "y", count: 9_000), "CUDA_VISIBLE_DEVICES=1",
            "MALLOC_ARENA_MAX=2=3",
        ])
        #expect(identity["env:OMP_NUM_THREADS"] == .known("4"))
        #expect(identity["env:LD_PRELOAD"] == .known(""))
        #expect(identity["env:MALLOC_ARENA_MAX"] == .known("2=3"))
        #expect(identity["env:CUDA_VISIBLE_DEVICES"] == .known("1"))
        #expect(identity["env:LLAMA_API_KEY"]?.reason == "a secret by its name")
        #expect(identity["env:GGML_X"]?.value?.unicodeScalars.count == 401)
        #expect(identity["env:PATH"] == nil)
        #expect(EngineVariables.recorded("LLAMA_API_KEY=hunter2") == "LLAMA_API_KEY=...")
        #expect(EngineVariables.recorded("OMP_NUM_THREADS=4") == "OMP_NUM_THREADS=4")
    }
}

@Suite struct RunningCountsTests {
    @Test func countsAreKeptAsTheyStand() throws {
        let cpu = "sys/devices/system/cpu"
        var files = ["proc/vmstat": "pgpgin 1\npswpin 30\npswpout 40\npswpoutx 9"]
        for (number, package, core, whole) in [(0, 0, 5, 100), (1, 0, 6, 100), (2, 1, 7, 8)] {
            files["\(cpu)/cpu\(number)/topology/physical_package_id"] = "\(package)"
            files["\(cpu)/cpu\(number)/thermal_throttle/core_throttle_count"] = "\(core)"
            files["\(cpu)/cpu\(number)/thermal_throttle/package_throttle_count"] = "\(whole)"
        }
        files["\(cpu)/cpufreq/boost"] = "1"
        files["sys/devices/platform/soc/soc:firmware/get_throttled"] = "50005"
        let tree = try MachineTree(files)
        let counts = RunningCounts.read(tree.facts)
        #expect(counts["throttle:cores"] == 18)
        #expect(counts["throttle:package-0"] == 100)
        #expect(counts["throttle:package-1"] == 8)
        #expect(counts["throttle:firmware"] == 0x50005)
        #expect(counts["swap:in_pages"] == 30)
        #expect(counts["swap:out_pages"] == 40)
        #expect(counts["swap:page_bytes"] ?? 0 >= 4096)
        #expect(RunningCounts.read(try MachineTree().facts) == [:])
    }
}
