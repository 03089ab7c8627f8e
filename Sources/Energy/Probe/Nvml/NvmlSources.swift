import Analysis
import CPower

/// The sources of one device of NVML.
struct NvmlSources {
    private let device: GPUDevice
    /// Whether the board is part of a module with a processor of its own (Grace Hopper), whose power is told
    /// beside the GPU's.
    private let isInModule: Bool

    /// Without a counter the momentary power is the source of the energy: an H200 renews it every 100 ms.
    private static let gaugeInterval = Nanoseconds(20_000_000)
    /// Over which NVML averages power where it does (NVML API Reference, nvmlDeviceGetPowerUsage).
    private static let averaging = Nanoseconds(1_000_000_000)
    /// Measured on an H200; the analysis finds the true one where the reads are close enough.
    private static let updatePeriod = Nanoseconds(100_000_000)
    /// GA100. What is newer averages the power that nvmlDeviceGetPowerUsage tells.
    private static let lastMomentaryCapability: Int64 = 80

    init(_ device: GPUDevice) {
        self.device = device
        isInModule = [CPOWER_NVML_MODULE_POWER_INSTANT, CPOWER_NVML_MODULE_POWER_AVERAGE].contains {
            (try? device.nvml.value($0).get()) != nil
        }
    }

    func find(into findings: inout Findings, context: Bool) {
        let counts = addCounter(into: &findings)
        addPower(into: &findings, interval: counts ? nil : Self.gaugeInterval)
        if context { addContext(into: &findings) }
    }

    /// `nvml:0`. On a module the counter is that of the module, processor and memory included.
    private func addCounter(into findings: inout Findings) -> Bool {
        var remarks: [String] = []
        if isInModule { remarks.append("counts the whole module: GPU, processor and memory") }
        if device.isDivided.value == true {
            remarks.append("MIG is enabled: counts the whole board, all its instances")
        }
        return add(
            CPOWER_NVML_ENERGY,
            line(
                device.id, .counter, .energy, scale: 1e-3, interface: "nvml:total-energy",
                domain: isInModule ? "gpu-module" : "gpu-board"),
            interval: nil, updatePeriod: Self.updatePeriod,
            remark: remarks.isEmpty ? nil : remarks.joined(separator: "; "), into: &findings)
    }

    private func addPower(into findings: inout Findings, interval: Nanoseconds?) {
        let hasInstant = addPower(
            CPOWER_NVML_POWER_INSTANT, "power-instant", interval: interval, into: &findings)
        let hasAverage = addPower(
            CPOWER_NVML_POWER_AVERAGE, "power-average", averaging: Self.averaging, interval: interval,
            into: &findings)
        if !hasInstant, !hasAverage {
            let capability = try? device.nvml.value(CPOWER_NVML_COMPUTE_CAPABILITY).get()
            let averages = (capability ?? 0) > Self.lastMomentaryCapability
            addPower(
                CPOWER_NVML_POWER_USAGE, "power-usage", averaging: averages ? Self.averaging : nil,
                interval: interval, into: &findings)
        }
        guard isInModule else { return }
        addPower(
            CPOWER_NVML_MODULE_POWER_INSTANT, "module-power-instant", domain: "gpu-module", into: &findings)
        addPower(
            CPOWER_NVML_MODULE_POWER_AVERAGE, "module-power-average", averaging: Self.averaging,
            domain: "gpu-module", into: &findings)
    }

    @discardableResult
    private func addPower(
        _ item: Int, _ name: String, averaging: Nanoseconds? = nil, interval: Nanoseconds? = nil,
        domain: String = "gpu-board", into findings: inout Findings
    ) -> Bool {
        var line = line(
            "\(device.id)/\(name)", .gauge, .power, scale: 1e-3, interface: "nvml:\(name)", domain: domain)
        line.averagingNanoseconds = averaging?.value
        return add(item, line, interval: interval, into: &findings)
    }

    private func addContext(into findings: inout Findings) {
        let series: [(item: Int, name: String, quantity: SourceLine.Quantity, scale: Double)] = [
            (CPOWER_NVML_TEMPERATURE, "temperature", .temperature, 1),
            (CPOWER_NVML_CLOCK_SM, "clock-sm", .frequency, 1e6),
            (CPOWER_NVML_CLOCK_MEMORY, "clock-memory", .frequency, 1e6),
            (CPOWER_NVML_THROTTLE_REASONS, "throttle-reasons", .state, 1),
            (CPOWER_NVML_MEMORY_USED, "memory-used", .memory, 1),
        ]
        for entry in series {
            let domain = entry.item == CPOWER_NVML_CLOCK_MEMORY ? "gpu-memory" : "gpu-board"
            add(
                entry.item,
                line(
                    "\(device.id)/\(entry.name)", .gauge, entry.quantity, scale: entry.scale,
                    interface: "nvml:\(entry.name)", domain: domain), interval: contextInterval,
                into: &findings)
        }
    }

    private func line(
        _ id: String, _ kind: SourceLine.Kind, _ quantity: SourceLine.Quantity, scale: Double,
        interface: String, domain: String
    ) -> SourceLine {
        var line = SourceLine(
            id: id, kind: kind, quantity: quantity, scale: scale, domain: domain, device: device.device,
            interface: interface)
        line.pci = device.pci.value
        // The limit is the board's: a module draws more.
        if domain == "gpu-board", quantity == .energy || quantity == .power {
            line.limitWatts = [device.powerLimit, device.defaultPowerLimit].compactMap(\.value?.value).max()
        }
        return line
    }

    /// Reads once and keeps what gives a number; a row says so, or NVML's own words why not.
    @discardableResult
    private func add(
        _ item: Int, _ line: SourceLine, interval: Nanoseconds?, updatePeriod: Nanoseconds? = nil,
        remark: String? = nil, into findings: inout Findings
    ) -> Bool {
        if case .failure(let failure) = device.nvml.value(item) {
            let index = Int(device.id.drop { $0 != ":" }.dropFirst())
            findings.note(line.id, failure.status, failure.cause, remedy: failure.remedy(device: index))
            return false
        }
        let call = DeviceCall(function: cpower_nvml_read, device: device.nvml.raw, item: Int32(item))
        return findings.add(
            LiveSource(line, call: call, interval: interval, updatePeriod: updatePeriod), remark: remark)
    }
}
