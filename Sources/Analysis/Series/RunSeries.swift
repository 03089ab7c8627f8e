/// What a run did over time, for charts: all that a record does not hold.
///
/// A pure function of the trace, as the record is; whatever the trace lacks is unavailable with its reason.
public struct RunSeries: Sendable, Hashable {
    /// A moment at which the engine's memory was read on purpose.
    public struct MemoryPoint: Sendable, Hashable {
        public var name: String
        /// Seconds since the trace's start.
        public var seconds: Double
        public var bytes: UInt64
        public init(name: String, seconds: Double, bytes: UInt64) {
            self.name = name
            self.seconds = seconds
            self.bytes = bytes
        }
    }

    /// The run's id, to tell a trace that lies beside another run's record.
    public var id: String
    /// t = 0 of the sustained part, seconds since the trace's start; nil when it never began.
    public var sustainedStart: Double?
    /// Where burst and sustained were taken, seconds since t = 0.
    public var burst: ClosedRange<Double>?
    public var sustained: ClosedRange<Double>?
    public var power: Result<PowerSeries, Unavailable>
    public var joulesPerToken: Result<TokenEnergySeries, Unavailable>
    /// Degrees Celsius and hertz over seconds since the trace's start, the hottest and the fastest first.
    public var temperatures: [Course]
    public var clocks: [Course]
    /// Bytes over seconds since the trace's start.
    public var memory: [Course]
    public var memoryPoints: [MemoryPoint]
    public var latency: Result<LatencyHistogram, Unavailable>

    public init(
        id: String, sustainedStart: Double?, burst: ClosedRange<Double>?, sustained: ClosedRange<Double>?,
        power: Result<PowerSeries, Unavailable>, joulesPerToken: Result<TokenEnergySeries, Unavailable>,
        temperatures: [Course],
        clocks: [Course], memory: [Course], memoryPoints: [MemoryPoint],
        latency: Result<LatencyHistogram, Unavailable>
    ) {
        self.id = id
        self.sustainedStart = sustainedStart
        self.burst = burst
        self.sustained = sustained
        self.power = power
        self.joulesPerToken = joulesPerToken
        self.temperatures = temperatures
        self.clocks = clocks
        self.memory = memory
        self.memoryPoints = memoryPoints
        self.latency = latency
    }
}
