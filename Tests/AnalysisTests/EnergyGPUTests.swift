import Testing

@testable import Analysis

/// Which GPUs are the engine's, and what of a module counts.
@Suite struct EnergyGPUTests {
    private func source(
        _ index: Int, _ id: String, _ domain: String = "gpu-board", device: String,
        kind: SourceLine.Kind = .counter, interface: String = "nvml:total-energy"
    ) -> SourceLine {
        var line = SourceLine(
            index: index, id: id, kind: kind, quantity: kind == .counter ? .energy : .power, scale: 1e-3,
            scope: SourceLine.Scope(domain: domain, device: device), interface: interface,
            intervalNanoseconds: 10_000_000)
        line.pci = device
        return line
    }

    private var boards: [SourceLine] {
        [source(0, "nvml:0", device: "0000:1a:00.0"), source(1, "nvml:1", device: "0000:2a:00.0")]
    }

    private func trace(
        _ sources: [SourceLine], devices: [String] = [], lists: [Maybe<[Int32]>]? = nil,
        engine: [Int32] = [42, 43], visible: Bool = true
    ) -> Trace {
        var trace = Trace(header: SyntheticRun().header)
        trace.sources = sources
        var line = EngineLine(kind: "llama", version: "1")
        line.devices = devices
        trace.engine = line
        if let lists {
            trace.gpuProcesses = GPUProcessesLine(
                time: SyntheticRun.moment(1),
                devices: zip(boards, lists).map { .init(device: $0.scope.device, pids: $1) },
                enginePids: engine, pidsAreVisible: visible)
        }
        return trace
    }

    @Test func theEngineKnowsBest() {
        let named = trace(boards, devices: ["00000000:2A:00.0"], lists: [.known([42]), .known([])])
        #expect(GPUSelection(trace: named) == .engineDevices(["00000000:2A:00.0"]))
        // A device that no source is of tells nothing.
        let other = trace(boards, devices: ["0000:99:00.0"], lists: [.known([42]), .known([])])
        #expect(GPUSelection(trace: other) == .listingEngine(devices: ["0000:1a:00.0"]))
    }

    @Test func theDriverListsIt() {
        let one = trace(boards, lists: [.known([7]), .known([7, 43])])
        #expect(GPUSelection(trace: one) == .listingEngine(devices: ["0000:2a:00.0"]))
        // In a container too, where a list holds the engine's own ids.
        let inside = trace(boards, lists: [.known([]), .known([42])], visible: false)
        #expect(GPUSelection(trace: inside) == .listingEngine(devices: ["0000:2a:00.0"]))
        let both = trace(boards, lists: [.known([42]), .known([42])])
        #expect(GPUSelection(trace: both) == .listingEngine(devices: ["0000:1a:00.0", "0000:2a:00.0"]))
    }

    @Test func onNoListIsOnNoBoard() {
        let none = trace(boards, lists: [.known([7]), .known([])])
        #expect(GPUSelection(trace: none) == .listingEngine(devices: []))
        let total = EnergyLedger(trace: none).total
        #expect(total.includes.isEmpty)
    }

    @Test func whereNothingTellsAllCount() {
        #expect(GPUSelection(trace: trace(boards)) == .allVisible)
        #expect(
            GPUSelection(trace: trace(boards, lists: [.known([]), .known([])], visible: false)) == .allVisible
        )
        #expect(
            GPUSelection(trace: trace(boards, lists: [.known([]), .unavailable("no permission")]))
                == .allVisible)
        // A board of another vendor, which NVML cannot list.
        let third = source(
            2, "hwmon:amdgpu-0/power1", device: "amdgpu-pci-0300", kind: .gauge,
            interface: "hwmon:power1_average")
        #expect(
            GPUSelection(trace: trace(boards + [third], lists: [.known([]), .known([])])) == .allVisible)
    }

    @Test func theLineIsReadBack() throws {
        let line = GPUProcessesLine(
            time: SyntheticRun.moment(2),
            devices: [
                .init(device: "0000:1a:00.0", pids: .known([1, 2])),
                .init(device: "0000:2a:00.0", pids: .unavailable("Not Supported")),
            ], enginePids: [2], pidsAreVisible: true)
        var bytes = try TraceLine.header(SyntheticRun().header).encodedLine()
        bytes += try TraceLine.gpuProcesses(line).encodedLine()
        let trace = try Trace.parse(bytes, name: "t")
        #expect(trace.gpuProcesses == line)
        #expect(trace.notes == TraceNotes())
    }

    /// A counter of the module goes before mere power of the board in it; with both as counters the board counts.
    @Test func aModuleWithTheOnlyCounter() {
        let device = "0009:01:00.0"
        let lines = [
            source(0, "nvml:0", "gpu-module", device: device),
            source(1, "nvml:0/power-instant", device: device, kind: .gauge, interface: "nvml:power-instant"),
            source(
                2, "nvml:0/module-power-instant", "gpu-module", device: device, kind: .gauge,
                interface: "nvml:module-power-instant"),
        ]
        let scope = TotalScope(sources: lines)
        #expect(scope.total.includes == ["nvml:0"])
        #expect(scope.total.scope == "GPU module only")
        let reasons = Dictionary(scope.total.excludes.map { ($0.id, $0.reason) }) { first, _ in first }
        #expect(reasons["nvml:0/power-instant"]?.hasPrefix("inside nvml:0") == true)
        #expect(reasons["nvml:0/module-power-instant"]?.hasPrefix("same scope as nvml:0") == true)
        // Without the counter the board's power is the GPU's.
        let gauges = TotalScope(sources: Array(lines.dropFirst()))
        #expect(gauges.total.includes == ["nvml:0/power-instant"])
        #expect(gauges.total.scope == "GPU only")
    }

    /// Memory runs at a clock of its own, higher than that of what computes.
    @Test func clocksAreThoseOfWhatComputes() throws {
        func clock(_ index: Int, _ id: String, _ domain: String) -> SourceLine {
            SourceLine(
                index: index, id: id, kind: .gauge, quantity: .frequency, scale: 1e6,
                scope: .init(domain: domain, device: id), interface: "test",
                intervalNanoseconds: 1_000_000_000)
        }
        let clocks = [
            clock(10, "cpufreq:policy0", "cpu"), clock(11, "nvml:0/clock-sm", "gpu-board"),
            clock(12, "nvml:0/clock-memory", "gpu-memory"),
        ]
        var run = SyntheticRun()
        run.seconds = 60
        var trace = try Trace.parse(try run.bytes, name: "synthetic")
        trace.sources += clocks
        for second in 0..<200 {
            trace.samples.append(
                SampleLine(
                    time: SyntheticRun.moment(Double(second)), sources: [10, 11, 12], deltas: [1, 1, 1],
                    values: [4500, 1980, 9000]))
        }
        #expect(Analyze.record(from: trace).metrics.perMinute.first?.clock.number == 4.5e9)
        trace.engine?.devices = ["0000:1a:00.0"]
        #expect(Analyze.record(from: trace).metrics.perMinute.first?.clock.number == 1.98e9)
    }
}
