import Analysis
import Glibc
import Testing

@testable import Energy

@Suite struct BatteryTests {
    /// A battery of some files in a tree of its own; "BAT0" unless named otherwise.
    private func tree(_ files: [String: String], name: String = "BAT0") throws -> TemporaryTree {
        let tree = try TemporaryTree()
        try add(files, name: name, to: tree)
        return tree
    }

    private func add(_ files: [String: String], name: String, to tree: TemporaryTree) throws {
        let standard = ["type": "Battery", "status": "Discharging", "capacity": "57"]
        for (file, text) in standard.merging(files, uniquingKeysWith: { _, new in new }) {
            try tree.write(text + "\n", to: "class/power_supply/\(name)/\(file)")
        }
    }

    private func probe(_ tree: TemporaryTree, _ power: PowerSelection = .battery) -> ProbeResult {
        Probe.run(roots: SystemRoots(sysfs: tree.root, procfs: tree.path("proc")), power: power)
    }

    private func source(_ id: String, _ result: ProbeResult) throws -> LiveSource {
        try #require(result.sources.first { $0.line.id == id }, "\(result.rows)")
    }

    /// C18: the sign is the driver's taste; power is the magnitude, whichever files there are.
    @Test(
        arguments: [
            (["power_now": "7500000"], "power_supply:power_now", nil),
            (["power_now": "-7500000"], "power_supply:power_now", nil),
            (
                ["current_now": "-600000", "voltage_now": "12500000", "charge_now": "1"],
                "power_supply:current_now x voltage_now",
                "estimated as current_now x voltage_now, read one after the other"
            ),
            (
                ["current_now": "600000", "voltage_now": "12500000"],
                "power_supply:current_now x voltage_now", nil
            ),
        ] as [([String: String], String, String?)])
    func power(files: [String: String], interface: String, derivation: String?) throws {
        let result = probe(try tree(files))
        let battery = try source("battery:BAT0", result)
        #expect(try battery.value() == 7_500_000)
        #expect(battery.line.scale == 1e-6)
        #expect(battery.line.kind == .gauge)
        #expect(battery.line.scope == SourceLine.Scope(domain: "battery", device: "BAT0"))
        #expect(battery.line.interface == interface)
        if let derivation {
            #expect(battery.line.derivation == derivation)
            #expect(result.rows.first { $0.id == "battery:BAT0" }?.reason == derivation)
        }
    }

    @Test(arguments: ["Charging", "Full", "Not charging", "Unknown"])
    func onMainsItMeasuresNothing(status: String) throws {
        let result = probe(try tree(["power_now": "7500000", "energy_now": "40000000", "status": status]))
        #expect(!result.hasEnergy)
        let row = result.rows.first { $0.id == "battery:BAT0" }
        #expect(row?.status == .unsupported)
        #expect(row?.reason?.contains("status: \(status)") == true)
        #expect(row?.remedy?.contains("unplug") == true)
        // How full it is can be told all the same.
        #expect(try source("battery:BAT0/percent", result).value() == 57)
        #expect(try source("battery:BAT0/discharging", result).value() == 0)
    }

    /// Plugged in during a run: a gap, and not the power that flows into the battery.
    @Test func noValueOnceItCharges() throws {
        let tree = try tree(["power_now": "7500000"])
        let battery = try source("battery:BAT0", probe(tree))
        try tree.write("Charging\n", to: "class/power_supply/BAT0/status")
        #expect(throws: Failure.self) { try battery.value() }
        try tree.write("Discharging\n", to: "class/power_supply/BAT0/status")
        #expect(try battery.value() == 7_500_000)
    }

    /// Neither power nor current: what has left the battery is counted, by energy or by charge x voltage.
    @Test func countedByWhatIsLeft() throws {
        let tree = try tree(["energy_now": "40000000"])
        let battery = try source("battery:BAT0", probe(tree))
        #expect(battery.line.kind == .counter)
        #expect(battery.line.interface == "power_supply:energy_now")
        #expect(try battery.value() == 0)
        try tree.write("39990000\n", to: "class/power_supply/BAT0/energy_now")
        #expect(try battery.value() == 10_000)
        #expect(abs(Double(try battery.value()) * battery.line.scale - 36) < 1e-9)

        let charge = try self.tree(["charge_now": "3000000", "voltage_now": "12000000"])
        let second = try source("battery:BAT0", probe(charge))
        #expect(second.line.derivation?.contains("charge_now x voltage_now") == true)
        try charge.write("2999000\n", to: "class/power_supply/BAT0/charge_now")
        #expect(try second.value() == 12_000)
    }

    @Test func contextWithoutEnergy() throws {
        let result = probe(try tree(["power_now": "7500000"]), .none)
        #expect(!result.rows.contains { $0.id == "battery:BAT0" || $0.id == "battery" })
        #expect(try source("battery:BAT0/percent", result).value() == 57)
        #expect(try source("battery:BAT0/discharging", result).value() == 1)
    }

    @Test func whoseBattery() throws {
        let tree = try tree(["power_now": "7500000"])
        try add(["power_now": "1000"], name: "BAT1", to: tree)
        try add(["power_now": "1", "scope": "Device"], name: "hidpp_battery_0", to: tree)
        try add(["power_now": "1", "present": "0"], name: "BAT2", to: tree)
        try add(["type": "Mains", "online": "0"], name: "AC", to: tree)
        try tree.write("120\n", to: "class/backlight/panel/brightness")
        let result = probe(tree)
        #expect(
            result.sources.filter { $0.line.quantity == .power }.map(\.line.id) == [
                "battery:BAT0", "battery:BAT1",
            ])
        #expect(try source("backlight:panel", result).value() == 120)
    }

    @Test func faults() throws {
        let empty = try TemporaryTree()
        #expect(probe(empty).rows.first { $0.id == "battery" }?.status == .absent)
        try empty.makeDirectory("class/power_supply")
        #expect(probe(empty).rows.first { $0.id == "battery" }?.status == .absent)
        #expect(
            probe(try tree(["power_now": "lots"])).rows.first { $0.id == "battery:BAT0" }?.status
                == .unsupported)
        let bare = probe(try tree([:])).rows.first { $0.id == "battery:BAT0" }
        #expect(bare?.reason == "tells neither power nor current nor what is left in it")
        let huge = probe(try tree(["power_now": "4290000000000"])).rows.first { $0.id == "battery:BAT0" }
        #expect(huge?.reason == "reads 4290000.0 W")
        let overflow = probe(
            try tree(["current_now": "9223372036854775807", "voltage_now": "9223372036854775807"]))
        #expect(overflow.rows.first { $0.id == "battery:BAT0" }?.status == .unsupported)
    }

    @Test func unreadableStatusIsAWantOfPermission() throws {
        let tree = try tree(["power_now": "7500000"])
        try #require(chmod(tree.path("class/power_supply/BAT0/status"), 0o400) == 0)
        try #require(chmod(tree.root, 0o755) == 0)
        let row = try asNobody { probe(tree).rows.first { $0.id == "battery:BAT0" } }
        #expect(row?.status == .noPermission)
    }

    @Test func throttleBitsOfARaspberryPi() throws {
        let tree = try TemporaryTree()
        #expect(!probe(tree, .none).rows.contains { $0.id == "throttle:firmware" })
        try tree.write("50005\n", to: "devices/platform/soc/soc:firmware/get_throttled")
        #expect(try source("throttle:firmware", probe(tree, .none)).value() == 0x50005)
    }
}
