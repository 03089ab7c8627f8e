import Analysis
import Glibc
import Testing

@testable import Energy

/// The files of a PMU, good and hostile: bounded, and refused with a reason.
@Suite struct PMUTests {
    @Test(
        arguments: [
            ("0,64", [0, 64]), ("0-3", [0, 1, 2, 3]), ("0-1,8", [0, 1, 8]), ("", []), ("65535", [65_535]),
        ] as [(String, [Int32])])
    func lists(text: String, processors: [Int32]) {
        #expect(CPUList(text, most: 64)?.processors == processors)
        #expect(CPUList(text, most: 64)?.omitted == 0)
    }

    @Test(arguments: [
        ",", "0,", "a", "-1", "1-", "3-1", "0-1-2", "65536", "99999999999999999999", " 0", "0 64", "0x1",
        "+1",
        "0-31:2/4", "\u{0661}",
    ])
    func noLists(text: String) { #expect(CPUList(text, most: 64) == nil) }

    @Test func hugeListsAreBounded() throws {
        let list = try #require(CPUList("0-65535,0-65535", most: 64))
        #expect(list.processors.count == 64)
        #expect(list.omitted == 2 * 65_536 - 64)
        let power = try PowerTree(cpumask: "0-65535\n")
        try power.add("energy-pkg", number: "event=0x02")
        let machine = PerfMachine { _ in .reads([[0]]) }
        let findings = power.find(machine.interface())
        #expect(machine.asked.isEmpty)
        #expect(findings.rows.first?.reason?.hasPrefix("65472 more processors") == true)
    }

    @Test(
        arguments: [
            ("event=0x02", 2), ("event=2", 2), ("event", 1), ("config=0x1ff", 0x1FF),
            ("event=0x02,umask=0x3", 0x302),
            ("split=0x3f", 0xF_0000_0003), ("event=0xff", 255),
        ] as [(String, UInt64)])
    func configs(text: String, config: UInt64) throws {
        let power = try PowerTree()
        try power.add("energy-pkg", number: "\(text)\n")
        try power.tree.write("config:8-15\n", to: "\(PowerTree.base)/format/umask")
        try power.tree.write("config:0-1,32-35\n", to: "\(PowerTree.base)/format/split")
        let pmu = try PMU(path: power.tree.path(PowerTree.base))
        #expect(try pmu.config(of: "energy-pkg") == config)
    }

    @Test(arguments: [
        "", ",", "event=", "event=0x", "event=-1", "event=0x100", "event=0x10000000000000000", "nothing=1",
        "../type=1", "one=1", "far=1", "many=1",
        "event=1,event=1,event=1,event=1,event=1,event=1,event=1,event=1,"
            + "event=1,event=1,event=1,event=1,event=1,event=1,event=1,event=1,event=1",
    ])
    func noConfigs(text: String) throws {
        let power = try PowerTree()
        try power.add("energy-pkg", number: "\(text)\n")
        try power.place(cpu: 0, package: 0)
        try power.tree.write("config1:0-7\n", to: "\(PowerTree.base)/format/one")
        try power.tree.write("config:64\n", to: "\(PowerTree.base)/format/far")
        try power.tree.write("config:0-65535\n", to: "\(PowerTree.base)/format/many")
        let pmu = try PMU(path: power.tree.path(PowerTree.base))
        #expect(throws: Failure.self) { try pmu.config(of: "energy-pkg") }
        let machine = PerfMachine { _ in .reads([[0]]) }
        let findings = power.find(machine.interface())
        #expect(machine.asked.isEmpty && findings.sources.isEmpty)
        #expect(findings.rows.map(\.id) == ["perf:energy-pkg"])
    }

    @Test(arguments: ["", "0", "-1", "nan", "inf", "1e400", "0x1p-32", "lots", "1,5", "1 J", "1e-400"])
    func noScales(text: String) throws {
        let power = try PowerTree()
        try power.add("energy-pkg", number: "event=0x02\n", scale: "\(text)\n")
        try power.place(cpu: 0, package: 0)
        let machine = PerfMachine { _ in .reads([[0]]) }
        let findings = power.find(machine.interface())
        #expect(machine.asked.isEmpty)
        #expect(findings.rows.first?.reason?.hasSuffix("energy-pkg.scale: is no positive number") == true)
        #expect(findings.rows.first?.status == .unsupported)
    }

    @Test func hostileFiles() throws {
        let machine = PerfMachine { _ in .reads([[0]]) }
        for (type, mask) in [("-1\n", "0\n"), ("4294967296\n", "0\n"), ("x\n", "0\n"), ("23\n", "zero\n")] {
            let power = try PowerTree(cpumask: mask, type: type)
            try power.add("energy-pkg", number: "event=0x02\n")
            let findings = power.find(machine.interface())
            #expect(findings.rows.map(\.id) == ["perf"])
            #expect(findings.rows.first?.status == .unsupported)
        }
        let power = try PowerTree()
        try power.place(cpu: 0, package: 0)
        try power.add("energy-pkg", number: "event=0x02\n", unit: "Watts\n")
        try power.add("energy-\u{1B}[2J", number: "event=0x02\n")
        try power.tree.makeDirectory("\(PowerTree.base)/events/energy-dir")
        for index in 0..<40 { try power.tree.write("", to: "\(PowerTree.base)/events/energy-x\(index)") }
        let findings = power.find(machine.interface())
        let ids = findings.sources.map(\.line.id)
        #expect(ids == ["perf:package-0/__2J"])
        #expect(
            findings.rows.contains {
                $0.reason?.hasSuffix(
                    "more events of \(power.tree.path(PowerTree.base)) are not read: too many for one run")
                    == true
            })
        #expect(
            findings.rows.contains {
                $0.id == "perf:energy-pkg" && $0.reason?.contains("is not Joules") == true
            })
    }

    @Test(arguments: [
        ("/usr/bin/sustain", "/usr/bin/sustain"), ("/a b/sustain", "'/a b/sustain'"),
        ("/it's", "'/it'\\''s'"), ("", "''"), ("/a;b", "'/a;b'"),
    ])
    func remediesAreFitForAShell(path: String, word: String) { #expect(PerfRemedy.shellWord(path) == word) }
}
