import Analysis

/// What an event of the PMU counts.
struct PowerEvent {
    /// As powercap names the same domain; what is not known keeps its own name.
    let domain: String
    let libraryName: String?

    init(_ name: String) {
        let part = String(name.dropFirst("energy-".count))
        switch part {
        case "pkg": (domain, libraryName) = ("package", "rapl::RAPL_ENERGY_PKG")
        case "cores": (domain, libraryName) = ("core", "rapl::RAPL_ENERGY_CORES")
        case "gpu": (domain, libraryName) = ("uncore", "rapl::RAPL_ENERGY_GPU")
        case "ram": (domain, libraryName) = ("dram", "rapl::RAPL_ENERGY_DRAM")
        case "psys": (domain, libraryName) = ("psys", "rapl::RAPL_ENERGY_PSYS")
        default: (domain, libraryName) = (identifier(part) ?? "unknown", nil)
        }
    }
}

/// Which package, and where packages have several dies which die, each processor of the PMU stands for.
///
/// Named as powercap names its zones, so that the two ways to one counter are known for one.
struct PowerDomains {
    let processors: [Int32]
    private let places: [Int32: Result<Place, Failure>]
    private let hasDies: Bool

    private struct Place: Hashable {
        let package: Int64
        let die: Int64
    }

    init(_ processors: [Int32], sysfs: String) {
        self.processors = processors
        var places: [Int32: Result<Place, Failure>] = [:]
        for cpu in processors {
            let topology = "\(sysfs)/devices/system/cpu/cpu\(cpu)/topology"
            do throws(Failure) {
                let package = try readNumber("\(topology)/physical_package_id")
                guard package >= 0 else {
                    throw Failure(thing: "\(topology)/physical_package_id", cause: "is \(package)")
                }
                // Kernels before 5.2 do not tell dies apart.
                let die = (try? readNumber("\(topology)/die_id")) ?? 0
                places[cpu] = .success(Place(package: package, die: die))
            } catch {
                places[cpu] = .failure(error)
            }
        }
        self.places = places
        let known = Set(places.values.compactMap { try? $0.get() })
        hasDies = Set(known.map(\.package)).count < known.count
    }

    /// - Throws: when the system does not say in which package the processor is.
    func name(of domain: String, on cpu: Int32) throws(Failure) -> (id: String, device: String) {
        guard let place = try places[cpu]?.get() else {
            throw Failure(thing: "processor \(cpu)", cause: "is in no known package")
        }
        let package = "package-\(place.package)" + (hasDies ? "-die-\(place.die)" : "")
        // Counters of one place are several all the same: those after the first carry their processor.
        let twin = processors.first { (try? places[$0]?.get()) == place } == cpu ? "" : "@cpu\(cpu)"
        switch domain {
        case "psys":
            let isFirst = processors.first == cpu
            return ("perf:psys" + (isFirst ? "" : "@cpu\(cpu)"), "psys")
        case "package": return ("perf:\(package)\(twin)", PowercapZone.device(of: package))
        default: return ("perf:\(package)/\(domain)\(twin)", PowercapZone.device(of: package))
        }
    }
}
