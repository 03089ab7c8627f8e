import Analysis

/// Batteries of the machine (kernel Documentation/ABI/testing/sysfs-class-power): what is drawn from them, how
/// many percent are left, and the brightness of the display that they feed.
///
/// The sign of `power_now` and `current_now` differs from driver to driver: the magnitude counts, while
/// `status` says Discharging. On mains the machine is not fed by the battery, which then tells nothing of it.
struct Batteries {
    private let roots: SystemRoots

    private static let most = 16
    private static let discharging: StaticString = "Discharging"
    /// Microwatt-hours in joules.
    private static let jouleScale = 3.6e-3

    init(_ roots: SystemRoots) { self.roots = roots }

    /// - Parameter energy: whether to look for energy too, or for context alone.
    func find(energy: Bool, into findings: inout Findings) {
        let root = "\(roots.sysfs)/class/power_supply"
        let listing: Directory
        do {
            listing = try Directory(root, most: 64) { _ in true }
        } catch {
            if energy { findings.note("battery", failure: error) }
            return
        }
        let batteries = listing.names.filter { Self.feedsTheMachine("\(root)/\($0)") }
        if batteries.isEmpty, energy { findings.note("battery", .absent, "no battery under \(root)") }
        findings.noteOmitted("battery", batteries.count - Self.most, of: "batteries")
        for (ordinal, name) in batteries.prefix(Self.most).enumerated() {
            let battery = Battery(
                id: "battery:\(identifier(name) ?? String(ordinal))", name: name, path: "\(root)/\(name)")
            if energy { addEnergy(of: battery, into: &findings) }
            addContext(of: battery, into: &findings)
        }
        if !batteries.isEmpty { addBrightness(into: &findings) }
    }

    /// A battery of its own device, such as a mouse, has the scope "Device".
    private static func feedsTheMachine(_ path: String) -> Bool {
        guard (try? readTextLine("\(path)/type")) == "Battery" else { return false }
        return (try? readTextLine("\(path)/scope")) != "Device" && (try? readNumber("\(path)/present")) != 0
    }

    private struct Battery {
        let id: String
        let name: String
        let path: String

        func file(_ name: String) -> SourceFile? { try? SourceFile.open("\(path)/\(name)") }

        func line(
            _ suffix: String, _ kind: SourceLine.Kind, _ quantity: SourceLine.Quantity, scale: Double,
            field: String
        ) -> SourceLine {
            SourceLine(
                id: id + suffix, kind: kind, quantity: quantity, scale: scale, domain: "battery",
                device: name, interface: "power_supply:\(field)")
        }
    }

    // MARK: Energy

    private func addEnergy(of battery: Battery, into findings: inout Findings) {
        let status: SourceFile
        do {
            status = try SourceFile.open("\(battery.path)/status")
            let text = try readTextLine(status.path)
            guard text == Self.discharging.description else {
                findings.note(
                    battery.id, .unsupported,
                    "not discharging (status: \(text)): it measures nothing while the machine is on mains",
                    remedy: "unplug the charger to measure by the battery")
                return
            }
        } catch {
            findings.note(battery.id, failure: error)
            return
        }
        guard let source = power(of: battery, status) ?? runDown(of: battery, status) else {
            findings.note(
                battery.id, .unsupported, "tells neither power nor current nor what is left in it")
            return
        }
        if let raw = try? source.value(), source.line.kind == .gauge, raw > 1_000_000_000 {
            findings.note(battery.id, .unsupported, "reads \(Double(raw) * source.line.scale) W")
            return
        }
        findings.add(source, remark: source.line.derivation)
    }

    /// Microwatts; or microamperes times microvolts, which are 1e-12 W.
    private func power(of battery: Battery, _ status: SourceFile) -> LiveSource? {
        let state = (file: status, text: Self.discharging)
        if let power = battery.file("power_now") {
            let line = battery.line("", .gauge, .power, scale: 1e-6, field: "power_now")
            return CombinedValue(power, while: state).source(line, interval: contextInterval)
        }
        guard let current = battery.file("current_now"), let voltage = battery.file("voltage_now") else {
            return nil
        }
        var line = battery.line("", .gauge, .power, scale: 1e-6, field: "current_now x voltage_now")
        line.derivation = "estimated as current_now x voltage_now, read one after the other"
        return CombinedValue(current, times: voltage, over: 1_000_000, while: state)
            .source(line, interval: contextInterval)
    }

    /// A counter of what has left the battery since now, where nothing tells the power: microwatt-hours, or
    /// microampere-hours times microvolts over a million.
    private func runDown(of battery: Battery, _ status: SourceFile) -> LiveSource? {
        let first: SourceFile
        var second: SourceFile?
        var field = "energy_now"
        if let energy = battery.file(field) {
            first = energy
        } else if let charge = battery.file("charge_now"), let voltage = battery.file("voltage_now") {
            first = charge
            second = voltage
            field = "charge_now x voltage_now"
        } else {
            return nil
        }
        let divisor: Int64 = second == nil ? 1 : 1_000_000
        var line = battery.line("", .counter, .energy, scale: Self.jouleScale, field: field)
        if second != nil { line.derivation = "estimated as \(field), read one after the other" }
        let level = CombinedValue(first, times: second, over: divisor).source(line)
        guard let base = try? level.value() else { return nil }
        return CombinedValue(
            first, times: second, over: divisor, while: (status, Self.discharging), fallingFrom: base
        ).source(line, interval: contextInterval)
    }

    // MARK: Context

    private func addContext(of battery: Battery, into findings: inout Findings) {
        findings.add(
            battery.line("/percent", .gauge, .state, scale: 1, field: "capacity"),
            file: "\(battery.path)/capacity", interval: contextInterval)
        if let status = battery.file("status") {
            findings.add(
                LiveSource(
                    battery.line("/discharging", .gauge, .state, scale: 1, field: "status"), file: status,
                    field: .state(Self.discharging), interval: contextInterval))
        }
    }

    /// kernel Documentation/ABI/stable/sysfs-class-backlight.
    private func addBrightness(into findings: inout Findings) {
        let root = "\(roots.sysfs)/class/backlight"
        guard let listing = try? Directory(root, most: 8, keep: { _ in true }) else { return }
        for name in listing.names {
            findings.add(
                SourceLine(
                    id: "backlight:\(identifier(name) ?? "display")", kind: .gauge, quantity: .state,
                    scale: 1,
                    domain: "system", device: name, interface: "backlight:brightness"),
                file: "\(root)/\(name)/brightness", interval: contextInterval)
        }
    }
}
