import Analysis
import CHost
import Glibc

/// The checks of METRICS "Conditions" that are cheap to read, each with the value seen.
struct Conditions {
    let facts: HostFacts
    /// Directory whose disk the trace goes to.
    let output: String
    /// Threads asked of the engine; nil for its own default.
    let threads: Int?

    /// The checks that need no span of time.
    func instant() -> [Condition] {
        [
            releaseBuild(), tracer(), governor(), turbo(), powerSource(), temperatureThrottle(), freeDisk(),
            threadCount(),
        ]
    }

    private func releaseBuild() -> Condition {
        let type = String(cString: chost_build_type())
        return Condition("release_build", type == "release" ? .pass : .fail, seen: "sustain: \(type)")
    }

    private func tracer() -> Condition {
        switch facts.procField("self/status", "TracerPid") {
        case .known("0"): Condition("no_tracer", .pass, seen: "none")
        case .known(let pid): Condition("no_tracer", .fail, seen: "traced by process \(pid)")
        case .unavailable(let why): Condition("no_tracer", .cannotTell, seen: why.reason)
        }
    }

    private func governor() -> Condition {
        switch facts.sys("devices/system/cpu/cpu0/cpufreq/scaling_governor") {
        case .unavailable: return Condition("governor", .cannotTell, seen: "no cpufreq")
        case .known(let governor):
            let preference = facts.sys("devices/system/cpu/cpu0/cpufreq/energy_performance_preference").value
            let profile = facts.sys("firmware/acpi/platform_profile").value
            let saving = governor == "powersave" && preference == nil || profile == "low-power"
            let seen = [governor, preference.map { "EPP \($0)" }, profile.map { "profile \($0)" }]
            return Condition(
                "governor", saving ? .fail : .pass, seen: seen.compactMap { $0 }.joined(separator: ", "))
        }
    }

    private func turbo() -> Condition {
        if let off = facts.sys("devices/system/cpu/intel_pstate/no_turbo").value {
            return Condition("turbo", .pass, seen: off == "0" ? "on" : "off")
        }
        if let boost = facts.sys("devices/system/cpu/cpufreq/boost").value {
            return Condition("turbo", .pass, seen: boost == "1" ? "on" : "off")
        }
        return Condition("turbo", .cannotTell, seen: "no interface")
    }

    /// On battery the platform limits power as it likes: a run there stands apart.
    private func powerSource() -> Condition {
        for name in ["AC", "ADP1", "ACAD", "AC0"] {
            if let online = facts.sys("class/power_supply/\(name)/online").value {
                return Condition(
                    "ac_power", online == "1" ? .pass : .fail, seen: online == "1" ? "AC" : "battery")
            }
        }
        if let status = facts.sys("class/power_supply/BAT0/status").value {
            let discharging = status == "Discharging"
            return Condition("ac_power", discharging ? .fail : .pass, seen: "battery: \(status)")
        }
        return Condition("ac_power", .cannotTell, seen: "no power supply is listed")
    }

    private func temperatureThrottle() -> Condition {
        switch facts.sys("devices/system/cpu/cpu0/thermal_throttle/package_throttle_count") {
        case .known(let count): Condition("thermal", .pass, seen: "package throttle count \(count)")
        case .unavailable: Condition("thermal", .cannotTell, seen: "no throttle counter")
        }
    }

    private func freeDisk() -> Condition {
        var status = statvfs()
        guard statvfs(output, &status) == 0 else {
            return Condition("free_disk", .cannotTell, seen: String(cString: strerror(errno)))
        }
        let mebibytes = (UInt64(status.f_bavail) * UInt64(status.f_frsize)) >> 20
        return Condition("free_disk", mebibytes < 64 ? .fail : .pass, seen: "\(mebibytes) MiB")
    }

    /// A warning and never a failure: engines that spin at barriers collapse when a core is taken from them.
    private func threadCount() -> Condition {
        guard let usable = Identity.usableCPUCount() else {
            return Condition("threads", .cannotTell, seen: "usable CPUs unknown")
        }
        let text =
            threads.map { "\($0) threads on \(usable) usable CPUs" }
            ?? "engine's default on \(usable) usable CPUs"
        return Condition("threads", .pass, seen: text)
    }

    /// Who used the CPUs over an idle window: nobody should.
    static func quiet(during part: Part, from: CPUUse?, to: CPUUse?, over span: Nanoseconds) -> [Condition] {
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        guard let from, let to, span.value > 0, ticks > 0 else {
            return [
                Condition("other_load", .cannotTell, seen: "/proc/stat cannot be read or the window is empty")
            ]
        }
        let seconds = span.seconds.value
        let ours = Double(to.ours &- from.ours)
        let others = max(0, Double(to.busy &- from.busy) - ours) / ticks / seconds
        let steal = Double(to.steal &- from.steal) / ticks / seconds
        return [
            Condition(
                "other_load", others > 0.5 ? .fail : .pass,
                seen: "other processes used \(percent(others)) of a core in \(part.rawValue)"),
            Condition(
                "steal", steal > 0.05 ? .fail : .pass,
                seen: "\(percent(steal)) of a core stolen in \(part.rawValue)"),
        ]
    }

    private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
}
