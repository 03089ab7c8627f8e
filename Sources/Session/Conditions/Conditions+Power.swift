import Analysis

/// Where the power comes from, and how much of it the processors may draw.
extension Conditions {
    /// RAPL's long-term limit of each package against what the vendor gave the part (kernel
    /// Documentation/power/powercap/powercap.rst: `constraint_N_max_power_uw`). Not against what the part can
    /// draw: that is often several times as much.
    var powerLimit: Condition {
        var seen: [String] = []
        var isLow = false
        for zone in facts.names("class/powercap", prefix: "intel-rapl") {
            let path = "class/powercap/\(zone)"
            guard let name = facts.sys("\(path)/name").value, name.hasPrefix("package") else { continue }
            if facts.sys("\(path)/enabled").value == "0" {
                seen.append("\(zone) (\(name)): not enforced")
                continue
            }
            guard
                let number = (0..<4).first(where: {
                    facts.sys("\(path)/constraint_\($0)_name").value == "long_term"
                }), let limit = facts.number("\(path)/constraint_\(number)_power_limit_uw"),
                let normal = facts.number("\(path)/constraint_\(number)_max_power_uw"), normal > 0
            else { continue }
            if limit < normal { isLow = true }
            seen.append("\(zone) (\(name)): \(watts(limit)) W, default \(watts(normal)) W")
        }
        if seen.isEmpty {
            return Self.check("rapl_power_limit", .cannotTell, "no package tells its limit and its default")
        }
        return Self.check("rapl_power_limit", isLow ? .fail : .pass, seen.joined(separator: "; "))
    }

    private func watts(_ microwatts: Int64) -> Int64 { (microwatts / 500_000 + 1) / 2 }

    /// A supply by its type and not by its name, which is the firmware's to choose (kernel
    /// Documentation/ABI/testing/sysfs-class-power). What feeds a mouse has the scope "Device".
    private struct Supply {
        let name: String
        let isBattery: Bool
        /// Of a charger; nil for a battery.
        let isOnline: Bool?
        /// Of a battery: "Discharging", "Charging", "Full", "Not charging".
        let status: String?
        let percent: Int64?

        init?(_ name: String, _ facts: HostFacts) {
            let path = "class/power_supply/\(name)"
            guard let type = facts.sys("\(path)/type").value, facts.sys("\(path)/scope").value != "Device"
            else { return nil }
            isBattery = type == "Battery" || type == "UPS"
            if isBattery, facts.number("\(path)/present") == 0 { return nil }
            self.name = name
            isOnline = isBattery ? nil : facts.number("\(path)/online").map { $0 != 0 }
            status = isBattery ? facts.sys("\(path)/status").value : nil
            percent = isBattery ? facts.number("\(path)/capacity") : nil
        }

        var text: String {
            isBattery
                ? [name, status?.lowercased() ?? "status unknown", percent.map { "\($0) %" }]
                    .compactMap { $0 }.joined(separator: " ") : name
        }
    }

    /// On battery the platform limits power as it likes: a run there stands apart.
    var powerSource: Condition {
        let supplies = facts.names("class/power_supply", prefix: "").prefix(64).compactMap {
            Supply($0, facts)
        }
        let batteries = supplies.filter(\.isBattery)
        let levels = batteries.map(\.text).joined(separator: ", ")
        let chargers = supplies.filter { $0.isOnline == true }
        if batteries.contains(where: { $0.status == "Discharging" }), chargers.isEmpty {
            return Self.check("ac_power", .fail, "battery: \(levels)")
        }
        if let charger = chargers.first {
            return Self.check(
                "ac_power", .pass, "AC (\(charger.name))" + (levels.isEmpty ? "" : ", \(levels)"))
        }
        if supplies.contains(where: { $0.isOnline == false }) {
            return Self.check(
                "ac_power", .fail, "no charger is online" + (levels.isEmpty ? "" : ": \(levels)"))
        }
        if !batteries.isEmpty {
            let charges = batteries.contains { ["Charging", "Full", "Not charging"].contains($0.status) }
            return Self.check("ac_power", charges ? .pass : .cannotTell, levels)
        }
        return Self.check("ac_power", .cannotTell, "no power supply is listed")
    }
}
