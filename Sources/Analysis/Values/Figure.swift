/// How far a figure can be off: 95 %, within-run repeatability (docs/metrics.md, "Intervals").
public enum Interval: Sendable, Hashable {
    case bounds(low: Double, high: Double)
    case unavailable(Unavailable)
}

/// A number of a record with its interval and method, or the reason why there is none.
///
/// In JSON: `{"value", "low", "high", "method"}`, or `{"value", "interval": {"unavailable"}, "method"}`, or
/// `{"unavailable"}`. The unit is the key's: `joules`, `watts`, `tokens_per_second`, ...
public enum Figure: Sendable, Hashable {
    case value(Double, Interval, method: String)
    case unavailable(Unavailable)

    /// A figure from its parts; a value that is not finite is no figure and says so.
    public init(_ value: Double, _ interval: Interval, method: String) {
        guard value.isFinite else {
            self = .unavailable(Unavailable("not a finite number"))
            return
        }
        if case .bounds(let low, let high) = interval, !(low.isFinite && high.isFinite) {
            self = .value(value, .unavailable(Unavailable("interval is not finite")), method: method)
            return
        }
        self = .value(value, interval, method: method)
    }

    /// A figure of which there is a single observation, so that nothing is known of its spread.
    public static func once(_ value: Double, method: String) -> Figure {
        Figure(value, .unavailable(Unavailable("one observation")), method: method)
    }

    public static func unavailable(_ reason: String) -> Figure { .unavailable(Unavailable(reason)) }

    /// The number, or nil when the figure is unavailable.
    public var number: Double? {
        if case .value(let value, _, _) = self { value } else { nil }
    }

    /// The reason, or nil when there is a number.
    public var reason: String? {
        if case .unavailable(let why) = self { why.reason } else { nil }
    }
}

extension Figure: Codable {
    enum CodingKeys: String, CodingKey { case value, low, high, method, interval, unavailable }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let reason = try container.decodeIfPresent(String.self, forKey: .unavailable) {
            self = .unavailable(Unavailable(reason))
            return
        }
        let value = try container.decode(Double.self, forKey: .value)
        let method = try container.decode(String.self, forKey: .method)
        if let low = try container.decodeIfPresent(Double.self, forKey: .low) {
            let high = try container.decode(Double.self, forKey: .high)
            self = .value(value, .bounds(low: low, high: high), method: method)
        } else {
            let why = try container.decode(Unavailable.self, forKey: .interval)
            self = .value(value, .unavailable(why), method: method)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .unavailable(let why):
            try container.encode(why.reason, forKey: .unavailable)
        case .value(let value, let interval, let method):
            try container.encode(value, forKey: .value)
            try container.encode(method, forKey: .method)
            switch interval {
            case .bounds(let low, let high):
                try container.encode(low, forKey: .low)
                try container.encode(high, forKey: .high)
            case .unavailable(let why):
                try container.encode(why, forKey: .interval)
            }
        }
    }
}

/// A plain value of a record, or the reason why there is none: in JSON the bare value, or `{"unavailable"}`.
public enum Maybe<Value: Sendable & Hashable & Codable>: Sendable, Hashable, Codable {
    case known(Value)
    case unavailable(Unavailable)

    public init(_ value: Value?, else reason: @autoclosure () -> String) {
        if let value { self = .known(value) } else { self = .unavailable(Unavailable(reason())) }
    }

    public static func unavailable(_ reason: String) -> Self { .unavailable(Unavailable(reason)) }

    public var value: Value? {
        if case .known(let value) = self { value } else { nil }
    }

    public var reason: String? {
        if case .unavailable(let why) = self { why.reason } else { nil }
    }

    public init(from decoder: any Decoder) throws {
        if let why = try? Unavailable(from: decoder) {
            self = .unavailable(why)
        } else {
            self = .known(try Value(from: decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .known(let value): try value.encode(to: encoder)
        case .unavailable(let why): try why.encode(to: encoder)
        }
    }
}
