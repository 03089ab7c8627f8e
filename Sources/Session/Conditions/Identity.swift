import Analysis
import CHost
import Glibc

/// What machine a run was made on (METRICS: "Conditions", identity).
enum Identity {
    static func read(_ facts: HostFacts) -> [String: Maybe<String>] {
        var identity: [String: Maybe<String>] = [
            "product": product(facts),
            "cpu_model": facts.procField("cpuinfo", "model name"),
            "cpu_stepping": facts.procField("cpuinfo", "stepping"),
            "microcode": facts.procField("cpuinfo", "microcode"),
            "kernel": facts.proc("sys/kernel/osrelease"),
            "kernel_build": facts.proc("sys/kernel/version"),
            "distribution": distribution(facts),
            "usable_cpus": usableCPUs(),
            "memory_total": facts.procField("meminfo", "MemTotal"),
            "virtualization": virtualization(facts),
            "tool_compiler": .known(String(cString: chost_build_compiler())),
        ]
        for (name, value) in relevantVariables() { identity["env:" + name] = .known(value) }
        return identity
    }

    /// CPUs this process may run on, which the threads of a worker inherit.
    static func usableCPUCount() -> Int? {
        var mask = [UInt8](repeating: 0, count: 1024)
        guard chost_affinity(0, &mask, mask.count) > 0 else { return nil }
        return mask.reduce(0) { $0 + $1.nonzeroBitCount }
    }

    private static func usableCPUs() -> Maybe<String> {
        Maybe(usableCPUCount().map(String.init), else: "the kernel does not tell the CPU affinity")
    }

    private static func product(_ facts: HostFacts) -> Maybe<String> {
        let vendor = facts.sys("class/dmi/id/sys_vendor")
        let name = facts.sys("class/dmi/id/product_name")
        guard let name = name.value else { return name }
        return .known([vendor.value, name].compactMap { $0 }.joined(separator: " "))
    }

    private static func distribution(_ facts: HostFacts) -> Maybe<String> {
        let release = facts.text("/etc/os-release")
        guard let text = release.value else { return release }
        let line = text.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        let name = line.map { $0.dropFirst("PRETTY_NAME=".count).filter { $0 != "\"" } }
        return Maybe(name, else: "no PRETTY_NAME in /etc/os-release")
    }

    /// "none", or what of a guest or container shows. A virtual machine is named and never a failure.
    private static func virtualization(_ facts: HostFacts) -> Maybe<String> {
        var seen: [String] = []
        if let flags = facts.procField("cpuinfo", "flags").value,
            flags.split(separator: " ").contains("hypervisor")
        {
            seen.append("virtual machine")
        }
        if access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0 {
            seen.append("container")
        }
        return .known(seen.isEmpty ? "none seen" : seen.joined(separator: ", "))
    }

    /// Variables that change how fast an engine runs; secrets never carry these prefixes.
    private static func relevantVariables() -> [(String, String)] {
        let prefixes = [
            "OMP_", "GGML_", "LLAMA_", "CUDA_", "MALLOC_", "LD_", "GOMP_", "KMP_", "SUSTAIN_NVML",
        ]
        var found: [(String, String)] = []
        var entry = environ
        while let text = entry.pointee {
            let pair = String(cString: text)
            if prefixes.contains(where: pair.hasPrefix), let sign = pair.firstIndex(of: "=") {
                found.append((String(pair[..<sign]), String(pair[pair.index(after: sign)...])))
            }
            entry += 1
        }
        return found
    }
}
