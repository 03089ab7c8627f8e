import Analysis
import CPower
import Glibc

/// Power, energy and temperature sensors of the hwmon class, as libsensors finds and names them.
///
/// Values are read from the sensor's own file, so that errno and raw integers survive and the sampling path
/// allocates nothing; only where sensors.conf(5) rescales a sensor are they read through libsensors.
struct Hwmon {
    private let roots: SystemRoots

    private static let mostSensors = 512
    /// Temperatures are context; more of them would be a load of their own.
    private static let mostTemperatures = 32

    init(_ roots: SystemRoots) { self.roots = roots }

    /// Power and energy: what can be part of a total.
    func findPower(into findings: inout Findings) {
        let kinds = CPOWER_SENSOR_POWER | CPOWER_SENSOR_ENERGY
        guard let features = list(kinds, as: "hwmon", into: &findings) else { return }
        if features.isEmpty { findings.note("hwmon", .absent, "no sensor of power or energy") }
        for feature in features { add(feature, into: &findings) }
    }

    func findTemperatures(into findings: inout Findings) {
        guard
            let features = list(CPOWER_SENSOR_TEMPERATURE, as: "hwmon temperatures", into: &findings)
        else { return }
        if features.isEmpty { findings.note("hwmon temperatures", .absent, "no sensor of temperature") }
        findings.noteOmitted(
            "hwmon temperatures", features.count - Self.mostTemperatures, of: "temperature sensors")
        for feature in features.prefix(Self.mostTemperatures) { add(feature, into: &findings) }
    }

    /// All features of some kinds; nil when libsensors cannot tell, and then a row says why.
    private func list(
        _ kinds: Int, as row: String, into findings: inout Findings
    ) -> [HwmonFeature]? {
        guard roots.sysfsIsTheSystems else {
            findings.note(row, .unsupported, "libsensors reads /sys only, and the root is \(roots.sysfs)")
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
        var sensors = [cpower_sensor](repeating: cpower_sensor(), count: Self.mostSensors)
        var count = 0
        var omitted = 0
        guard cpower_sensors_list(UInt32(kinds), &sensors, sensors.count, &count, &omitted) == 0 else {
            return nil
        }
        findings.noteOmitted(row, omitted, of: "sensors")
        return HwmonFeature.group(sensors.prefix(count).map(HwmonSensor.init))
    }

    private func add(_ feature: HwmonFeature, into findings: inout Findings) {
        guard let sensor = feature.value else {
            findings.note(feature.id, .unsupported, "it has limits, but no value to read")
            return
        }
        guard !feature.isAmbiguous else {
            findings.note(
                feature.id, .unsupported,
                "another chip is called \(sensor.chip) too: libsensors cannot tell them apart")
            return
        }
        let now: Double
        switch sensor.read() {
        case .success(let value): now = value
        case .failure(let failure):
            findings.note(feature.id, failure: failure)
            return
        }
        if let reason = sensor.implausible(now) {
            findings.note(feature.id, .unsupported, reason)
            return
        }
        let line = feature.line(reading: sensor)
        let isContext = line.quantity == .temperature
        findings.add(sensor.source(line, interval: isContext ? contextInterval : nil))
    }
}
