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
}
