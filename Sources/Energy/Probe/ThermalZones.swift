import Analysis

/// Temperatures of thermal zones (kernel Documentation/driver-api/thermal/sysfs-api.rst), in millidegrees.
struct ThermalZones {
    private let root: String

    private static let most = 64

    init(_ roots: SystemRoots) { root = "\(roots.sysfs)/class/thermal" }

    func find(into findings: inout Findings) {
        let listing: Directory
        do {
            listing = try Directory(root, most: Self.most) { $0.hasPrefix("thermal_zone") }
        } catch {
            findings.note("thermal", failure: error)
            return
        }
        if listing.names.isEmpty { findings.note("thermal", .absent, "no thermal zone under \(root)") }
        findings.noteOmitted("thermal", listing.omitted, of: "thermal zones")
        var seen: [String: Int] = [:]
        for zone in listing.names {
            // Types repeat (`acpitz`), so that the id counts them in the order of the zones.
            let type = (try? readTextLine("\(root)/\(zone)/type")).flatMap(identifier) ?? zone
            let ordinal = seen[type, default: 0]
            seen[type] = ordinal + 1
            findings.add(
                SourceLine(
                    id: "thermal:\(type)-\(ordinal)", kind: .gauge, quantity: .temperature, scale: 1e-3,
                    domain: "zone", device: type, interface: "thermal"),
                file: "\(root)/\(zone)/temp", interval: contextInterval)
        }
    }
}
