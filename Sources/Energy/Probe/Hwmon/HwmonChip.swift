import Analysis
import Glibc

/// One chip: its features, and what it is a part of.
struct HwmonChip {
    /// "amdgpu-pci-0300": where it sits, stable as long as it stays there.
    let name: String
    /// Its driver.
    let prefix: String
    /// Its directory below /sys.
    let path: String
    /// What its `device` link leads to, without symbolic links; nil for a chip without one.
    let device: String?
    let features: [HwmonFeature]

    init(name: String, prefix: String, path: String, features: [HwmonFeature]) {
        self.name = name
        self.prefix = prefix
        self.path = path
        self.features = features
        device = Self.resolved("\(path)/device")
    }

    /// The PCI address of its device, "0000:65:00.0"; nil where it is none of PCI.
    var pci: String? {
        guard let last = device?.split(separator: "/").last.map(String.init) else { return nil }
        let parts = last.split(whereSeparator: { $0 == ":" || $0 == "." })
        let isAddress =
            parts.map(\.count) == [4, 2, 2, 1] && parts.joined().allSatisfy(\.isHexDigit)
            && last.count == 12
        return isAddress ? last : nil
    }

    /// The sensor of a battery or charger, which the power_supply class shows in full.
    var isPowerSupply: Bool { device?.contains("/power_supply/") ?? false }

    /// Whether it tells power or energy of its own.
    var tellsPower: Bool { features.contains { $0.tellsPower && $0.value != nil } }

    /// Voltages and currents of the same index: the two sides of one rail (kernel
    /// Documentation/hwmon/ina2xx.rst, ina3221.rst). Only where nothing tells the product itself.
    var rails: [HwmonRail] {
        guard !tellsPower else { return [] }
        return features.compactMap { current in
            guard let index = current.index(of: "curr"), let amperes = current.value,
                let voltage = features.first(where: { $0.index(of: "in") == index }),
                let volts = voltage.value
            else { return nil }
            return HwmonRail(index: index, voltage: voltage, volts: volts, amperes: amperes)
        }
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

extension HwmonChip {
    /// What one of its features covers. Of a chip that is not known nobody can tell whether it overlaps with
    /// others: it covers a rail of unknown extent, which no total takes.
    func scope(of feature: HwmonFeature) -> SourceLine.Scope {
        let label = feature.label
        switch prefix {
        case "amdgpu", "radeon", "nouveau":
            // Only processors with graphics show the voltage of their north bridge (drivers/gpu/drm/amd/pm/
            // amdgpu_pm.c): the power is that of the whole part, which RAPL counts as well.
            return isAPU ? device("apu") : device("gpu-board")
        case "xe":
            // The channels are the card and, inside it, the GPU's package (drivers/gpu/drm/xe/xe_hwmon.c).
            return device(label == "pkg" ? "gpu-package" : "gpu-board")
        case "i915":
            return device("gpu-board")
        case _ where prefix.hasPrefix("i915_gt"):
            return device("gpu-tile")
        case "amd_energy":
            // Sockets are numbered as RAPL's packages (drivers/hwmon/amd_energy.c).
            guard label.hasPrefix("Esocket") else { return device("core") }
            return SourceLine.Scope(domain: "package", device: "package-\(label.dropFirst(7))")
        case "power_meter", "acpi_power_meter":
            return device("wall")
        default:
            return SourceLine.Scope(
                domain: "rail", device: label == feature.name ? name : "\(name) \(label)")
        }
    }

    /// Boards are known by their address, which NVML and engines tell too.
    private func device(_ domain: String) -> SourceLine.Scope {
        SourceLine.Scope(domain: domain, device: domain.hasPrefix("gpu") ? pci ?? name : name)
    }

    private var isAPU: Bool { features.contains { $0.index(of: "in") != nil && $0.label == "vddnb" } }
}

/// Voltage and current of one rail.
struct HwmonRail {
    let index: Int
    let voltage: HwmonFeature
    let volts: HwmonSensor
    let amperes: HwmonSensor
}
