import Analysis

/// How far the machine is from the temperature at which it slows itself down.
extension Conditions {
    /// Closer to a trip point than this is not nominal, in kelvin.
    private static let nearest = 5.0

    /// A temperature and the first at which something is done about it, in degrees Celsius.
    private struct Margin {
        let name: String
        let degrees: Double
        let trip: Double

        var kelvin: Double { trip - degrees }
        var text: String {
            "\(name) at \(degrees.inTenths) C, \(kelvin.inTenths) K under its first trip point"
        }
    }

    /// The sensor that is nearest to its first trip point counts.
    var temperature: Condition {
        let margins = zoneMargins + sensorMargins
        guard let closest = margins.min(by: { $0.kelvin < $1.kelvin }) else {
            return Self.check("temperature", .cannotTell, "no temperature with a trip point is read here")
        }
        return Self.check(
            "temperature", closest.kelvin < Self.nearest ? .fail : .pass, closest.text)
    }

    /// Thermal zones by their passive, hot and critical trips (kernel
    /// Documentation/driver-api/thermal/sysfs-api.rst); an active one only starts a fan.
    private var zoneMargins: [Margin] {
        facts.names("class/thermal", prefix: "thermal_zone").prefix(64).compactMap { zone in
            let path = "class/thermal/\(zone)"
            guard facts.sys("\(path)/mode").value != "disabled", let now = facts.number("\(path)/temp") else {
                return nil
            }
            let trips = (0..<16).compactMap { number -> Int64? in
                guard let type = facts.sys("\(path)/trip_point_\(number)_type").value,
                    ["passive", "hot", "critical"].contains(type)
                else { return nil }
                return facts.number("\(path)/trip_point_\(number)_temp")
            }
            return Self.margin(facts.sys("\(path)/type").value ?? zone, now, trips)
        }
    }

    /// Sensors of processors and boards by their own limits (kernel Documentation/hwmon/sysfs-interface.rst):
    /// many a zone of a processor has no trip point.
    private var sensorMargins: [Margin] {
        let chips = ["coretemp", "k10temp", "zenpower", "cpu_thermal", "amdgpu"]
        return facts.names("class/hwmon", prefix: "hwmon").prefix(64).flatMap { directory -> [Margin] in
            let path = "class/hwmon/\(directory)"
            guard let name = facts.sys("\(path)/name").value, chips.contains(name) else { return [] }
            return (1...32).compactMap { number in
                guard let now = facts.number("\(path)/temp\(number)_input") else { return nil }
                let limits = ["max", "crit"].compactMap { facts.number("\(path)/temp\(number)_\($0)") }
                let label = facts.sys("\(path)/temp\(number)_label").value ?? "temp\(number)"
                return Self.margin("\(name) \(label)", now, limits)
            }
        }
    }

    /// - Parameters: in millidegrees. Drivers write 0, or far below it, where a trip is switched off.
    private static func margin(_ name: String, _ now: Int64, _ trips: [Int64]) -> Margin? {
        guard (-40_000...200_000).contains(now),
            let first = trips.filter({ (30_000...200_000).contains($0) }).min()
        else { return nil }
        return Margin(name: name.bounded(to: 40), degrees: Double(now) / 1e3, trip: Double(first) / 1e3)
    }
}
