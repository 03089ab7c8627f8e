import Analysis

/// Which energy sources to use (`--power`). Context series are read in any case, but for those of NVIDIA's
/// boards: they are asked only where their energy is, since a question wakes a board that sleeps.
public enum PowerSelection: String, Sendable, Hashable, CaseIterable {
    /// Everything this machine offers.
    case auto
    /// Processor energy counters through powercap.
    case rapl
    /// Power and energy sensors through libsensors.
    case hwmon
    /// NVIDIA's boards through their driver's management library.
    case nvml
    case none

    /// Known to the command line but not to this version.
    private static let later = ["perf", "battery", "csv", "exec"]

    /// Parses the option's value; a failure has the usage exit code.
    public init(option text: String) throws(Failure) {
        if let selection = Self(rawValue: text) {
            self = selection
            return
        }
        let known = Self.allCases.map(\.rawValue).joined(separator: ", ")
        let name = text.split(separator: ":", maxSplits: 1).first.map(String.init) ?? text
        throw Failure(
            thing: "--power \(text)",
            cause: Self.later.contains(name) ? "not supported by this version" : "unknown energy source",
            remedy: "use one of: \(known)", exit: .usage)
    }

    var includesRAPL: Bool { self == .auto || self == .rapl }
    var includesHwmon: Bool { self == .auto || self == .hwmon }
    var includesNvml: Bool { self == .auto || self == .nvml }
}
