import Testing

@testable import Analysis

private func zone(
    _ index: Int, _ id: String, _ domain: String, _ device: String = "package-0",
    interface: String = "powercap:intel-rapl", kind: SourceLine.Kind = .counter,
    quantity: SourceLine.Quantity = .energy, pci: String? = nil
) -> SourceLine {
    var line = SourceLine(
        index: index, id: id, kind: kind, quantity: quantity, scale: 1e-6,
        scope: SourceLine.Scope(domain: domain, device: device), interface: interface,
        intervalNanoseconds: 100_000_000)
    line.pci = pci
    return line
}

@Suite struct EnergyTotalTests {
    private static let notebook = [
        zone(0, "rapl:package-0", "package"), zone(1, "rapl:package-0/core", "core"),
        zone(2, "rapl:package-0/uncore", "uncore"), zone(3, "rapl:package-0/dram", "dram"),
        zone(4, "rapl:psys", "psys", "psys"),
        zone(5, "rapl-mmio:package-0", "package", interface: "powercap:intel-rapl-mmio"),
    ]

    private func reason(_ scope: TotalScope, _ id: String) -> String? {
        scope.total.excludes.first { $0.id == id }?.reason
    }

    @Test func packageAndDramCountOnce() {
        let scope = TotalScope(sources: Self.notebook)
        #expect(scope.total.includes == ["rapl:package-0", "rapl:package-0/dram"])
        #expect(scope.includes == [0, 3])
        #expect(scope.total.scope == "package + dram")
        #expect(scope.total.unavailable == nil)
        #expect(
            scope.total.excludes.map(\.id) == [
                "rapl:package-0/core", "rapl:package-0/uncore", "rapl:psys", "rapl-mmio:package-0",
            ])
        #expect(reason(scope, "rapl:package-0/core") == "inside the package")
        #expect(reason(scope, "rapl-mmio:package-0")?.contains("rapl:package-0") == true)
        #expect(reason(scope, "rapl:psys")?.contains("beside") == true)
        // The order of the lines changes nothing.
        #expect(Set(TotalScope(sources: Self.notebook.reversed()).includes) == [0, 3])
    }

    @Test func onlyTheMemoryMappedZone() {
        let scope = TotalScope(sources: [Self.notebook[5]])
        #expect(scope.total.includes == ["rapl-mmio:package-0"])
        #expect(scope.total.scope == "package only")
        #expect(scope.total.excludes.isEmpty)
    }

    @Test func anUnreadablePackageIsReplacedByItsCopy() {
        let scope = TotalScope(sources: Self.notebook, unusable: [0: "no read succeeded"])
        #expect(scope.total.includes == ["rapl-mmio:package-0", "rapl:package-0/dram"])
        #expect(reason(scope, "rapl:package-0") == "no read succeeded")
    }

    /// psys has the index 0 of powercap here: its name decides.
    @Test func namesDecideNotIndices() {
        let scope = TotalScope(sources: [
            zone(0, "rapl:psys", "psys", "psys"), zone(1, "rapl:package-0", "package"),
        ])
        #expect(scope.total.includes == ["rapl:package-0"])
    }

    @Test func perfAndPowercapCountOnce() {
        let scope = TotalScope(sources: [
            zone(0, "perf:package-0", "package", interface: "perf:power"),
            zone(1, "rapl:package-0", "package"),
            zone(2, "perf:package-1", "package", "package-1", interface: "perf:power"),
        ])
        #expect(scope.total.includes == ["rapl:package-0", "perf:package-1"])
        #expect(scope.total.scope == "package only")
    }

    /// Older kernels call both dies of a package package-0: two zones, not one read twice.
    @Test func zonesOfOneNameInOneInterfaceAreSeveral() {
        let scope = TotalScope(sources: [
            zone(0, "rapl:package-0", "package"), zone(1, "rapl:package-0@intel-rapl:1", "package"),
            zone(2, "rapl-mmio:package-0", "package", interface: "powercap:intel-rapl-mmio"),
        ])
        #expect(scope.includes == [0, 1])
        #expect(scope.total.excludes.map(\.id) == ["rapl-mmio:package-0"])
    }

    @Test func mirrorsCountOnce() {
        let dies = [
            zone(0, "rapl:package-0-die-0", "package", "package-0/die-0"),
            zone(1, "rapl:package-0-die-1", "package", "package-0/die-1"),
        ]
        let scope = TotalScope(sources: dies, mirrors: [1: 0])
        #expect(scope.total.includes == ["rapl:package-0-die-0"])
        #expect(reason(scope, "rapl:package-0-die-1")?.contains("mirrors rapl:package-0-die-0") == true)
        // A mirror whose original cannot be used is used itself.
        #expect(TotalScope(sources: dies, unusable: [0: "dead"], mirrors: [1: 0]).includes == [1])
    }

    @Test func theGPUsInUse() {
        let boards = [
            zone(0, "nvml:0", "gpu-board", "GPU-a", interface: "nvml", pci: "00000000:65:00.0"),
            zone(1, "nvml:1", "gpu-board", "GPU-b", interface: "nvml", pci: "00000000:B3:00.0"),
            zone(
                2, "hwmon:amdgpu-0/power1", "gpu-board", "amdgpu-pci-0300", interface: "hwmon:power1_average",
                kind: .gauge, quantity: .power),
        ]
        let named = TotalScope(sources: boards, gpus: .engineDevices(["0000:b3:00.0"]))
        #expect(named.includes == [1])
        #expect(named.total.scope == "GPU only")
        #expect(named.total.gpuRule == "GPUs whose PCI addresses the engine names")
        #expect(reason(named, "nvml:0")?.contains("not in use") == true)
        #expect(TotalScope(sources: boards, gpus: .engineDevices(["65:00.0"])).includes == [0])
        #expect(TotalScope(sources: boards, gpus: .engineDevices([])).includes == [])
        #expect(TotalScope(sources: boards, gpus: .listingEngine(devices: ["GPU-a"])).includes == [0])
        let all = TotalScope(sources: boards + [zone(3, "rapl:package-0", "package")])
        #expect(all.includes == [3, 0, 1, 2])
        #expect(all.total.scope == "package + GPU")
        #expect(all.total.gpuRule?.hasPrefix("every visible GPU") == true)
        #expect(TotalScope(sources: Self.notebook).total.gpuRule == nil)
    }

    @Test func aCounterGoesBeforeAGaugeAndABoardBeforeItsModule() {
        let scope = TotalScope(sources: [
            zone(
                0, "nvml:0/power", "gpu-board", "GPU-a", interface: "nvml:power", kind: .gauge,
                quantity: .power),
            zone(1, "nvml:0", "gpu-board", "GPU-a", interface: "nvml"),
            zone(2, "nvml:0/module", "gpu-module", "GPU-a", interface: "nvml"),
        ])
        #expect(scope.total.includes == ["nvml:0"])
        #expect(reason(scope, "nvml:0/module")?.contains("beside") == true)
        #expect(TotalScope(sources: [zone(2, "nvml:0/module", "gpu-module", "GPU-a")]).includes == [2])
    }

    @Test func aBoardHoldsThePackageOfItsGPU() {
        let package = zone(
            1, "hwmon:xe-0/energy2", "gpu-package", "0000:03:00.0", interface: "hwmon:energy2_input")
        let scope = TotalScope(sources: [
            zone(0, "hwmon:xe-0/energy1", "gpu-board", "0000:03:00.0", interface: "hwmon:energy1_input"),
            package,
            zone(2, "hwmon:i915_gt0-0/energy1", "gpu-tile", "0000:03:00.0", interface: "hwmon:energy1_input"),
            zone(
                3, "hwmon:amdgpu-0/power1", "apu", "amdgpu-pci-0400", interface: "hwmon:power1_average",
                kind: .gauge, quantity: .power),
        ])
        #expect(scope.includes == [0])
        #expect(reason(scope, "hwmon:xe-0/energy2") == "inside hwmon:xe-0/energy1")
        #expect(reason(scope, "hwmon:i915_gt0-0/energy1") == "inside the GPU")
        #expect(reason(scope, "hwmon:amdgpu-0/power1")?.contains("as the package does") == true)
        #expect(TotalScope(sources: [package]).includes == [1])
    }

    /// A meter of the user's stands beside the parts of the machine; where none tells, it is the total.
    @Test func aMeterOrABatteryAlone() {
        let meter = zone(
            1, "exec:meter", "wall", "outside", interface: "exec:watts", kind: .gauge, quantity: .power)
        let battery = zone(
            2, "battery:BAT0", "battery", "BAT0", interface: "power_supply:power_now", kind: .gauge,
            quantity: .power)
        let package = zone(0, "rapl:package-0", "package")
        let all = TotalScope(sources: [package, meter, battery])
        #expect(all.includes == [0])
        #expect(reason(all, "exec:meter")?.contains("beside") == true)
        let alone = TotalScope(sources: [package, meter, battery], unusable: [0: "dead"])
        #expect(alone.includes == [1])
        #expect(alone.total.scope == "wall only")
        #expect(alone.total.excludes.map(\.id) == ["rapl:package-0", "battery:BAT0"])
        #expect(TotalScope(sources: [battery]).total.scope == "battery only")
        #expect(TotalScope(sources: [battery], unusable: [2: "no read succeeded"]).total.unavailable != nil)
        // A meter of the firmware's was not asked for.
        let firmware = zone(
            3, "hwmon:power_meter-0/power1", "wall", interface: "hwmon:power1_average", kind: .gauge,
            quantity: .power)
        #expect(TotalScope(sources: [firmware]).includes.isEmpty)
    }

    @Test func nothingToSum() {
        #expect(TotalScope(sources: []).total.unavailable == "no energy source")
        #expect(TotalScope(sources: []).total.scope == nil)
        let temperature = zone(0, "hwmon:coretemp-0/temp1", "zone", kind: .gauge, quantity: .temperature)
        #expect(TotalScope(sources: [temperature]).total.unavailable == "no energy source")
        #expect(TotalScope(sources: [temperature]).total.excludes.isEmpty)
        let psys = TotalScope(sources: [zone(0, "rapl:psys", "psys", "psys")])
        #expect(psys.total.includes.isEmpty)
        #expect(psys.total.unavailable?.contains("rapl:psys") == true)
        let rail = TotalScope(sources: [zone(0, "hwmon:ina-0/power1", "rail", kind: .gauge, quantity: .power)]
        )
        #expect(rail.total.excludes.count == 1)
    }

    @Test(arguments: [
        ("00000000:65:00.0", "0:65:00.0"), ("0000:65:00.0", "0:65:00.0"), ("65:00.0", "0:65:00.0"),
        ("00000001:B3:00.0", "1:b3:00.0"), ("nonsense", "nonsense"), ("", ""),
    ])
    func addressesAreWrittenInOneWay(address: String, normal: String) {
        #expect(GPUSelection.normalized(address) == normal)
    }
}
