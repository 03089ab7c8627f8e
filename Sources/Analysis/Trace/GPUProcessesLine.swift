/// Which processes the driver lists on the GPUs, asked while the model is loaded: it tells which boards are the
/// engine's where the engine does not name them.
public struct GPUProcessesLine: Sendable, Hashable, Codable {
    public struct Device: Sendable, Hashable, Codable {
        /// The device of its sources' scope.
        public var device: String
        /// Process ids as the driver gives them, or why it does not.
        public var pids: Maybe<[Int32]>

        public init(device: String, pids: Maybe<[Int32]>) {
            self.device = device
            self.pids = pids
        }
    }

    public var time: Instant
    public var devices: [Device]
    /// The engine's processes and what they have started.
    public var enginePids: [Int32]
    /// Whether the driver's process ids mean here what they say. In a container the driver lists none, or the
    /// host's.
    public var pidsAreVisible: Bool

    public init(time: Instant, devices: [Device], enginePids: [Int32], pidsAreVisible: Bool) {
        self.time = time
        self.devices = devices
        self.enginePids = enginePids
        self.pidsAreVisible = pidsAreVisible
    }

    /// Adds what a later look has shown: a process that was listed once counts.
    mutating func merge(_ later: GPUProcessesLine) {
        time = later.time
        pidsAreVisible = pidsAreVisible && later.pidsAreVisible
        enginePids = Set(enginePids + later.enginePids).sorted()
        for device in later.devices {
            guard let index = devices.firstIndex(where: { $0.device == device.device }) else {
                devices.append(device)
                continue
            }
            guard let new = device.pids.value else { continue }
            devices[index].pids = .known(Set((devices[index].pids.value ?? []) + new).sorted())
        }
    }

    enum CodingKeys: String, CodingKey {
        case devices
        case time = "t_ns"
        case enginePids = "engine_pids"
        case pidsAreVisible = "pids_are_visible"
    }
}
