import Analysis

/// One value of an export: a plain JSON value or CSV field, or why there is none.
enum FlatValue {
    case text(String)
    case integer(Int64)
    case number(Double)
    case flag(Bool)
    /// A series: in JSON an array, in CSV left out.
    case numbers([Double])
    case missing(String)

    init(_ figure: Figure) {
        guard let value = figure.number else {
            self = .missing(figure.reason ?? "no reason given")
            return
        }
        self = .init(finite: value)
    }

    init(finite value: Double) { self = value.isFinite ? .number(value) : .missing("not a finite number") }

    init(_ value: UInt64) {
        self = Int64(exactly: value).map(FlatValue.integer) ?? .missing("larger than a signed 64-bit number")
    }

    init<Value>(_ value: Maybe<Value>, _ known: (Value) -> FlatValue) {
        switch value {
        case .known(let value): self = known(value)
        case .unavailable(let why): self = .missing(why.reason)
        }
    }

    init(_ text: String?, else reason: String) { self = text.map(FlatValue.text) ?? .missing(reason) }

    var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .integer(let value): .integer(value)
        case .number(let value): .number(value)
        case .flag(let value): .bool(value)
        case .numbers(let values): .array(values.map(JSONValue.number))
        case .missing: .null
        }
    }

    /// The CSV field: numbers as they are, texts quoted and safe, nothing where there is no value.
    var csv: String {
        switch self {
        case .text(let text): CellText.csv(text)
        case .integer(let value): String(value)
        case .number(let value): String(value)
        case .flag(let value): value ? "true" : "false"
        case .numbers, .missing: ""
        }
    }

    var reason: String? { if case .missing(let reason) = self { reason } else { nil } }
}
