import Analysis
import Glibc
import Testing

@testable import Energy

/// A powercap class directory. Zones are given flat, as the class directory shows them.
private struct Zones {
    let tree: TemporaryTree

    init() throws { tree = try TemporaryTree() }

    func add(
        _ directory: String, name: String?, energy: String? = "1000\n", range: String? = "262143328850\n",
        limits: [String: String] = [:]
    ) throws {
        let base = "class/powercap/\(directory)"
        try tree.makeDirectory(base)
        if let name { try tree.write(name + "\n", to: "\(base)/name") }
        if let energy { try tree.write(energy, to: "\(base)/energy_uj") }
        if let range { try tree.write(range, to: "\(base)/max_energy_range_uj") }
        for (file, text) in limits { try tree.write(text, to: "\(base)/\(file)") }
    }

    func probe() -> ProbeResult {
        Probe.run(roots: SystemRoots(sysfs: tree.root, procfs: tree.path("proc")), power: .rapl)
    }
}

extension ProbeResult {
    fileprivate var energyLines: [SourceLine] { sources.map(\.line).filter { $0.quantity == .energy } }

    fileprivate func row(_ id: String) -> CapabilitiesLine.Row? { rows.first { $0.id == id } }
}

@Suite struct PowercapTests {
    /// C2: each zone has its own range, whatever the others have.
    @Test func rangesAreEachZonesOwn() throws {
        let zones = try Zones()
        try zones.add("intel-rapl:0", name: "package-0", range: "262143328850\n")
        try zones.add("intel-rapl:0:0", name: "dram", range: "65712999613\n")
        try zones.add("intel-rapl:1", name: "package-1", range: "262143999999\n")
        try zones.add("intel-rapl:1:0", name: "dram", range: "65532610987\n")
        let lines = zones.probe().energyLines
        #expect(
            lines.map(\.id) == [
                "rapl:package-0", "rapl:package-0/dram", "rapl:package-1", "rapl:package-1/dram",
            ])
        #expect(lines.map(\.range) == [262_143_328_850, 65_712_999_613, 262_143_999_999, 65_532_610_987])
        #expect(lines.map(\.scope.device) == ["package-0", "package-0", "package-1", "package-1"])
        #expect(lines.map(\.scope.domain) == ["package", "dram", "package", "dram"])
        #expect(lines.allSatisfy { $0.scale == 1e-6 && $0.kind == .counter })
    }

    /// C3, source side: no range is a reason, never a guess.
    @Test func aMissingRangeHasAReason() throws {
        let zones = try Zones()
        try zones.add("intel-rapl:0", name: "package-0", range: nil)
        try zones.add("intel-rapl:1", name: "package-1", range: "0\n")
        try zones.add("intel-rapl:2", name: "package-2", range: "lots\n")
        let lines = zones.probe().energyLines
        #expect(lines.map(\.range) == [nil, nil, nil])
        #expect(
            lines.map(\.rangeReason) == [
                "max_energy_range_uj: No such file or directory (errno 2)", "max_energy_range_uj is 0",
                "max_energy_range_uj: not a number (errno 74)",
            ])
    }

    /// C6. As root a file cannot be unreadable, so that the thread's file system user is dropped for the probe.
    @Test func noPermissionHasTheRemedyOnce() throws {
        let zones = try Zones()
        try zones.add("intel-rapl:0", name: "package-0")
        try zones.add("intel-rapl:0:0", name: "core")
        for zone in ["intel-rapl:0", "intel-rapl:0:0"] {
            try #require(chmod(zones.tree.path("class/powercap/\(zone)/energy_uj"), 0o400) == 0)
        }
        try zones.add("intel-rapl:1", name: "package-1")
        try #require(chmod(zones.tree.root, 0o755) == 0)
        let result = try asNobody { zones.probe() }
        #expect(result.energyLines.map(\.id) == ["rapl:package-1"])
        let row = try #require(result.row("rapl:package-0"))
        #expect(row.status == .noPermission)
        #expect(row.reason?.hasSuffix("intel-rapl:0/energy_uj: Permission denied (errno 13)") == true)
        #expect(result.row("rapl:package-0/core")?.status == .noPermission)
        let command = "sudo chmod a+r \(zones.tree.root)/class/powercap/*/energy_uj"
        #expect(result.remedies.filter { $0.hasPrefix(command) }.count == 1)
    }

    /// C7.
    @Test func noPowercapIsAbsent() throws {
        let zones = try Zones()
        let nothing = zones.probe()
        #expect(!nothing.hasEnergy)
        #expect(nothing.row("rapl")?.status == .absent)
        #expect(nothing.row("rapl")?.remedy?.contains("modprobe") == true)
        try zones.tree.makeDirectory("class/powercap/intel-rapl")
        #expect(zones.probe().row("rapl")?.status == .absent)
    }

    /// C8, source side: the same names under two interfaces stay apart.
    @Test func mmioZonesAreOfAnotherInterface() throws {
        let zones = try Zones()
        try zones.add("intel-rapl:0", name: "package-0")
        for (index, name) in ["core", "uncore", "dram"].enumerated() {
            try zones.add("intel-rapl:0:\(index)", name: name)
        }
        try zones.add("intel-rapl:1", name: "psys")
        try zones.add("intel-rapl-mmio:0", name: "package-0")
        try zones.add("intel-rapl-mmio:0:0", name: "dram")
        let lines = zones.probe().energyLines
        #expect(
            Set(lines.map(\.id)) == [
                "rapl:package-0", "rapl:package-0/core", "rapl:package-0/uncore", "rapl:package-0/dram",
                "rapl:psys", "rapl-mmio:package-0", "rapl-mmio:package-0/dram",
            ])
        let mmio = try #require(lines.first { $0.id == "rapl-mmio:package-0" })
        #expect(mmio.interface == "powercap:intel-rapl-mmio")
        #expect(mmio.scope == SourceLine.Scope(domain: "package", device: "package-0"))
    }

    /// C9.
    @Test func namesDecideNotIndices() throws {
        let zones = try Zones()
        try zones.add("intel-rapl:0", name: "psys")
        try zones.add("intel-rapl:1", name: "package-0")
        try zones.add("intel-rapl:1:0", name: "core")
        let lines = zones.probe().energyLines
        #expect(lines.map(\.id) == ["rapl:psys", "rapl:package-0", "rapl:package-0/core"])
        #expect(lines.map(\.scope.domain) == ["psys", "package", "core"])
    }

    @Test func diesAndRepeatedNames() throws {
        let zones = try Zones()
        try zones.add("intel-rapl:0", name: "package-1-die-0")
        try zones.add("intel-rapl:1", name: "package-0")
        try zones.add("intel-rapl:1:0", name: "dram")
        try zones.add("intel-rapl:10", name: "package-0")
        try zones.add("intel-rapl:10:0", name: "dram")
        let lines = zones.probe().energyLines
        #expect(
            lines.map(\.id) == [
                "rapl:package-1-die-0", "rapl:package-0", "rapl:package-0/dram",
                "rapl:package-0@intel-rapl:10", "rapl:package-0@intel-rapl:10/dram",
            ])
        #expect(lines.map(\.scope.domain) == ["package", "package", "dram", "package", "dram"])
        // Different counters are of different devices, or a total would take one for the other's double.
        #expect(
            lines.map(\.scope.device) == [
                "package-1/die-0", "package-0", "package-0", "package-0@intel-rapl:10",
                "package-0@intel-rapl:10",
            ])
    }

    @Test func nestedZonesAreFoundAndCountOnce() throws {
        let zones = try Zones()
        try zones.add("intel-rapl:0", name: "package-0")
        try zones.add("intel-rapl:0/intel-rapl:0:0", name: "core")
        try zones.add("intel-rapl:0:1", name: "dram")
        try zones.add("intel-rapl:0/intel-rapl:0:1", name: "dram")
        try zones.tree.link("class/powercap/intel-rapl:0/intel-rapl:0:2", to: "..")
        try zones.tree.link("class/powercap/intel-rapl:9", to: "intel-rapl:9")
        let result = zones.probe()
        #expect(
            result.energyLines.map(\.id) == ["rapl:package-0", "rapl:package-0/core", "rapl:package-0/dram"])
        #expect(
            result.row("rapl:intel-rapl:9")?.reason?.contains("Too many levels of symbolic links") == true)
    }

    @Test func limitsAreTheLargestNamed() throws {
        let zones = try Zones()
        try zones.add(
            "intel-rapl:0", name: "package-0",
            limits: [
                "constraint_0_power_limit_uw": "55000000\n", "constraint_0_max_power_uw": "65000000\n",
                "constraint_1_power_limit_uw": "157000000\n",
                "constraint_2_power_limit_uw": "9000000000000\n",
            ])
        try zones.add("intel-rapl:1", name: "package-1")
        #expect(zones.probe().energyLines.map(\.limitWatts) == [157, nil])
    }

    /// One that is broken never hides another.
    @Test func brokenZonesAreRows() throws {
        let zones = try Zones()
        try zones.add("intel-rapl:0", name: "package-0", energy: "")
        try zones.add("intel-rapl:1", name: "package-1", energy: "many\n")
        try zones.add("intel-rapl:2", name: "package-2", energy: nil)
        try zones.tree.link("class/powercap/intel-rapl:2/energy_uj", to: "/proc/self/mem")
        try zones.add("intel-rapl:3", name: nil)
        try zones.add("intel-rapl:4", name: "")
        try zones.add("intel-rapl:5", name: "package-5", energy: nil)
        try zones.tree.makeDirectory("class/powercap/intel-rapl:5/energy_uj")
        try zones.add("intel-rapl:6", name: "package-6", energy: nil)
        try zones.add("intel-rapl:7", name: "package-7", energy: String(repeating: "9", count: 100_000))
        try zones.add("dtpm:0", name: "cpu", energy: nil)
        try zones.add("intel-rapl:8", name: "package-8")
        let result = zones.probe()
        #expect(result.energyLines.map(\.id) == ["rapl:package-8"])
        let status = Dictionary(uniqueKeysWithValues: result.rows.map { ($0.id, $0.status) })
        #expect(status["rapl:package-0"] == .dead)
        #expect(status["rapl:package-1"] == .unsupported)
        #expect(status["rapl:package-2"] == .dead)
        #expect(status["rapl:intel-rapl:3"] == .absent)
        #expect(status["rapl:intel-rapl:4"] == .dead)
        #expect(status["rapl:package-5"] == .unsupported)
        #expect(status["rapl:package-6"] == .absent)
        #expect(status["rapl:package-7"] == .dead)
        #expect(status["rapl:package-8"] == .ok)
        #expect(!status.keys.contains { $0.hasPrefix("dtpm") })
    }

    @Test func namesCannotSteerATerminalOrAPath() throws {
        let zones = try Zones()
        try zones.add("intel-rapl:0", name: "package-0\u{1B}[31m/../x y")
        try zones.add("intel-rapl:1", name: String(repeating: "p", count: 5000))
        let ids = zones.probe().energyLines.map(\.id)
        #expect(ids == ["rapl:package-0__31m_.._x_y", "rapl:" + String(repeating: "p", count: 40)])
    }

    @Test func moreZonesThanAMachineHasAreBounded() throws {
        let zones = try Zones()
        for index in 0..<600 { try zones.tree.makeDirectory("class/powercap/intel-rapl:\(index)") }
        try zones.add("intel-rapl:0", name: "package-0")
        let result = zones.probe()
        #expect(result.energyLines.map(\.id) == ["rapl:package-0"])
        #expect(result.row("rapl")?.reason?.hasPrefix("344 more zones") == true)
        #expect(result.rows.count < 300)
    }

    @Test(arguments: [
        ("intel-rapl:0", true), ("intel-rapl-mmio:0:12", true), ("intel-rapl", false), ("intel-rapl:", false),
        ("intel-rapl:x", false), (":0", false), ("a:0:0:0", true), ("a:0:0:0:0", false), ("a:00000", false),
        ("../x:0", false), ("a b:0", false),
    ])
    func zoneNames(name: String, isZone: Bool) {
        #expect(PowercapZone.isZone(name) == isZone)
    }
}
