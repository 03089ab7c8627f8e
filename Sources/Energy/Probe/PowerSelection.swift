import Analysis

/// Which energy sources to use (`--power`). Context series are read in any case, but for those of NVIDIA's
/// boards: they are asked only where their energy is, since a question wakes a board that sleeps.
public enum PowerSelection: Sendable, Hashable {
    /// Everything this machine offers.
    case auto
    /// Processor energy counters through powercap.
    case rapl
    /// Power and energy sensors through libsensors.
    case hwmon
    /// NVIDIA's boards through their driver's management library.
    case nvml
    /// What the machine draws from its batteries.
    case battery
    /// What the machine offers, and beside it a meter's log, read after the run: its path.
    case csv(String)
    /// What the machine offers, and beside it a program that tells a meter's readings: its words.
    case exec([String])
    case none

    /// Those without an argument, by their names.
    private static let plain: [(name: String, selection: PowerSelection)] = [
        ("auto", .auto), ("rapl", .rapl), ("hwmon", .hwmon), ("nvml", .nvml), ("battery", .battery),
        ("none", .none),
    ]

    /// Known to the command line but not to this version.
    private static let later = ["perf"]

    /// Parses the option's value; a failure has the usage exit code.
    public init(option text: String) throws(Failure) {
        if let known = Self.plain.first(where: { $0.name == text }) {
            self = known.selection
            return
        }
        let name = String(text.prefix { $0 != ":" })
        let argument = text.dropFirst(name.count + 1)
        let words = argument.split(separator: " ").map(String.init)
        switch name {
        case "csv" where !argument.isEmpty: self = .csv(String(argument))
        case "exec" where !words.isEmpty: self = .exec(words)
        case "csv", "exec":
            throw Failure(
                thing: "--power \(text)", cause: "names no \(name == "csv" ? "file" : "program")",
                remedy: "--power csv:meter.csv or --power \"exec:./meter --watts\"", exit: .usage)
        default:
            let known = Self.plain.map(\.name) + ["csv:FILE", "exec:CMD"]
            throw Failure(
                thing: "--power \(text)",
                cause: Self.later.contains(name) ? "not supported by this version" : "unknown energy source",
                remedy: "use one of: \(known.joined(separator: ", "))", exit: .usage)
        }
    }

    /// A meter's log that is read after the run, and what its source is called; nil for any other selection.
    public var log: (path: String, id: String)? {
        guard case .csv(let path) = self else { return nil }
        let file = path.split(separator: "/").last.map(String.init) ?? path
        return (path, "csv:\(identifier(file) ?? "log")")
    }

    /// What the machine offers is used: by itself, or beside a meter of the user's.
    private var isOpen: Bool {
        switch self {
        case .auto, .csv, .exec: true
        case .rapl, .hwmon, .nvml, .battery, .none: false
        }
    }

    var includesRAPL: Bool { isOpen || self == .rapl }
    var includesHwmon: Bool { isOpen || self == .hwmon }
    var includesNvml: Bool { isOpen || self == .nvml }
    var includesBattery: Bool { isOpen || self == .battery }
}
