import Analysis
import Testing

@testable import Energy

@Suite struct ProbeTests {
    private func context(_ tree: TemporaryTree) -> ProbeResult {
        Probe.run(roots: SystemRoots(sysfs: tree.root + "/", procfs: tree.path("proc")), power: .none)
    }

    @Test func systemContext() throws {
        let tree = try TemporaryTree()
        try tree.write("cpu  10 20 30 4000 50 6 7 8 9 0\n", to: "proc/stat")
        try tree.write("MemTotal: 9 kB\nMemAvailable:    1234 kB\n", to: "proc/meminfo")
        for resource in ["cpu", "io"] {
            try tree.write(
                "some avg10=0.00 avg60=0.12 avg300=0.05 total=77\nfull avg10=0.00 total=9\n",
                to: "proc/pressure/\(resource)")
        }
        let result = context(tree)
        let values = Dictionary(
            uniqueKeysWithValues: try result.sources.filter { $0.line.interface != "clock_gettime" }.map {
                ($0.line.id, try $0.value())
            })
        #expect(
            values == ["cpu:busy": 73, "cpu:steal": 8, "memory:available": 1234, "psi:cpu": 77, "psi:io": 77])
        #expect(result.sources.allSatisfy { $0.interval == Nanoseconds(1_000_000_000) })
        let row = result.rows.first { $0.id == "psi:memory" }
        #expect(row?.status == .absent)
        #expect(row?.reason?.contains("No such file or directory") == true)
        #expect(!result.hasEnergy)
    }

    @Test func thermalZonesOfOneTypeAreCounted() throws {
        let tree = try TemporaryTree()
        for (zone, type) in [(0, "acpitz"), (2, "x86_pkg_temp"), (10, "acpitz")] {
            try tree.write("\(type)\n", to: "class/thermal/thermal_zone\(zone)/type")
            try tree.write("\(zone)500\n", to: "class/thermal/thermal_zone\(zone)/temp")
        }
        try tree.makeDirectory("class/thermal/cooling_device0")
        let sources = context(tree).sources.filter { $0.line.id.hasPrefix("thermal:") }
        #expect(sources.map(\.line.id) == ["thermal:acpitz-0", "thermal:x86_pkg_temp-0", "thermal:acpitz-1"])
        #expect(try sources.map { try $0.value() } == [500, 2500, 10500])
        #expect(sources.allSatisfy { $0.line.scale == 1e-3 && $0.line.quantity == .temperature })
    }

    @Test func aFewProcessorsStandForAll() throws {
        let tree = try TemporaryTree()
        let cpu = "devices/system/cpu"
        for index in 0..<16 {
            try tree.write("\(index)000\n", to: "\(cpu)/cpufreq/policy\(index)/scaling_cur_freq")
            try tree.write("\(index)\n", to: "\(cpu)/cpu\(index)/thermal_throttle/core_throttle_count")
            try tree.write("\(index)\n", to: "\(cpu)/cpu\(index)/thermal_throttle/package_throttle_count")
            try tree.write("\(index / 8)\n", to: "\(cpu)/cpu\(index)/topology/physical_package_id")
        }
        let result = context(tree)
        let ids = result.sources.map(\.line.id)
        #expect(ids.filter { $0.hasPrefix("cpufreq:") } == (0..<8).map { "cpufreq:policy\($0 * 2)" })
        #expect(
            ids.filter { $0.hasPrefix("throttle:package") } == ["throttle:package-0", "throttle:package-1"])
        #expect(ids.filter { $0.hasPrefix("throttle:cpu") } == (0..<8).map { "throttle:cpu\($0 * 2)" })
        #expect(result.rows.first { $0.id == "cpufreq" }?.reason?.hasPrefix("8 more policies") == true)
    }

    @Test func libsensorsReadsSysOnly() throws {
        let tree = try TemporaryTree()
        let result = Probe.run(roots: SystemRoots(sysfs: tree.root), power: .hwmon)
        let row = result.rows.first { $0.id == "hwmon" }
        #expect(row?.status == .unsupported)
        #expect(row?.reason == "libsensors reads /sys only, and the root is \(tree.root)")
        #expect(row?.remedy?.contains("docker run -v /sys:/sys:ro") == true)
        #expect(!result.rows.contains { $0.id == "rapl" })
    }

    /// On whatever machine the tests run: everything ends in one state, with a reason unless it is ok.
    /// One that is ok may have a remark.
    @Test func thisMachine() {
        let result = Probe.run(roots: SystemRoots(), power: .auto)
        #expect(result.sources.count == result.rows.count { $0.status == .ok })
        #expect(result.rows.allSatisfy { $0.status == .ok || $0.reason != nil })
        let ids = result.sources.map(\.line.id)
        #expect(Set(ids).count == ids.count)
        #expect(ids.contains("cpu:busy") && ids.contains("memory:available"))
    }

    @Test func selections() throws {
        #expect(try PowerSelection(option: "auto") == .auto)
        #expect(try PowerSelection(option: "none") == .none)
        #expect(try PowerSelection(option: "battery") == .battery)
        #expect(try PowerSelection(option: "csv:a meter:1.csv") == .csv("a meter:1.csv"))
        #expect(try PowerSelection(option: "exec: meter  --live") == .exec(["meter", "--live"]))
        for text in ["csv:", "csv", "exec:", "exec:  ", "exec"] {
            let failure = #expect(throws: Failure.self) { try PowerSelection(option: text) }
            #expect(failure?.exit == .usage)
            #expect(failure?.cause.hasPrefix("names no") == true)
        }
        #expect(try PowerSelection(option: "nvml") == .nvml)
        #expect(try PowerSelection(option: "perf") == .perf)
        #expect(throws: Failure.self) { try PowerSelection(option: "") }
        #expect(throws: Failure.self) { try PowerSelection(option: "rapl:0") }
    }

    @Test func aSelectionOfNoneSaysSo() throws {
        let tree = try TemporaryTree()
        #expect(context(tree).rows.first?.reason == "turned off by --power none")
    }

    @Test(arguments: [("zone2", "zone10"), ("a", "b"), ("a", "a1"), ("x1y2", "x1y10"), ("a09", "a10")])
    func naturalOrder(first: String, second: String) {
        #expect(naturallyBefore(first, second))
        #expect(!naturallyBefore(second, first))
        #expect(!naturallyBefore(first, first))
    }
}
