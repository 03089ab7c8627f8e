import Analysis

/// One feature of a chip with its subfeatures, e.g. `power1` with `power1_average` and `power1_cap`.
struct HwmonFeature {
    /// `hwmon:amdgpu-0/power1`: the driver, and which of its chips in the order of their places.
    let id: String
    let sensors: [HwmonSensor]
    /// libsensors knows a chip by its name and answers for one of those that share it: no value of theirs can
    /// be trusted. It happens where chips have no bus address ("ina226-virtual-0").
    let isAmbiguous: Bool

    var name: String { sensors.first?.feature ?? "" }
    /// The user's or driver's label, its name when it has none.
    var label: String { sensors.first?.label ?? "" }

    var tellsPower: Bool { sensors.first.map { $0.isPower || $0.isEnergy } ?? false }
    var isTemperature: Bool { sensors.first?.isTemperature ?? false }

    /// 3 of "in3" when `kind` is "in".
    func index(of kind: String) -> Int? { name.hasPrefix(kind) ? Int(name.dropFirst(kind.count)) : nil }

    /// What can be read, in the order of preference: an average, which misses nothing between two reads,
    /// before a momentary value.
    var values: [HwmonSensor] {
        ["_average", "_input"].compactMap { suffix in sensors.first { $0.subfeature.hasSuffix(suffix) } }
    }

    var value: HwmonSensor? { values.first }

    /// The line for the trace; scale and interface are the reader's to set.
    func line(reading sensor: HwmonSensor, of chip: HwmonChip) -> SourceLine {
        var line = SourceLine(
            id: id, kind: sensor.isEnergy ? .counter : .gauge,
            quantity: sensor.isTemperature ? .temperature : sensor.isEnergy ? .energy : .power, scale: 1,
            domain: "zone", device: chip.name, interface: "hwmon:\(sensor.subfeature)")
        if !sensor.isTemperature {
            line.scope = chip.scope(of: self)
            line.limitWatts = ["_cap", "_max", "_crit"].compactMap { reading($0) }.filter { $0 > 0 }.max()
        }
        if line.scope.domain.hasPrefix("gpu") { line.pci = chip.pci }
        if sensor.isEnergy { line.rangeReason = "hwmon names no range" }
        if sensor.subfeature.hasSuffix("_average"), let seconds = reading("_average_interval"), seconds > 0 {
            line.averagingNanoseconds = Nanoseconds(Seconds(seconds)).value
        }
        return line
    }

    private func reading(_ suffix: String) -> Double? {
        guard let sensor = sensors.first(where: { $0.subfeature.hasSuffix(suffix) }) else { return nil }
        guard case .success(let value) = sensor.read() else { return nil }
        return value
    }
}

extension HwmonChip {
    /// Sensors by chip and feature, in natural order.
    static func group(_ sensors: [HwmonSensor]) -> [HwmonChip] {
        var placesOfPrefix: [String: Set<String>] = [:]
        var pathsOfName: [String: Set<String>] = [:]
        for sensor in sensors {
            placesOfPrefix[sensor.prefix, default: []].insert(sensor.place)
            pathsOfName[sensor.chip, default: []].insert(sensor.path)
        }
        let ordered = placesOfPrefix.mapValues { $0.sorted(by: naturallyBefore) }
        let chips = Dictionary(grouping: sensors) { "\($0.prefix) \($0.place)" }
        return chips.sorted { naturallyBefore($0.key, $1.key) }.compactMap { _, sensors in
            guard let first = sensors.first else { return nil }
            let ordinal = ordered[first.prefix]?.firstIndex(of: first.place) ?? 0
            let base = "hwmon:\(identifier(first.prefix) ?? "chip")-\(ordinal)"
            let isAmbiguous = (pathsOfName[first.chip]?.count ?? 0) > 1
            let features = Dictionary(grouping: sensors, by: \.feature).map { name, sensors in
                HwmonFeature(
                    id: "\(base)/\(identifier(name) ?? "feature")", sensors: sensors, isAmbiguous: isAmbiguous
                )
            }
            return HwmonChip(
                name: first.chip, prefix: first.prefix, path: first.path,
                features: features.sorted { naturallyBefore($0.id, $1.id) })
        }
    }
}
