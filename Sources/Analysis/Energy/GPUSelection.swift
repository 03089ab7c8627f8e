/// Which GPUs belong to the total of a run.
public enum GPUSelection: Sendable, Hashable {
    /// The engine named the PCI addresses of its devices; an empty list is an engine that uses none.
    case engineDevices([String])
    /// The driver lists one of the measured processes on the devices of these source scopes; an empty list is
    /// an engine or a command that uses none.
    case listingEngine(devices: [String])
    /// Nothing tells which are in use: every visible one.
    case allVisible

    /// The rule in words, for the record.
    public var rule: String {
        switch self {
        case .engineDevices: "GPUs whose PCI addresses the engine names"
        case .listingEngine: "GPUs on which the driver lists the measured processes"
        case .allVisible: "every visible GPU: nothing tells which are in use"
        }
    }

    func includes(_ line: SourceLine) -> Bool {
        switch self {
        case .engineDevices(let addresses):
            guard let pci = line.pci.map(Self.normalized) else { return false }
            return addresses.contains { Self.normalized($0) == pci }
        case .listingEngine(let devices): return devices.contains(line.scope.device)
        case .allVisible: return true
        }
    }

    /// NVML writes the PCI domain with eight digits, sysfs with four, some engines in capitals or not at all.
    static func normalized(_ address: String) -> String {
        var parts = address.lowercased().split(separator: ":", omittingEmptySubsequences: false).map(
            String.init)
        if parts.count == 2 { parts.insert("0", at: 0) }
        guard parts.count == 3 else { return address.lowercased() }
        let domain = parts[0].drop { $0 == "0" }
        return "\(domain.isEmpty ? "0" : domain):\(parts[1]):\(parts[2])"
    }
}

extension GPUSelection {
    /// What a trace tells: the devices that the engine names; else those that the driver lists it on.
    ///
    /// An engine that names no device of ours and is listed on none uses none, where the lists of all GPUs could
    /// be read and the process ids in them are to be believed. Elsewhere every visible GPU counts.
    public init(trace: Trace) {
        let named = GPUSelection.engineDevices(trace.engine?.devices ?? [])
        if trace.sources.contains(where: named.includes) {
            self = named
            return
        }
        self.init(asked: trace.gpuProcesses, sources: trace.sources)
    }

    /// The devices that the driver lists the measured processes on, as above.
    init(asked: GPUProcessesLine?, sources: [SourceLine]) {
        guard let asked else {
            self = .allVisible
            return
        }
        let engine = Set(asked.enginePids)
        let listing = asked.devices.filter { !engine.isDisjoint(with: $0.pids.value ?? []) }.map(\.device)
        let answered = Set(asked.devices.filter { $0.pids.value != nil }.map(\.device))
        let boards = sources.filter { $0.tellsEnergy && $0.isGPU }
        let isKnown = asked.pidsAreVisible && boards.allSatisfy { answered.contains($0.scope.device) }
        self = listing.isEmpty && !isKnown ? .allVisible : .listingEngine(devices: listing)
    }
}
