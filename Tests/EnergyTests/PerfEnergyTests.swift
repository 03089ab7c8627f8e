import Analysis
import Glibc
import Testing

@testable import Energy

@Suite struct PerfEnergyTests {
    /// C10: two descriptors on CPUs 0 and 64, raw x scale = J.
    @Test func aDescriptorForEachProcessorOfTheMask() throws {
        let power = try PowerTree(cpumask: "0,64\n")
        try power.add("energy-pkg", number: "event=0x02\n")
        try power.place(cpu: 0, package: 0)
        try power.place(cpu: 64, package: 1)
        let machine = PerfMachine { request in
            // 3 J and 5 J, then 4.5 J and 5.25 J; one read goes to the probe.
            request.cpu == 0
                ? .reads([[0], [3 << 32], [9 << 31]]) : .reads([[0], [5 << 32], [21 << 30]])
        }
        let findings = power.find(machine.interface())
        let event = PerfEvent(type: 23, config: 2)
        #expect(
            machine.asked == [
                .init(event: event, pid: -1, cpu: 0), .init(event: event, pid: -1, cpu: 64),
            ])
        let lines = findings.sources.map(\.line)
        #expect(lines.map(\.id) == ["perf:package-0", "perf:package-1"])
        #expect(lines.map(\.scope.device) == ["package-0", "package-1"])
        #expect(lines.allSatisfy { $0.scale == 0x1p-32 && $0.range == nil && $0.rangeReason == nil })
        #expect(lines.allSatisfy { $0.interface == "perf" && $0.scope.domain == "package" })
        #expect(findings.rows.map(\.status) == [.ok, .ok])
        let joules = try (0..<2).map { _ in
            try findings.sources.map { Double(try $0.value()) * $0.line.scale }
        }
        #expect(joules == [[3, 5], [4.5, 5.25]])
    }

    /// The same reads through the sampler: the raw integers of the trace are the kernel's.
    @Test func theSamplerReadsCounters() throws {
        let power = try PowerTree()
        try power.add("energy-pkg", number: "event=0x02\n")
        try power.place(cpu: 0, package: 0)
        let largest = UInt64(Int64.max)
        let machine = PerfMachine { _ in .reads([[1], [largest], [largest + 1], []]) }
        let sampler = try Sampler(interval: Nanoseconds(1_000_000))
        _ = try sampler.add(power.find(machine.interface()).sources)
        try sampler.start()
        var samples: [SampleLine] = []
        let deadline = Clock.monotonic() + 20_000_000_000
        while samples.count < 2, Clock.monotonic() < deadline {
            usleep(1000)
            sampler.drain { samples.append($0) }
        }
        _ = sampler.stop()
        #expect(samples.prefix(2).map(\.values) == [[Int64.max], [nil]])
        #expect(samples.dropFirst().first?.errors == [0: ERANGE])
    }

    @Test func domainsAreNamedAsPowercapNamesThem() throws {
        let power = try PowerTree(cpumask: "0-1\n")
        for (name, number) in [
            ("energy-pkg", "event=0x02"), ("energy-cores", "event=0x01"), ("energy-gpu", "event=0x04"),
            ("energy-ram", "event=0x03"), ("energy-psys", "event=0x05"), ("energy-npu", "event=0x09"),
        ] { try power.add(name, number: number) }
        try power.place(cpu: 0, package: 0, die: 0)
        try power.place(cpu: 1, package: 1, die: 0)
        let machine = PerfMachine { _ in .reads([[0]]) }
        let lines = power.find(machine.interface()).sources.map(\.line)
        let names = Dictionary(
            uniqueKeysWithValues: lines.map { ($0.id, "\($0.scope.domain) of \($0.scope.device)") })
        #expect(
            names == [
                "perf:package-0": "package of package-0", "perf:package-1": "package of package-1",
                "perf:package-0/core": "core of package-0", "perf:package-1/core": "core of package-1",
                "perf:package-0/uncore": "uncore of package-0",
                "perf:package-1/uncore": "uncore of package-1",
                "perf:package-0/dram": "dram of package-0", "perf:package-1/dram": "dram of package-1",
                "perf:package-0/npu": "npu of package-0", "perf:package-1/npu": "npu of package-1",
                "perf:psys": "psys of psys", "perf:psys@cpu1": "psys of psys",
            ])
        #expect(Set(machine.asked.map(\.event.config)) == [1, 2, 3, 4, 5, 9])
    }

    @Test func diesAndPlacesUnknown() throws {
        let power = try PowerTree(cpumask: "0,8,16,24,32\n")
        try power.add("energy-pkg", number: "event=0x02\n")
        try power.place(cpu: 0, package: 0, die: 0)
        try power.place(cpu: 8, package: 0, die: 1)
        try power.place(cpu: 16, package: 1, die: 0)
        try power.place(cpu: 24, package: 1, die: 0)
        try power.place(cpu: 32, package: -1)
        let machine = PerfMachine { _ in .reads([[0]]) }
        let findings = power.find(machine.interface())
        #expect(
            findings.sources.map(\.line.id) == [
                "perf:package-0-die-0", "perf:package-0-die-1", "perf:package-1-die-0",
                "perf:package-1-die-0@cpu24",
            ])
        #expect(
            findings.sources.map(\.line.scope.device) == [
                "package-0/die-0", "package-0/die-1", "package-1/die-0", "package-1/die-0",
            ])
        #expect(findings.rows.last?.id == "perf:cpu32/package")
        #expect(findings.rows.last?.status == .unsupported)
    }

    /// Where powercap shows the domain, perf stands beside it at 1 Hz, and the total counts it once.
    @Test func besidePowercapItCountsOnce() throws {
        let power = try PowerTree()
        try power.add("energy-pkg", number: "event=0x02\n")
        try power.place(cpu: 0, package: 0)
        try power.tree.write("package-0\n", to: "class/powercap/intel-rapl:0/name")
        try power.tree.write("77\n", to: "class/powercap/intel-rapl:0/energy_uj")
        try power.tree.write("262143328850\n", to: "class/powercap/intel-rapl:0/max_energy_range_uj")
        let machine = PerfMachine { _ in .reads([[0]]) }
        var findings = Findings()
        Powercap(power.roots).find(into: &findings)
        PerfEnergy(power.roots, perf: machine.interface()).find(into: &findings)
        #expect(findings.sources.map(\.line.id) == ["rapl:package-0", "perf:package-0"])
        #expect(findings.sources[1].interval == Nanoseconds(1_000_000_000))
        #expect(findings.sources[1].updatePeriod == nil)
        let lines = findings.sources.enumerated().map { index, source in
            var line = source.line
            line.index = index
            return line
        }
        let total = TotalScope(sources: lines).total
        #expect(total.includes == ["rapl:package-0"])
        #expect(
            total.excludes == [
                .init(
                    id: "perf:package-0",
                    reason: "same scope as rapl:package-0, which is read through powercap:intel-rapl")
            ])
        // The memory-mapped copy is what the total takes last: perf is read in full beside it.
        let mmio = "class/powercap/intel-rapl-mmio:0"
        try power.tree.write("package-0\n", to: "\(mmio)/name")
        try power.tree.write("77\n", to: "\(mmio)/energy_uj")
        let onlyCopy = SystemRoots(sysfs: power.tree.root)
        try #require(rename(power.tree.path("class/powercap/intel-rapl:0"), power.tree.path("gone")) == 0)
        var beside = Findings()
        Powercap(onlyCopy).find(into: &beside)
        PerfEnergy(onlyCopy, perf: machine.interface()).find(into: &beside)
        #expect(beside.sources.map(\.line.id) == ["rapl-mmio:package-0", "perf:package-0"])
        #expect(beside.sources.last?.interval == nil)
        // Not needed, so that its refusal is no call to act.
        let refused = PerfMachine { _ in .refused(EACCES) }
        PerfEnergy(power.roots, perf: refused.interface()).find(into: &findings)
        #expect(findings.rows.last?.status == .noPermission)
        #expect(findings.rows.last?.remedy == nil)
    }

    /// C6: powercap's files are unreadable, perf is tried next and measures.
    @Test func chosenWherePowercapMayNotBeRead() throws {
        let power = try PowerTree()
        try power.add("energy-pkg", number: "event=0x02\n")
        try power.place(cpu: 0, package: 0)
        try power.tree.write("package-0\n", to: "class/powercap/intel-rapl:0/name")
        try power.tree.write("77\n", to: "class/powercap/intel-rapl:0/energy_uj")
        try #require(chmod(power.tree.path("class/powercap/intel-rapl:0/energy_uj"), 0o400) == 0)
        try #require(chmod(power.tree.root, 0o755) == 0)
        let machine = PerfMachine { _ in .reads([[0]]) }
        let findings = try asNobody {
            var findings = Findings()
            Powercap(power.roots).find(into: &findings)
            PerfEnergy(power.roots, perf: machine.interface()).find(into: &findings)
            return findings
        }
        #expect(findings.rows.map(\.status) == [.noPermission, .ok])
        #expect(findings.sources.map(\.line.id) == ["perf:package-0"])
        #expect(findings.sources.first?.interval == nil)
        #expect(findings.sources.first?.readAtMarks == true)
        #expect(findings.sources.first?.longestInterval == Nanoseconds(1_000_000_000))
    }

    @Test(
        arguments: [
            (EACCES, .noPermission, "sudo setcap cap_perfmon+ep /"),
            (EPERM, .noPermission, "--cap-add PERFMON"),
            (ENOENT, .absent, nil), (ENODEV, .absent, nil), (EOPNOTSUPP, .absent, nil),
            (EINVAL, .unsupported, nil), (ENOSYS, .unsupported, nil),
        ] as [(Int32, SourceLine.Status, String?)])
    func refusals(code: Int32, status: SourceLine.Status, remedy: String?) throws {
        let power = try PowerTree(cpumask: "0,1\n")
        try power.add("energy-pkg", number: "event=0x02\n")
        try power.add("energy-ram", number: "event=0x03\n")
        for cpu in 0..<2 { try power.place(cpu: cpu, package: cpu) }
        let machine = PerfMachine { _ in .refused(code) }
        let findings = power.find(machine.interface())
        #expect(findings.sources.isEmpty)
        #expect(findings.rows.map(\.status) == Array(repeating: status, count: 4))
        #expect(findings.rows.first?.reason?.hasSuffix("(errno \(code))") == true)
        let remedies = ProbeResult(sources: [], rows: findings.rows).remedies
        #expect(remedies.count == (remedy == nil ? 0 : 1))
        if let remedy { #expect(remedies.first?.contains(remedy) == true) }
        if code == EACCES {
            #expect(remedies.first?.contains("sudo sysctl kernel.perf_event_paranoid=0") == true)
        }
    }

    @Test func withoutThePMUItIsAbsent() throws {
        let tree = try TemporaryTree()
        let machine = PerfMachine { _ in .reads([[0]]) }
        var findings = Findings()
        PerfEnergy(SystemRoots(sysfs: tree.root), perf: machine.interface()).find(into: &findings)
        #expect(findings.rows.map(\.id) == ["perf"])
        #expect(findings.rows.first?.status == .absent)
        #expect(findings.rows.first?.remedy?.contains("sudo modprobe rapl;") == true)
        // Where powercap tells the same nothing is missed.
        try tree.write("package-0\n", to: "class/powercap/intel-rapl:0/name")
        try tree.write("77\n", to: "class/powercap/intel-rapl:0/energy_uj")
        var beside = Findings()
        Powercap(SystemRoots(sysfs: tree.root)).find(into: &beside)
        PerfEnergy(SystemRoots(sysfs: tree.root), perf: machine.interface()).find(into: &beside)
        #expect(beside.rows.map(\.id) == ["rapl:package-0", "perf"])
        #expect(beside.rows.last?.remedy == nil)
        #expect(machine.asked.isEmpty)
    }

    /// What another tree's kernel would be asked is read from that tree: libpfm4 sees /sys alone.
    @Test func theLibraryIsAskedForTheSystemsTreeOnly() throws {
        let power = try PowerTree()
        try power.add("energy-pkg", number: "event=0x02\n")
        try power.place(cpu: 0, package: 0)
        let machine = PerfMachine { _ in .reads([[0]]) }
        _ = power.find(machine.interface { _ in PerfEvent(type: 23, config: 77) })
        #expect(machine.asked.map(\.event) == [PerfEvent(type: 23, config: 2)])
    }

    @Test func selectedOnTheCommandLine() throws {
        let power = try PowerTree()
        #expect(try PowerSelection(option: "perf") == .perf)
        let alone = Probe.run(roots: power.roots, power: .perf)
        #expect(alone.rows.contains { $0.id == "perf" })
        #expect(!alone.rows.contains { $0.id == "rapl" })
        let rapl = Probe.run(roots: power.roots, power: .rapl)
        #expect(rapl.rows.contains { $0.id == "perf" } && rapl.rows.contains { $0.id == "rapl" })
        #expect(!Probe.run(roots: power.roots, power: .hwmon).rows.contains { $0.id == "perf" })
    }
}
