/// One counter or gauge of one device; written before its first sample.
public struct SourceLine: Sendable, Hashable, Codable {
    public enum Kind: String, Sendable, Hashable, Codable {
        /// Cumulative: differences have a meaning.
        case counter
        /// Momentary: values have a meaning.
        case gauge
    }

    /// What the source tells; the base unit of `scale` follows from it.
    public enum Quantity: String, Sendable, Hashable, Codable {
        /// Joules.
        case energy
        /// Watts.
        case power
        /// Degrees Celsius.
        case temperature
        /// Hertz.
        case frequency
        /// Bytes.
        case memory
        /// Seconds: CPU time, stall time.
        case time
        /// A plain count: throttle events, context switches.
        case count
        /// A ratio, bit field or state number.
        case state
    }

    /// The probe's verdict (DESIGN: "Each source ends in one state").
    public enum Status: String, Sendable, Hashable, Codable {
        case ok
        case noPermission = "no permission"
        case absent
        case dead
        case frozen
        case mirrored
        case unsupported
    }

    /// What a source covers: "package", "core", "uncore", "dram", "psys", "gpu-board", "gpu-module",
    /// "battery", "wall"; context series use "process", "system", "cpu", "zone".
    public struct Scope: Sendable, Hashable, Codable {
        public var domain: String
        /// The device, by a name that survives a reboot: "package-0", "package-1/die-0", a GPU's PCI address.
        public var device: String
        public init(domain: String, device: String) {
            self.domain = domain
            self.device = device
        }
    }

    /// The number by which `sample` lines name the source; consecutive from 0.
    public var index: Int
    /// `rapl:package-0`, `rapl:package-0/dram`, `hwmon:amdgpu-0/power1`, `process:rss`.
    public var id: String
    public var kind: Kind
    public var quantity: Quantity
    /// Base units per raw unit: 1e-6 for microjoules.
    public var scale: Double
    public var scope: Scope
    /// Which interface it is read through: "powercap:intel-rapl", "powercap:intel-rapl-mmio", "perf",
    /// "hwmon", "procfs".
    public var interface: String
    /// Raw values run from 0 to this and wrap (`max_energy_range_uj`); nil when unknown or not a wrapping counter.
    public var range: Int64?
    /// Why `range` is nil although the source wraps: "max_energy_range_uj: permission denied (errno 13)".
    public var rangeReason: String?
    /// The largest constraint or power limit the device names, for the plausible ceiling.
    public var limitWatts: Double?
    /// Averaging time the vendor names for a gauge, nil when unknown.
    public var averagingNanoseconds: Int64?
    /// How often the device renews the value, as its vendor or the probe says; 0 for one that every read makes
    /// anew, nil when unknown. The analysis finds the period from the data and uses this only where the reads
    /// were too far apart to tell.
    public var updatePeriodNanoseconds: Int64?
    /// How the value is made where the device does not tell it, e.g. "estimated as in1_input x curr1_input";
    /// nil for a value as it was read.
    public var derivation: String?
    /// What the vendor says of the sensor's accuracy; nil when it says nothing.
    public var accuracy: SensorAccuracy?
    /// PCI address of a GPU source, "0000:65:00.0", to tell the boards in use from the others; nil elsewhere.
    public var pci: String?
    /// True where what happens in kernel mode is not counted; nil for all else.
    public var excludesKernel: Bool?
    /// How often the sampler reads it; 0 for a source that tells its readings at its own pace.
    public var intervalNanoseconds: Int64
    /// Why a slow counter is read as often as it is; nil for one that is read at the common interval.
    public var pace: String?

    public init(
        index: Int, id: String, kind: Kind, quantity: Quantity, scale: Double, scope: Scope,
        interface: String, intervalNanoseconds: Int64
    ) {
        self.index = index
        self.id = id
        self.kind = kind
        self.quantity = quantity
        self.scale = scale
        self.scope = scope
        self.interface = interface
        self.intervalNanoseconds = intervalNanoseconds
    }

    enum CodingKeys: String, CodingKey {
        case index, id, kind, quantity, scale, scope, interface, range, pci, derivation, accuracy, pace
        case rangeReason = "range_reason"
        case updatePeriodNanoseconds = "update_period_ns"
        case excludesKernel = "excludes_kernel"
        case limitWatts = "limit_watts"
        case averagingNanoseconds = "averaging_ns"
        case intervalNanoseconds = "interval_ns"
    }
}

/// One tick of the sampler: the sources read in it, in the order of reading.
///
/// `time` is the clock before the first read; `deltas[i]` is the time from there, or from the end of the
/// read before, to the end of read i. So each read is bracketed by two clock readings. Sources that come from
/// one read of one file follow one another; the first has its delta, the others 0.
public struct SampleLine: Sendable, Hashable, Codable {
    public var time: Instant
    /// Source indices in the order of reading.
    public var sources: [Int]
    public var deltas: [UInt32]
    /// Raw integers; nil where the read failed.
    public var values: [Int64?]
    /// errno of the reads that failed, by position in `sources`; empty when none did.
    public var errors: [Int: Int32]

    public init(time: Instant, sources: [Int], deltas: [UInt32], values: [Int64?], errors: [Int: Int32] = [:])
    {
        self.time = time
        self.sources = sources
        self.deltas = deltas
        self.values = values
        self.errors = errors
    }

    enum CodingKeys: String, CodingKey {
        case time = "t_ns"
        case sources = "s"
        case deltas = "d_ns"
        case values = "v"
        case errors = "e"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        time = try container.decode(Instant.self, forKey: .time)
        sources = try container.decode([Int].self, forKey: .sources)
        deltas = try container.decode([UInt32].self, forKey: .deltas)
        values = try container.decode([Int64?].self, forKey: .values)
        errors = try container.decodeIfPresent([Int: Int32].self, forKey: .errors) ?? [:]
        guard sources.count == values.count, sources.count == deltas.count else {
            throw DecodingError.dataCorruptedError(
                forKey: .values, in: container, debugDescription: "s, d_ns and v differ in length")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(time, forKey: .time)
        try container.encode(sources, forKey: .sources)
        try container.encode(deltas, forKey: .deltas)
        try container.encode(values, forKey: .values)
        if !errors.isEmpty { try container.encode(errors, forKey: .errors) }
    }
}
