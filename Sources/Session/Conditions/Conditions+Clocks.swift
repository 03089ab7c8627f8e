import Analysis

/// What holds the processors' clocks and power down, over all CPUs in use (kernel
/// Documentation/admin-guide/pm/cpufreq.rst, intel_pstate.rst, amd-pstate.rst).
extension Conditions {
    var clocks: [Condition] { [governor, preference, profile, lowPower, turbo] }

    /// The values of one file over the processors in use, with the number of each: the commonest first.
    private func values(_ file: String) -> [(text: String, count: Int)] {
        var counts: [String: Int] = [:]
        for processor in processors {
            if let text = facts.sys("devices/system/cpu/cpu\(processor)/cpufreq/\(file)").value {
                counts[text.bounded(to: 40), default: 0] += 1
            }
        }
        return counts.map { (text: $0.key, count: $0.value) }
            .sorted { ($1.count, $0.text) < ($0.count, $1.text) }
    }

    /// "performance", or "performance on 14 CPUs, powersave on 2".
    private static func list(_ values: [(text: String, count: Int)]) -> String {
        guard values.count > 1 else { return values.first?.text ?? "" }
        return values.prefix(4).map { "\($0.text) on \($0.count) CPUs" }.joined(separator: ", ")
            + (values.count > 4 ? ", ..." : "")
    }

    /// `powersave` keeps the lowest clock, except where the driver takes it for its own balance, which then
    /// shows as a preference.
    private var governor: Condition {
        let governors = values("scaling_governor")
        if governors.isEmpty { return Self.check("governor", .cannotTell, "no cpufreq") }
        let isSlow =
            governors.contains { $0.text == "powersave" } && values(Self.preferenceFile).isEmpty
        return Self.check("governor", isSlow ? .fail : .pass, Self.list(governors))
    }

    private static let preferenceFile = "energy_performance_preference"

    private var preference: Condition {
        let preferences = values(Self.preferenceFile)
        if preferences.isEmpty { return Self.check("epp", .cannotTell, "no interface") }
        // 255 is the number that "power" stands for.
        let saves = preferences.contains { ["power", "255"].contains($0.text) }
        return Self.check("epp", saves ? .fail : .pass, Self.list(preferences))
    }

    private var profile: Condition {
        guard let profile = facts.sys("firmware/acpi/platform_profile").value else {
            return Self.check("platform_profile", .cannotTell, "no interface")
        }
        return Self.check("platform_profile", profile == "low-power" ? .fail : .pass, profile)
    }

    /// A mode that saves power by whatever name: a profile, or clocks that may not reach what the processor can.
    private var lowPower: Condition {
        var reasons: [String] = []
        let profile = facts.sys("firmware/acpi/platform_profile").value
        if profile == "low-power" { reasons.append("platform profile low-power") }
        if let percent = facts.number("devices/system/cpu/intel_pstate/max_perf_pct"), percent < 100 {
            reasons.append("max_perf_pct is \(percent)")
        }
        var capped = 0
        var compared = 0
        for processor in processors {
            let path = "devices/system/cpu/cpu\(processor)/cpufreq"
            guard let most = facts.number("\(path)/scaling_max_freq"),
                let possible = facts.number("\(path)/cpuinfo_max_freq")
            else { continue }
            compared += 1
            // Steps of the driver: what is under 1 % is rounding.
            if Double(most) < 0.99 * Double(possible) { capped += 1 }
        }
        if capped > 0 { reasons.append("clocks of \(capped) CPUs are capped below their maximum") }
        if !reasons.isEmpty {
            return Self.check("low_power_mode", .fail, reasons.joined(separator: "; "))
        }
        guard compared > 0 || profile != nil else {
            return Self.check("low_power_mode", .cannotTell, "no interface")
        }
        return Self.check("low_power_mode", .pass, "off")
    }

    /// Either is a machine that can be measured, as long as it is named.
    private var turbo: Condition {
        if let off = facts.sys("devices/system/cpu/intel_pstate/no_turbo").value {
            return Self.check("turbo", .pass, off == "0" ? "on" : "off")
        }
        if let boost = facts.sys("devices/system/cpu/cpufreq/boost").value {
            return Self.check("turbo", .pass, boost == "1" ? "on" : "off")
        }
        return Self.check("turbo", .cannotTell, "no interface")
    }
}
