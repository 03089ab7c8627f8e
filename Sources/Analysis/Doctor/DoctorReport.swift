/// What `sustain doctor` found (docs/doctor.schema.json).
public struct DoctorReport: Sendable, Hashable, Codable {
    public static let currentSchema = "sustain.doctor/1"

    public var schema: String = currentSchema
    /// Length of the look at the counters, seconds.
    public var seconds: Double
    /// The run that `minimum_detectable_effect_w` is for, seconds.
    public var runSeconds: Double
    /// Everything that was looked for, in its state.
    public var sources: [SourceLook]
    /// What a run here would add up.
    public var total: Total
    /// Of the total's mean power.
    public var minimumDetectableEffectWatts: Figure
    /// What would make more measurable, each thing once.
    public var remedies: [String]

    enum CodingKeys: String, CodingKey {
        case schema, seconds, sources, total, remedies
        case runSeconds = "run_seconds"
        case minimumDetectableEffectWatts = "minimum_detectable_effect_w"
    }
}

/// One row: a source that was looked at, or what stands in the way.
public struct SourceLook: Sendable, Hashable, Codable {
    public var id: String
    public var status: SourceLine.Status
    public var reason: String?
    public var remedy: String?
    /// Nil for what was not opened, as the next two.
    public var kind: SourceLine.Kind?
    public var scope: SourceLine.Scope?
    public var interface: String?
    public var updatePeriodSeconds: Figure
    /// The least by which the value differs, joules or watts by the kind.
    public var resolution: Figure
    /// Mean over the look.
    public var watts: Figure
    /// How much the mean power of short blocks fluctuates about it, standard deviation.
    public var noiseWatts: Figure
    /// The smallest change of mean watts that a run of the report's length tells from none.
    public var minimumDetectableEffectWatts: Figure

    enum CodingKeys: String, CodingKey {
        case id, status, reason, remedy, kind, scope, interface, resolution, watts
        case noiseWatts = "noise_w"
        case updatePeriodSeconds = "update_period_s"
        case minimumDetectableEffectWatts = "minimum_detectable_effect_w"
    }

    /// What cannot be looked at, or tells no energy.
    public init(_ row: CapabilitiesLine.Row, _ line: SourceLine?) {
        id = row.id
        status = row.status
        reason = row.reason
        remedy = row.remedy
        kind = line?.kind
        scope = line?.scope
        interface = line?.interface
        let why = line == nil ? row.reason ?? row.status.rawValue : "tells no energy"
        updatePeriodSeconds = .unavailable(why)
        resolution = .unavailable(why)
        watts = .unavailable(why)
        noiseWatts = .unavailable(why)
        minimumDetectableEffectWatts = .unavailable(why)
    }

    /// Keys that have nothing to say hold null: they are always there.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(status, forKey: .status)
        try container.encode(reason, forKey: .reason)
        try container.encode(remedy, forKey: .remedy)
        try container.encode(kind, forKey: .kind)
        try container.encode(scope, forKey: .scope)
        try container.encode(interface, forKey: .interface)
        try container.encode(updatePeriodSeconds, forKey: .updatePeriodSeconds)
        try container.encode(resolution, forKey: .resolution)
        try container.encode(watts, forKey: .watts)
        try container.encode(noiseWatts, forKey: .noiseWatts)
        try container.encode(minimumDetectableEffectWatts, forKey: .minimumDetectableEffectWatts)
    }
}
