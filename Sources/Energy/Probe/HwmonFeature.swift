import Analysis

/// One feature of a chip with its subfeatures, e.g. `power1` with `power1_average` and `power1_cap`.
struct HwmonFeature {
    /// `hwmon:amdgpu-0/power1`: the driver, and which of its chips in the order of their places.
    let id: String
    let sensors: [HwmonSensor]
    /// libsensors knows a chip by its name and answers for one of those that share it: no value of theirs can
    /// be trusted. It happens where chips have no bus address ("ina226-virtual-0").
    let isAmbiguous: Bool

    static func group(_ sensors: [HwmonSensor]) -> [HwmonFeature] {
        var placesOfPrefix: [String: Set<String>] = [:]
        var pathsOfChip: [String: Set<String>] = [:]
        for sensor in sensors {
            placesOfPrefix[sensor.prefix, default: []].insert(sensor.place)
            pathsOfChip[sensor.chip, default: []].insert(sensor.path)
        }
        let ordered = placesOfPrefix.mapValues { $0.sorted(by: naturallyBefore) }

        let groups = Dictionary(grouping: sensors) { sensor in
            let ordinal = ordered[sensor.prefix]?.firstIndex(of: sensor.place) ?? 0
            let chip = identifier(sensor.prefix) ?? "chip"
            return "hwmon:\(chip)-\(ordinal)/\(identifier(sensor.feature) ?? "feature")"
        }
        return groups.map { id, sensors in
            let isAmbiguous = sensors.contains { (pathsOfChip[$0.chip]?.count ?? 0) > 1 }
            return HwmonFeature(id: id, sensors: sensors, isAmbiguous: isAmbiguous)
        }.sorted { naturallyBefore($0.id, $1.id) }
    }

    /// The subfeature that is read: an average, which misses nothing between two reads, before a momentary one.
    var value: HwmonSensor? {
        sensors.first { $0.subfeature.hasSuffix("_average") }
            ?? sensors.first { $0.subfeature.hasSuffix("_input") }
    }

    /// The line for the trace; scale and interface are the reader's to set.
    func line(reading sensor: HwmonSensor) -> SourceLine {
        var line = SourceLine(
            id: id, kind: sensor.isEnergy ? .counter : .gauge,
            quantity: sensor.isTemperature ? .temperature : sensor.isEnergy ? .energy : .power, scale: 1,
            domain: domain(of: sensor), device: sensor.chip, interface: "hwmon:\(sensor.subfeature)")
        if sensor.isEnergy { line.rangeReason = "hwmon names no range" }
        if sensor.subfeature.hasSuffix("_average"), let seconds = reading("_average_interval"), seconds > 0 {
            line.averagingNanoseconds = Nanoseconds(Seconds(seconds)).value
        }
        if !sensor.isTemperature {
            line.limitWatts = ["_cap", "_max", "_crit"].compactMap { reading($0) }.filter { $0 > 0 }.max()
        }
        return line
    }

    private func reading(_ suffix: String) -> Double? {
        guard let sensor = sensors.first(where: { $0.subfeature.hasSuffix(suffix) }) else { return nil }
        guard case .success(let value) = sensor.read() else { return nil }
        return value
    }

    /// What the sensor covers. A chip that is not known covers a rail of unknown extent, which no total takes.
    private func domain(of sensor: HwmonSensor) -> String {
        if sensor.isTemperature { return "zone" }
        switch sensor.prefix {
        case "amdgpu", "radeon", "nouveau": return "gpu-board"
        case "i915", "xe": return sensor.label == "card" ? "gpu-board" : "gpu-module"
        case "amd_energy": return sensor.label.hasPrefix("Esocket") ? "package" : "core"
        case "power_meter", "acpi_power_meter": return "wall"
        default: return "rail"
        }
    }
}
