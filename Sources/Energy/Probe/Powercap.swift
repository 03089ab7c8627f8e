import Analysis
import Glibc

/// Energy counters of the powercap class (kernel Documentation/power/powercap/powercap.rst): RAPL of Intel and
/// AMD processors under `intel-rapl` and `intel-rapl-mmio`, and any other control type that counts energy.
///
/// Who a zone is, is told by its `name` and its parent's, never by its index: indices differ between boots and
/// machines (on some `intel-rapl:0` is psys).
struct Powercap {
    private let root: String
    private let zoneRemedy: String

    /// 8 sockets of 4 dies with 5 zones each are 160.
    private static let mostZones = 256

    /// The counters move about every millisecond (Intel SDM vol. 3B, 15.10.1).
    private static let updatePeriod = Nanoseconds(1_000_000)

    init(_ roots: SystemRoots) {
        root = "\(roots.sysfs)/class/powercap"
        zoneRemedy = PowercapRemedy.permission(root: root, isSystems: roots.sysfsIsTheSystems)
    }

    func find(into findings: inout Findings) {
        let zones: [PowercapZone]
        do {
            zones = try list(into: &findings)
        } catch {
            findings.note(
                "rapl",
                failure: Failure(
                    thing: error.thing, cause: error.cause, errno: error.errno,
                    remedy: error.errno == ENOENT ? PowercapRemedy.driver : nil))
            return
        }
        if zones.isEmpty {
            findings.note("rapl", .absent, "no zone under \(root)", remedy: PowercapRemedy.driver)
        }
        var names: [String: ZoneName] = [:]
        var taken: Set<String> = []
        // Parents come before their children in natural order.
        for zone in zones {
            do {
                let base = try readName(zone)
                let parent = zone.parent.flatMap { names[$0] }
                // Older kernels give all dies of a package one name; they are different counters.
                let isNew = taken.insert("\(zone.idPrefix):\(parent?.unique ?? "")/\(base)").inserted
                let name = ZoneName(base: base, unique: isNew ? base : "\(base)@\(zone.directory)")
                names[zone.directory] = name
                add(zone, name: name, parent: parent, into: &findings)
            } catch {
                findings.note("\(zone.idPrefix):\(zone.directory)", failure: error)
            }
        }
    }

    /// What a zone calls itself, and that name made unique among its parent's zones.
    private struct ZoneName {
        let base: String
        let unique: String
    }

    /// Zones in the class directory, and those only nested in their parent's.
    private func list(into findings: inout Findings) throws(Failure) -> [PowercapZone] {
        var found: [String: PowercapZone] = [:]
        var pending = [root]
        var omitted = 0
        while let directory = pending.popLast() {
            let listing: Directory
            if directory == root {
                listing = try Directory(
                    directory, most: Self.mostZones, capacity: 512 * 1024, keep: PowercapZone.isZone)
            } else if let nested = try? Directory(directory, most: 16, keep: PowercapZone.isZone) {
                listing = nested
            } else {
                continue
            }
            omitted += listing.omitted
            for name in listing.names where found[name] == nil {
                guard found.count < Self.mostZones else {
                    omitted += 1
                    continue
                }
                let zone = PowercapZone(directory: name, path: "\(directory)/\(name)")
                found[name] = zone
                pending.append(zone.path)
            }
        }
        findings.noteOmitted("rapl", omitted, of: "zones under \(root)")
        return found.values.sorted { naturallyBefore($0.directory, $1.directory) }
    }

    private func readName(_ zone: PowercapZone) throws(Failure) -> String {
        let path = "\(zone.path)/name"
        if let name = identifier(try readTextLine(path)) { return name }
        throw Failure(thing: path, cause: "holds no name")
    }

    private func add(
        _ zone: PowercapZone, name: ZoneName, parent: ZoneName?, into findings: inout Findings
    ) {
        let id = "\(zone.idPrefix):" + [parent, name].compactMap { $0?.unique }.joined(separator: "/")
        do {
            let file = try SourceFile.open("\(zone.path)/energy_uj")
            findings.add(
                LiveSource(
                    line(id: id, name: name, parent: parent, zone: zone), file: file,
                    updatePeriod: Self.updatePeriod),
                remedy: zoneRemedy)
        } catch {
            // A control type without energy, such as idle injection, is none of ours.
            if error.errno == ENOENT, !zone.isRAPL { return }
            findings.note(id, failure: error, remedy: zoneRemedy)
        }
    }

    private func line(
        id: String, name: ZoneName, parent: ZoneName?, zone: PowercapZone
    ) -> SourceLine {
        var line = SourceLine(
            id: id, kind: .counter, quantity: .energy, scale: 1e-6,
            domain: PowercapZone.domain(of: name.base),
            device: PowercapZone.device(of: (parent ?? name).unique),
            interface: "powercap:\(zone.controlType)")
        do {
            let range = try readNumber("\(zone.path)/max_energy_range_uj")
            if range > 0 { line.range = range } else { line.rangeReason = "max_energy_range_uj is \(range)" }
        } catch {
            let code = error.errno.map { " (errno \($0))" } ?? ""
            line.rangeReason = "max_energy_range_uj: \(error.cause)\(code)"
        }
        line.limitWatts = zone.limitWatts
        return line
    }
}
