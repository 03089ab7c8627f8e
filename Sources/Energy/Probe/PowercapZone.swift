import Analysis

/// One zone directory, e.g. `intel-rapl:0:1`: control type, then an index a level.
struct PowercapZone {
    let directory: String
    let path: String

    static func isZone(_ name: String) -> Bool {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count >= 2 && parts.count <= 4 && identifier(String(parts[0])) == String(parts[0])
            && parts.dropFirst().allSatisfy { (1...4).contains($0.count) && $0.allSatisfy(\.isASCIIDigit) }
    }

    /// `intel-rapl`, `intel-rapl-mmio`, ...
    var controlType: String { String(directory.prefix { $0 != ":" }) }

    var isRAPL: Bool { controlType.hasSuffix("-rapl") || controlType.hasSuffix("-rapl-mmio") }

    /// The first part of the source's id; AMD's zones come under Intel's name.
    var idPrefix: String {
        if controlType.hasSuffix("-rapl") { return "rapl" }
        return controlType.hasSuffix("-rapl-mmio") ? "rapl-mmio" : controlType
    }

    /// The directory name of the zone that holds this one; nil at the top.
    var parent: String? {
        let parts = directory.split(separator: ":")
        return parts.count > 2 ? parts.dropLast().joined(separator: ":") : nil
    }

    /// "package" for `package-0` and `package-1-die-0`; core, uncore, dram and psys name themselves.
    static func domain(of name: String) -> String {
        name.hasPrefix("package-") ? "package" : name
    }

    /// "package-1/die-0" for `package-1-die-0`.
    static func device(of name: String) -> String {
        guard let range = name.firstRange(of: "-die-") else { return name }
        return name[..<range.lowerBound] + "/die-" + name[range.upperBound...]
    }

    /// The largest power that the zone's constraints name, in watts; nil when they name none.
    ///
    /// Not the most the part can draw: one rated 55 W runs at 162 to 315 W. Beyond 100 kW it is no limit but
    /// firmware's way to say that there is none.
    var limitWatts: Double? {
        var largest: Int64 = 0
        for constraint in 0..<4 {
            for file in ["power_limit_uw", "max_power_uw"] {
                guard let limit = try? readNumber("\(path)/constraint_\(constraint)_\(file)") else {
                    continue
                }
                if limit <= 100_000_000_000 { largest = max(largest, limit) }
            }
        }
        return largest > 0 ? Double(largest) * 1e-6 : nil
    }
}
