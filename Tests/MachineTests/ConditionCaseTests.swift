import Analysis
import TestSupport
import Testing

/// Conditions of a machine whose files other programs see too.
@Suite(.enabled(if: Simulator.isHere, Comment(rawValue: Simulator.missing ?? "")))
struct ConditionCaseTests {
    private static let machine = """
        domain package-0 20
        zone intel-rapl:3 package-0 package-0 max_power=125
        text class/power_supply/wmi_line/type Mains
        text class/power_supply/wmi_line/online 0
        text class/power_supply/CMB1/type Battery
        text class/power_supply/CMB1/status Discharging
        text class/power_supply/CMB1/capacity 55
        text class/thermal/thermal_zone0/type cpu-thermal
        text class/thermal/thermal_zone0/temp 60000
        text class/thermal/thermal_zone0/trip_point_0_type passive
        text class/thermal/thermal_zone0/trip_point_0_temp 95000
        """

    private func verdicts(_ more: String) throws -> [String: Condition] {
        var run = try SimulatedRun()
        run.run.arguments = ["--seconds", "1", "--idle", "0", "-p", "8", "-n", "11", "--warmup", "0"]
        let record = try run.result(on: Self.machine + "\n" + more).record
        return Dictionary(
            record.environment.filter.verdicts.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    @Test func aLaptopOnItsBatteryIsAnotherMachine() throws {
        let seen = try verdicts("")
        #expect(seen["ac_power"] == Condition("ac_power", .fail, seen: "battery: CMB1 discharging 55 %"))
        #expect(seen["temperature"]?.verdict == .pass)
        #expect(
            seen["rapl_power_limit"]
                == Condition(
                    "rapl_power_limit", .pass, seen: "intel-rapl:3 (package-0): 125 W, default 125 W"))
    }

    @Test func aMachineThatIsTooWarmAndHeldDown() throws {
        let seen = try verdicts(
            """
            set class/thermal/thermal_zone0/temp 93000
            fault class/powercap/intel-rapl:3/constraint_0_power_limit_uw sentinel=45000000
            set class/power_supply/wmi_line/online 1
            """)
        #expect(
            seen["temperature"]
                == Condition(
                    "temperature", .fail, seen: "cpu-thermal at 93.0 C, 2.0 K under its first trip point"))
        #expect(
            seen["rapl_power_limit"]
                == Condition(
                    "rapl_power_limit", .fail, seen: "intel-rapl:3 (package-0): 45 W, default 125 W"))
        #expect(seen["ac_power"]?.verdict == .pass)
    }
}
