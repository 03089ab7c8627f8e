import Analysis
import Foundation
import TestSupport
import Testing

/// Sensors of the simulated machine (Tests/Simulator), which libsensors reads as it would the kernel's.
@Suite(.enabled(if: Simulator.isHere, Comment(rawValue: Simulator.missing ?? "")))
struct SimulatedSensorsTests {
    private func doctor(_ scenario: String, _ arguments: [String]) throws -> DoctorReport {
        let workplace = try Workplace()
        let ended = try Simulator.start(
            scenario, [Program.path("sustain"), "doctor", "--json"] + arguments, in: workplace
        ).wait()
        #expect(ended.status == 0, "\(ended.errors)")
        return try JSONDecoder().decode(DoctorReport.self, from: ended.output)
    }

    private func source(_ id: String, _ report: DoctorReport) throws -> SourceLook {
        try #require(report.sources.first { $0.id == id }, "\(report.sources.map(\.id))")
    }

    private static let sensors = """
        domain gpu 180
        domain board 7.5
        wave gpu 190:40ms 170:40ms
        chip hwmon0 amdgpu
        gauge class/hwmon/hwmon0/power1_average gpu period=10ms
        text class/hwmon/0000:03:00.0/vendor 0x1002
        link class/hwmon/hwmon0/device ../../../../class/hwmon/0000:03:00.0
        chip hwmon1 ina3221
        text class/hwmon/hwmon1/in1_input 5000
        gauge class/hwmon/hwmon1/curr1_input board scale=0.0002
        chip hwmon2 broken
        text class/hwmon/hwmon2/power1_input 1
        fault class/hwmon/hwmon2/power1_input eio
        chip hwmon3 huge
        text class/hwmon/hwmon3/power1_input 4290000000000
        chip hwmon4 xe
        counter class/hwmon/hwmon4/energy1_input gpu period=1ms
        gauge class/hwmon/hwmon4/power1_input gpu period=1ms
        text class/hwmon/hwmon4/energy1_label card
        text class/hwmon/hwmon4/power1_label card

        """

    /// C16 and C17, on a machine whose power is known.
    @Test func boardsAndRails() throws {
        let report = try doctor(Self.sensors, ["--seconds", "3", "--power", "hwmon"])
        let amdgpu = try source("hwmon:amdgpu-0/power1", report)
        #expect(amdgpu.interface == "hwmon:power1_average")
        #expect(amdgpu.scope == SourceLine.Scope(domain: "gpu-board", device: "0000:03:00.0"))
        #expect(abs((amdgpu.watts.number ?? 0) - 180) < 5, "\(amdgpu.watts)")
        #expect(amdgpu.resolution.number == 20)
        let rail = try source("hwmon:ina3221-0/in1xcurr1", report)
        #expect(rail.reason?.contains("estimated as in1_input x curr1_input") == true)
        #expect(abs((rail.watts.number ?? 0) - 7.5) < 0.01, "\(rail.watts)")
        #expect(try source("hwmon:broken-0/power1", report).status == .dead)
        #expect(try source("hwmon:huge-0/power1", report).reason == "reads 4290000.0 W")
        // The counter of a device goes before its power.
        #expect(report.total.includes == ["hwmon:amdgpu-0/power1", "hwmon:xe-0/energy1"])
        #expect(
            report.total.excludes.contains {
                $0.id == "hwmon:xe-0/power1" && $0.reason.contains("same scope")
            })
        let counter = try source("hwmon:xe-0/energy1", report)
        #expect(abs((counter.watts.number ?? 0) - 180) < 5, "\(counter.watts)")
        #expect((counter.minimumDetectableEffectWatts.number ?? 0) > 0)
    }

    /// What can be done is said where a sensor is not there, or not ours to read.
    @Test func remediesOfSensors() throws {
        let report = try doctor(
            """
            domain socket 60
            chip hwmon0 amd_energy
            counter class/hwmon/hwmon0/energy1_input socket
            text class/hwmon/hwmon0/energy1_label Esocket0
            fault class/hwmon/hwmon0/energy1_input eacces

            """, ["--seconds", "0.2", "--power", "hwmon"])
        let counter = try source("hwmon:amd_energy-0/energy1", report)
        #expect(counter.status == .noPermission)
        #expect(
            counter.remedy
                == "sudo chmod a+r /sys/class/hwmon/hwmon0/energy1_input   (until the next boot)")
        let none = try doctor("", ["--seconds", "0.2"])
        #expect(try source("hwmon", none).remedy?.contains("sudo sensors-detect") == true)
        #expect(try source("rapl", none).remedy?.contains("sudo modprobe intel_rapl_msr") == true)
    }

    /// Two packages of which the second shows the first one's counter: the look sees what a run sees.
    @Test func aMirroredPackageCountsOnce() throws {
        let report = try doctor(
            """
            domain package-0 85
            domain package-1 85
            wave package-0 85:30ms 60:50ms
            zone intel-rapl:0 package-0 package-0
            zone intel-rapl:1 package-1 package-1
            fault class/powercap/intel-rapl:1/energy_uj mirrored=class/powercap/intel-rapl:0/energy_uj

            """, ["--power", "rapl"])
        #expect(try source("rapl:package-0", report).status == .ok)
        let second = try source("rapl:package-1", report)
        #expect(second.status == .mirrored)
        #expect(second.reason == "shows the same energy as rapl:package-0")
        #expect(report.total.includes == ["rapl:package-0"])
        #expect(report.total.excludes.map(\.id) == ["rapl:package-1"])
    }

    /// C18: a driver that tells a negative power while discharging.
    @Test func aBattery() throws {
        let report = try doctor(
            """
            domain machine 9.25
            text class/power_supply/BAT0/type Battery
            text class/power_supply/BAT0/status Discharging
            text class/power_supply/BAT0/capacity 80
            gauge class/power_supply/BAT0/power_now machine scale=-1

            """, ["--seconds", "1", "--power", "battery"])
        let battery = try source("battery:BAT0", report)
        #expect(battery.status == .ok)
        #expect(abs((battery.watts.number ?? 0) - 9.25) < 1e-6, "\(battery.watts)")
        #expect(report.total.scope == "battery only")
    }
}
