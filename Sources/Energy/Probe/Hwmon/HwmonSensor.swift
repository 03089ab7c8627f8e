import Analysis
import CPower
import Glibc

/// One readable subfeature of a chip, e.g. `power1_average`.
struct HwmonSensor {
    let raw: cpower_sensor
    /// "amdgpu-pci-0300": where the chip sits, stable as long as it stays there.
    let chip: String
    /// The chip's driver.
    let prefix: String
    let path: String
    let feature: String
    let subfeature: String
    let label: String

    init(_ sensor: cpower_sensor) {
        raw = sensor
        chip = boundedText(sensor.chip_name)
        prefix = boundedText(sensor.prefix)
        path = boundedText(sensor.path)
        feature = boundedText(sensor.feature)
        subfeature = boundedText(sensor.subfeature)
        label = boundedText(sensor.label)
    }

    /// Orders the chips of one driver: by bus address, then by directory.
    var place: String { "\(chip) \(path)" }

    var isTemperature: Bool { raw.kind == CPOWER_SENSOR_TEMPERATURE }
    var isEnergy: Bool { raw.kind == CPOWER_SENSOR_ENERGY }
    var isPower: Bool { raw.kind == CPOWER_SENSOR_POWER }

    /// Base units per raw unit (kernel Documentation/hwmon/sysfs-interface.rst): microwatts and microjoules;
    /// millidegrees, millivolts, milliamperes.
    private var fileScale: Double { isPower || isEnergy ? 1e-6 : 1e-3 }

    /// The value now in base units, through libsensors; of a failure the sensor's own file tells the cause.
    func read() -> Result<Double, Failure> {
        var value = 0.0
        let error = cpower_sensors_value(raw.chip, raw.number, &value)
        if error == 0, value.isFinite { return .success(value) }
        do {
            _ = try openFile().value(of: .wholeFile)
        } catch {
            return .failure(error)
        }
        return .failure(
            Failure(thing: "\(chip) \(subfeature)", cause: "libsensors: \(errnoText(error))", errno: error))
    }

    /// Why a sensor is set aside.
    enum Problem {
        case unreadable(Failure)
        case implausible(String)
    }

    /// What is wrong with the value now; nil for one that can be true.
    var problem: Problem? {
        switch read() {
        case .failure(let failure): .unreadable(failure)
        case .success(let value): implausible(value).map(Problem.implausible)
        }
    }

    private func openFile() throws(Failure) -> SourceFile {
        try SourceFile.open("\(path)/\(subfeature)")
    }

    /// Why a value cannot be true: some chips answer with all bits set.
    private func implausible(_ value: Double) -> String? {
        if isTemperature {
            return (-100...300).contains(value) ? nil : "reads \(value) degrees Celsius"
        }
        if isEnergy { return value >= 0 ? nil : "reads \(value) J" }
        return implausible(watts: value)
    }

    /// 100 kW is above what any one machine draws.
    func implausible(watts: Double) -> String? {
        (0...100_000).contains(watts) ? nil : "reads \(watts) W"
    }

    /// A source on the sensor's own file where its numbers are libsensors', else through libsensors.
    func source(_ line: SourceLine, interval: Nanoseconds?) -> LiveSource {
        var line = line
        if let file = truthfulFile {
            line.scale = fileScale
            return LiveSource(line, file: file, interval: interval)
        }
        line.scale = 1e-6
        line.interface = "libsensors:\(subfeature)"
        let call = DeviceCall(function: cpower_sensors_micro_value, device: raw.chip, item: raw.number)
        return LiveSource(line, call: call, interval: interval)
    }

    /// The sensor's own file, where its numbers are libsensors'.
    var truthfulFile: SourceFile? {
        guard let file = try? openFile(), agrees(file) else { return nil }
        return file
    }

    /// Whether libsensors gives the file's own number: no statement of sensors.conf rescales it. Read between
    /// two reads of the file, since the value moves.
    private func agrees(_ file: SourceFile) -> Bool {
        for _ in 0..<3 {
            guard let before = try? file.value(of: .wholeFile), case .success(let value) = read(),
                let after = try? file.value(of: .wholeFile)
            else { return false }
            let low = Double(min(before, after)) * fileScale
            let high = Double(max(before, after)) * fileScale
            let rounding = max(abs(high), abs(low)) * 1e-9
            if value >= low - rounding, value <= high + rounding { return true }
        }
        return false
    }
}

extension HwmonRail {
    /// A source on the two files where their numbers are libsensors', else through libsensors. Millivolts
    /// times milliamperes are microwatts.
    func source(_ line: SourceLine) -> LiveSource {
        if let volts = volts.truthfulFile, let amperes = amperes.truthfulFile {
            return CombinedValue(volts, times: amperes).source(line)
        }
        var line = line
        line.interface = "libsensors:\(volts.subfeature) x \(amperes.subfeature)"
        let pair = SensorPair(volts, amperes)
        var source = LiveSource(
            line, call: DeviceCall(function: cpower_sensors_micro_product, device: pair.memory, item: 0))
        source.owner = pair
        return source
    }
}

/// Two sensors of one chip for a call, kept for as long as anything may read them.
///
/// Unchecked Sendable: the memory is written once, here, and libsensors keeps the chip until the process ends.
private final class SensorPair: @unchecked Sendable {
    let memory: UnsafeMutablePointer<cpower_sensor_pair>

    init(_ first: HwmonSensor, _ second: HwmonSensor) {
        memory = .allocate(capacity: 1)
        memory.initialize(
            to: cpower_sensor_pair(chip: first.raw.chip, first: first.raw.number, second: second.raw.number))
    }

    deinit { memory.deallocate() }
}

/// The text in an array of C that ends with NUL or with the array.
private func boundedText<Bytes>(_ bytes: Bytes) -> String {
    withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
