import Analysis
import CPower
import Glibc

/// Power, energy and temperature sensors of the hwmon class, as libsensors finds and names them.
///
/// Values are read from the sensor's own file, so that errno and raw integers survive and the sampling path
/// allocates nothing; only where sensors.conf(5) rescales a sensor are they read through libsensors.
struct Hwmon {
    private let roots: SystemRoots

    private static let mostSensors = 4096
    /// Temperatures are context; more of them would be a load of their own.
    private static let mostTemperatures = 32

    init(_ roots: SystemRoots) { self.roots = roots }

    /// Power and energy: what can be part of a total.
    func findPower(into findings: inout Findings) {
        guard let chips = list(as: "hwmon", into: &findings) else { return }
        var isEmpty = true
        for chip in chips {
            let features = chip.features.filter(\.tellsPower)
            let rails = chip.rails
            if features.isEmpty, rails.isEmpty { continue }
            isEmpty = false
            if chip.isPowerSupply {
                findings.note(
                    "hwmon:\(identifier(chip.name) ?? "chip")", .unsupported,
                    "shows a battery or a charger, which power_supply tells of in full")
                continue
            }
            for feature in features { add(feature, of: chip, into: &findings) }
            for rail in rails { add(rail, of: chip, into: &findings) }
        }
        if isEmpty {
            findings.note("hwmon", .absent, "no sensor of power or energy", remedy: HwmonRemedy.driver)
        }
    }

    func findTemperatures(into findings: inout Findings) {
        let row = "hwmon temperatures"
        guard let chips = list(as: row, into: &findings) else { return }
        let found = chips.flatMap { chip in chip.features.filter(\.isTemperature).map { (chip, $0) } }
        if found.isEmpty { findings.note(row, .absent, "no sensor of temperature") }
        findings.noteOmitted(row, found.count - Self.mostTemperatures, of: "temperature sensors")
        for (chip, feature) in found.prefix(Self.mostTemperatures) {
            add(feature, of: chip, into: &findings)
        }
    }

    /// All chips; nil when libsensors cannot tell, and then a row says why.
    private func list(as row: String, into findings: inout Findings) -> [HwmonChip]? {
        guard roots.sysfsIsTheSystems else {
            findings.note(
                row, .unsupported, "libsensors reads /sys only, and the root is \(roots.sysfs)",
                remedy: HwmonRemedy.root)
            return nil
        }
        let error = cpower_sensors_open()
        guard error == 0 else {
            let missing = error == ELIBACC
            findings.note(
                row,
                failure: Failure(
                    thing: "libsensors.so.5", cause: errnoText(error), errno: error,
                    remedy: missing ? "sudo apt install libsensors5 (or your distribution's lm-sensors)" : nil
                ))
            return nil
        }
        let kinds =
            CPOWER_SENSOR_POWER | CPOWER_SENSOR_ENERGY | CPOWER_SENSOR_TEMPERATURE | CPOWER_SENSOR_CURRENT
            | CPOWER_SENSOR_VOLTAGE
        var sensors = [cpower_sensor](repeating: cpower_sensor(), count: Self.mostSensors)
        var count = 0
        var omitted = 0
        guard cpower_sensors_list(UInt32(kinds), &sensors, sensors.count, &count, &omitted) == 0 else {
            return nil
        }
        findings.noteOmitted(row, omitted, of: "sensors")
        return HwmonChip.group(sensors.prefix(count).map(HwmonSensor.init))
    }
}

extension Hwmon {
    private static func ambiguous(_ chip: HwmonChip) -> String {
        "another chip is called \(chip.name) too: libsensors cannot tell them apart"
    }

    private func add(_ feature: HwmonFeature, of chip: HwmonChip, into findings: inout Findings) {
        guard let preferred = feature.value else {
            findings.note(feature.id, .unsupported, "it has limits, but no value to read")
            return
        }
        guard !feature.isAmbiguous else {
            findings.note(feature.id, .unsupported, Self.ambiguous(chip))
            return
        }
        guard let sensor = feature.values.first(where: { $0.problem == nil }) else {
            switch preferred.problem {
            case .unreadable(let failure):
                findings.note(feature.id, failure: failure, remedy: HwmonRemedy.permission(failure))
            case .implausible(let reason): findings.note(feature.id, .unsupported, reason)
            case nil: break
            }
            return
        }
        let line = feature.line(reading: sensor, of: chip)
        let isContext = line.quantity == .temperature
        findings.add(sensor.source(line, interval: isContext ? contextInterval : nil))
    }

    /// The power of a rail as voltage x current: two files, or two questions to libsensors, one right after
    /// the other.
    private func add(_ rail: HwmonRail, of chip: HwmonChip, into findings: inout Findings) {
        let id = rail.voltage.id + "xcurr\(rail.index)"
        guard !rail.voltage.isAmbiguous else {
            findings.note(id, .unsupported, Self.ambiguous(chip))
            return
        }
        for sensor in [rail.volts, rail.amperes] {
            if case .failure(let failure) = sensor.read() {
                findings.note(id, failure: failure, remedy: HwmonRemedy.permission(failure))
                return
            }
        }
        let product = "\(rail.volts.subfeature) x \(rail.amperes.subfeature)"
        var line = SourceLine(
            id: id, kind: .gauge, quantity: .power, scale: 1e-6, domain: "rail", device: "",
            interface: "hwmon:\(product)")
        line.scope = chip.scope(of: rail.voltage)
        line.pci = line.scope.domain.hasPrefix("gpu") ? chip.pci : nil
        line.derivation = "estimated as \(product), read one after the other"
        let source = rail.source(line)
        if let raw = try? source.value(), let reason = rail.volts.implausible(watts: Double(raw) * 1e-6) {
            findings.note(id, .unsupported, reason)
            return
        }
        findings.add(source, remark: line.derivation)
    }
}
