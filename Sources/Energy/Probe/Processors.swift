import Analysis

/// Clocks and throttle counts of the processors.
///
/// A few stand for all: on a machine of hundreds a read of each would be a load of its own.
struct Processors {
    private let root: String

    private static let mostSampled = 8
    private static let mostListed = 4096

    init(_ roots: SystemRoots) { root = "\(roots.sysfs)/devices/system/cpu" }

    func find(into findings: inout Findings) {
        findClocks(into: &findings)
        findThrottleCounts(into: &findings)
    }

    /// `cpufreq/policyN/scaling_cur_freq`, kHz (kernel Documentation/admin-guide/pm/cpufreq.rst).
    private func findClocks(into findings: inout Findings) {
        let directory = "\(root)/cpufreq"
        let policies: Directory
        do {
            policies = try Directory(directory, most: Self.mostListed) { isNumbered($0, "policy") }
        } catch {
            findings.note("cpufreq", failure: error)
            return
        }
        if policies.names.isEmpty { findings.note("cpufreq", .absent, "no policy under \(directory)") }
        let chosen = evenlySpread(policies.names)
        findings.noteOmitted(
            "cpufreq", policies.names.count + policies.omitted - chosen.count, of: "policies")
        for policy in chosen {
            findings.add(
                SourceLine(
                    id: "cpufreq:\(policy)", kind: .gauge, quantity: .frequency, scale: 1e3, domain: "cpu",
                    device: policy, interface: "cpufreq"),
                file: "\(directory)/\(policy)/scaling_cur_freq", interval: contextInterval)
        }
    }

    /// `cpuN/thermal_throttle/*_throttle_count` (kernel arch/x86 therm_throt.c): events since boot, of a core,
    /// and of the package it is in.
    private func findThrottleCounts(into findings: inout Findings) {
        guard let cpus = try? Directory(root, most: Self.mostListed, keep: { isNumbered($0, "cpu") }) else {
            findings.note("throttle", .absent, "no processor under \(root)")
            return
        }
        let counting = cpus.names.filter {
            (try? SourceFile.open("\(root)/\($0)/thermal_throttle/core_throttle_count")) != nil
        }
        if counting.isEmpty {
            findings.note("throttle", .absent, "no thermal_throttle/core_throttle_count under \(root)")
            return
        }
        var packages: Set<Int64> = []
        for cpu in counting {
            guard let package = try? readNumber("\(root)/\(cpu)/topology/physical_package_id"),
                packages.count < Self.mostSampled, packages.insert(package).inserted
            else { continue }
            addThrottle("package", id: "package-\(package)", cpu: cpu, into: &findings)
        }
        for cpu in evenlySpread(counting) { addThrottle("core", id: cpu, cpu: cpu, into: &findings) }
    }

    private func addThrottle(_ kind: String, id: String, cpu: String, into findings: inout Findings) {
        findings.add(
            SourceLine(
                id: "throttle:\(id)", kind: .counter, quantity: .count, scale: 1,
                domain: kind == "package" ? "package" : "cpu", device: id, interface: "thermal_throttle"),
            file: "\(root)/\(cpu)/thermal_throttle/\(kind)_throttle_count", interval: contextInterval)
    }

    private func evenlySpread(_ names: [String]) -> [String] {
        guard names.count > Self.mostSampled else { return names }
        return (0..<Self.mostSampled).map { names[$0 * names.count / Self.mostSampled] }
    }
}

/// Whether a name is `prefix` and a number.
private func isNumbered(_ name: String, _ prefix: String) -> Bool {
    name.hasPrefix(prefix) && name.count > prefix.count
        && name.dropFirst(prefix.count).allSatisfy(\.isASCIIDigit)
}
