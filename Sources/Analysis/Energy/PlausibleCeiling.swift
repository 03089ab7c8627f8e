/// The most power that a counter's value is believed to tell; above it a reading is no energy.
enum PlausibleCeiling {
    /// A limit is passed for short times by what the limit's time window allows, and limits are often those
    /// of the cooling, not of the part: a part rated 55 W runs at 162 to 315 W.
    static let margin = 4.0

    /// The ceiling of a domain whose device names no limit and which has not yet been seen working.
    ///
    /// 500 W for a package and 200 W for dram are the project's definitions (docs/metrics.md, "Counters").
    /// Core and uncore lie inside a package. The others stand above the largest part of their kind on sale:
    /// boards up to 1,400 W, modules of processor and boards up to 2,700 W, whole machines as big as their
    /// supply. A floor that is too high costs little: a smaller fault passes. One that is too low voids good
    /// readings.
    static func floor(domain: String) -> Watts {
        switch domain {
        case "package", "core", "uncore": Watts(500)
        case "dram": Watts(200)
        case "gpu-board": Watts(2000)
        case "gpu-module": Watts(4000)
        case "battery": Watts(500)
        case "psys": Watts(2000)
        default: Watts(10_000)
        }
    }

    static func watts(domain: String, limit: Watts?, ownMaximum: Watts) -> Watts {
        let named = limit.map { $0.value.isFinite ? $0 * margin : .zero } ?? .zero
        return max(floor(domain: domain), named, ownMaximum * margin)
    }
}
