/// The energy of one named window: of every source, and of the total over the scopes that do not overlap.
///
/// Joules and watts are figures: a value with its bounds and method, or the reason why there is none.
public struct EnergyReading: Sendable, Hashable, Codable {
    /// The window's name.
    public var name: String
    /// Length of the window on CLOCK_MONOTONIC.
    public var seconds: Double
    /// Which sources the total adds up, and which it leaves out and why.
    public var total: Total
    /// Energy of the total in the window.
    public var joules: Figure
    /// Mean power of the total over the window.
    public var watts: Figure
    /// Every energy source, also those beside the total, in the order in which they were found.
    public var sources: [SourceReading]

    public init(
        name: String, seconds: Double, total: Total, joules: Figure, watts: Figure, sources: [SourceReading]
    ) {
        self.name = name
        self.seconds = seconds
        self.total = total
        self.joules = joules
        self.watts = watts
        self.sources = sources
    }
}

/// One source over a window or over a measurement: what is known of it, and its energy.
///
/// In JSON one flat object: the keys of a record's source, `joules` and `watts`; `reason` is null where there
/// is nothing to say.
public struct SourceReading: Sendable, Hashable, Codable {
    /// Id, state, update period, wraps, resets, void intervals.
    public var source: SourceSummary
    public var joules: Figure
    public var watts: Figure

    public init(_ source: SourceSummary, joules: Figure, watts: Figure) {
        self.source = source
        self.joules = joules
        self.watts = watts
    }

    /// A source that was looked for and could not be opened.
    public init(notOpened row: CapabilitiesLine.Row) {
        let why = row.reason ?? row.status.rawValue
        self.init(
            SourceSummary(notOpened: row, why: why),
            joules: .unavailable(why), watts: .unavailable(why))
    }

    enum CodingKeys: String, CodingKey { case joules, watts, reason }

    public init(from decoder: any Decoder) throws {
        source = try SourceSummary(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        joules = try container.decode(Figure.self, forKey: .joules)
        watts = try container.decode(Figure.self, forKey: .watts)
    }

    public func encode(to encoder: any Encoder) throws {
        try source.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(joules, forKey: .joules)
        try container.encode(watts, forKey: .watts)
        if source.reason == nil { try container.encodeNil(forKey: .reason) }
    }
}

extension CapabilitiesLine {
    /// Why a machine has no energy figure at all, where no source could be opened: the want of a permission
    /// before anything else, since that can be mended.
    public static func whyNoEnergy(_ rows: [Row]) -> String {
        guard let row = rows.first(where: { $0.status == .noPermission }) else { return "no energy source" }
        return "no energy source: \(row.id): no permission"
    }
}
