import Analysis
import CPower
import Glibc
import Testing

@testable import Energy

/// Runs the tool in a mount namespace of its own, where a tree of ours lies over /sys/class: libsensors has
/// "/sys" compiled in. The shell script makes the tree; the result is the tool's output, in lines of columns.
private func inNamespace(_ script: String, tool arguments: String) throws -> [[String]] {
    let tree = try TemporaryTree()
    let path = try tree.write(
        """
        set -e
        mount -t tmpfs none /sys/class
        chip() { d=/sys/class/hwmon/$1; mkdir -p $d; echo $2 > $d/name; }
        \(script)
        '\(try toolPath())' \(arguments)
        """, to: "script")
    return try output(of: "unshare -m sh \(path)").split(separator: "\n").map { line in
        line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
}

private let namespacesWork = system("unshare -m true 2>/dev/null") == 0
private let sensorsAreThere = cpower_sensors_open() == 0

@Suite(
    .enabled(if: namespacesWork, "needs the right to make a mount namespace"),
    .enabled(if: sensorsAreThere, "needs libsensors"))
struct HwmonTests {
    /// C16: only an input, only an average, or both: the record says which was read.
    @Test func averageOrInput() throws {
        let rows = try inNamespace(
            """
            chip hwmon0 amdgpu; echo 45000000 > $d/power1_average; echo 40000000 > $d/power1_input
            echo 1000 > $d/power1_average_interval; echo 200000000 > $d/power1_cap; echo 55000 > $d/temp1_input
            chip hwmon1 ina226; echo 5000000 > $d/power1_input
            chip hwmon2 power_meter; echo 150000000 > $d/power1_average
            """, tool: "read")
        let hwmon = rows.filter { $0[0].hasPrefix("hwmon:") }
        #expect(
            hwmon == [
                [
                    "hwmon:amdgpu-0/power1", "hwmon:power1_average", "gpu-board", "amdgpu-virtual-0", "1e-06",
                    "45000000", "averages 1000000000 ns", "limit 200.0 W",
                ],
                [
                    "hwmon:ina226-0/power1", "hwmon:power1_input", "rail", "ina226-virtual-0", "1e-06",
                    "5000000", "", "",
                ],
                [
                    "hwmon:power_meter-0/power1", "hwmon:power1_average", "wall", "power_meter-virtual-0",
                    "1e-06", "150000000", "", "",
                ],
                [
                    "hwmon:amdgpu-0/temp1", "hwmon:temp1_input", "zone", "amdgpu-virtual-0", "0.001", "55000",
                    "", "",
                ],
            ])
    }

    /// C17: those that are broken are set aside with a reason, the others measured.
    @Test func brokenSensorsAreRows() throws {
        let rows = try inNamespace(
            """
            chip hwmon0 huge; echo 4290000000000 > $d/power1_input
            chip hwmon1 garbage; echo lots > $d/power1_input
            chip hwmon2 limits; echo 7000000 > $d/power1_cap
            chip hwmon3 amd_energy; echo 123456789 > $d/energy1_input; echo Esocket0 > $d/energy1_label
            chip hwmon4 twin; echo 1000000 > $d/power1_input
            chip hwmon5 twin; echo 2000000 > $d/power1_input
            """, tool: "probe")
        let states = Dictionary(uniqueKeysWithValues: rows.map { ($0[0], ($0[1], $0[2])) })
        #expect(states["hwmon:huge-0/power1"]?.1 == "reads 4290000.0 W")
        #expect(states["hwmon:garbage-0/power1"]?.0 == "unsupported")
        #expect(states["hwmon:garbage-0/power1"]?.1.contains("not a number") == true)
        #expect(states["hwmon:limits-0/power1"]?.0 == "unsupported")
        #expect(states["hwmon:amd_energy-0/energy1"]?.0 == "ok")
        #expect(states["hwmon:twin-0/power1"]?.0 == "unsupported")
        #expect(states["hwmon:twin-1/power1"]?.0 == "unsupported")
    }

    /// What a chip covers, by its driver; boards by the PCI address that the `device` link leads to.
    @Test func scopes() throws {
        let rows = try inNamespace(
            """
            pci() { mkdir -p /sys/class/devices/$1; ln -s ../../devices/$1 $d/device; }
            chip hwmon0 amdgpu; pci 0000:03:00.0; echo 45000000 > $d/power1_average; echo PPT > $d/power1_label
            chip hwmon1 amdgpu; pci 0000:04:00.0; echo 9000000 > $d/power1_input
            echo 900 > $d/in1_input; echo vddnb > $d/in1_label
            chip hwmon2 xe; pci 0001:05:00.0
            for kind in energy power; do for channel in 1:card 2:pkg; do
              echo 70000000 > $d/$kind${channel%:*}_input; echo ${channel#*:} > $d/$kind${channel%:*}_label
            done; done
            chip hwmon3 i915; pci 0000:06:00.0; echo 5000000 > $d/energy1_input
            chip hwmon4 i915_gt0; pci 0000:06:00.0; echo 4000000 > $d/energy1_input
            chip hwmon5 amd_energy; echo 1 > $d/energy1_input; echo Ecore000 > $d/energy1_label
            echo 2 > $d/energy2_input; echo Esocket1 > $d/energy2_label
            chip hwmon6 ina3221; echo 7000000 > $d/power1_input; echo VDD_IN > $d/power1_label
            """, tool: "read")
        let scopes = Dictionary(
            rows.filter { $0[0].hasPrefix("hwmon:") }.map { ($0[0], "\($0[2]) \($0[3])") },
            uniquingKeysWith: { first, _ in first })
        #expect(
            scopes == [
                "hwmon:amdgpu-0/power1": "gpu-board 0000:03:00.0",
                "hwmon:amdgpu-1/power1": "apu amdgpu-pci-0400",
                "hwmon:xe-0/energy1": "gpu-board 0001:05:00.0",
                "hwmon:xe-0/energy2": "gpu-package 0001:05:00.0",
                "hwmon:xe-0/power1": "gpu-board 0001:05:00.0",
                "hwmon:xe-0/power2": "gpu-package 0001:05:00.0",
                "hwmon:i915-0/energy1": "gpu-board 0000:06:00.0",
                "hwmon:i915_gt0-0/energy1": "gpu-tile 0000:06:00.0",
                "hwmon:amd_energy-0/energy1": "core amd_energy-virtual-0",
                "hwmon:amd_energy-0/energy2": "package package-1",
                "hwmon:ina3221-0/power1": "rail ina3221-virtual-0 VDD_IN",
            ])
    }

    /// Where a chip tells no power: voltage x current of one index, and it says so.
    @Test func powerAsAProduct() throws {
        let tree = """
            chip hwmon0 ina3221; echo 5000 > $d/in1_input; echo 1500 > $d/curr1_input
            echo VDD_IN > $d/in1_label; echo 3300 > $d/in2_input; echo 100 > $d/curr3_input
            chip hwmon1 ina226; echo 12000 > $d/in1_input; echo 2000 > $d/curr1_input
            echo 24000000 > $d/power1_input
            chip hwmon2 reversed; echo 5000 > $d/in1_input; echo -2000 > $d/curr1_input
            chip hwmon3 broken; echo 5000 > $d/in1_input; echo lots > $d/curr1_input
            chip hwmon4 huge; echo 65535000 > $d/in1_input; echo 65535000 > $d/curr1_input
            """
        let rows = try inNamespace(tree, tool: "read").filter { $0[0].hasPrefix("hwmon:") }
        #expect(
            rows.map { Array($0[0...5]) } == [
                [
                    "hwmon:ina226-0/power1", "hwmon:power1_input", "rail", "ina226-virtual-0", "1e-06",
                    "24000000",
                ],
                [
                    "hwmon:ina3221-0/in1xcurr1", "hwmon:in1_input x curr1_input", "rail",
                    "ina3221-virtual-0 VDD_IN", "1e-06", "7500000",
                ],
                [
                    "hwmon:reversed-0/in1xcurr1", "hwmon:in1_input x curr1_input", "rail",
                    "reversed-virtual-0",
                    "1e-06", "10000000",
                ],
            ])
        let states = Dictionary(
            uniqueKeysWithValues: try inNamespace(tree, tool: "probe").map { ($0[0], ($0[1], $0[2])) })
        #expect(
            states["hwmon:ina3221-0/in1xcurr1"]?.1.hasPrefix("estimated as in1_input x curr1_input") == true)
        #expect(states["hwmon:broken-0/in1xcurr1"]?.0 == "unsupported")
        #expect(states["hwmon:huge-0/in1xcurr1"]?.1.hasPrefix("reads 42948") == true)
    }

    /// An average that cannot be read does not hide the momentary value beside it.
    @Test func theInputStandsInForABrokenAverage() throws {
        let rows = try inNamespace(
            "chip hwmon0 amdgpu; echo lots > $d/power1_average; echo 40000000 > $d/power1_input", tool: "read"
        )
        #expect(rows.first { $0[0] == "hwmon:amdgpu-0/power1" }?[1] == "hwmon:power1_input")
    }

    /// The hwmon view of a battery is left to power_supply, which also tells whether it is discharging.
    @Test func aBatteryIsNoRail() throws {
        let rows = try inNamespace(
            """
            chip hwmon0 BAT0; echo 9000000 > $d/power1_input
            mkdir -p /sys/class/power_supply/BAT0; ln -s ../../power_supply/BAT0 $d/device
            """, tool: "probe")
        #expect(!rows.contains { $0[0].hasSuffix("/power1") })
        #expect(rows.contains { $0[2].contains("power_supply tells of in full") })
    }

    /// Chips are counted once for all kinds of sensor: a chip without temperatures shifts nobody's number.
    @Test func oneNumberAChip() throws {
        let rows = try inNamespace(
            """
            pci() { mkdir -p /sys/class/devices/$1; ln -s ../../devices/$1 $d/device; }
            chip hwmon0 amdgpu; pci 0000:03:00.0; echo 45000000 > $d/power1_average
            chip hwmon1 amdgpu; pci 0000:04:00.0; echo 50000 > $d/temp1_input
            """, tool: "read")
        #expect(
            rows.filter { $0[0].hasPrefix("hwmon:") }.map { $0[0] } == [
                "hwmon:amdgpu-0/power1", "hwmon:amdgpu-1/temp1",
            ])
    }

    /// A sensor that sensors.conf rescales is read through libsensors: its file alone would be wrong.
    @Test func sensorsConfIsObeyed() throws {
        let rows = try inNamespace(
            """
            mount -t tmpfs none /etc
            printf 'chip "scaled-*"\\n compute power1 @*3, @/3\\n' > /etc/sensors3.conf
            chip hwmon0 scaled; echo 1500000 > $d/power1_input
            """, tool: "read")
        let row = try #require(rows.first { $0[0] == "hwmon:scaled-0/power1" })
        #expect(row[1] == "libsensors:power1_input")
        #expect(row[4...5] == ["1e-06", "4500000"])
    }

    @Test func sensorsConfIsObeyedInProducts() throws {
        let rows = try inNamespace(
            """
            mount -t tmpfs none /etc
            printf 'chip "divider-*"\\n compute in1 @*11, @/11\\n' > /etc/sensors3.conf
            chip hwmon0 divider; echo 1000 > $d/in1_input; echo 500 > $d/curr1_input
            """, tool: "read")
        let row = try #require(rows.first { $0[0] == "hwmon:divider-0/in1xcurr1" })
        #expect(row[1] == "libsensors:in1_input x curr1_input")
        #expect(row[4...5] == ["1e-06", "5500000"])
    }
}
