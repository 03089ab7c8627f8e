import Analysis
import CHost
import Glibc

/// What machine a run was made on (METRICS: "Conditions", identity). Of texts from firmware, kernel and files only
/// so much is kept as a reader can use.
enum Identity {
    static func read(_ facts: HostFacts) -> [String: Maybe<String>] {
        let identity: [String: Maybe<String>] = [
            "product": product(facts),
            "cpu_model": processor(facts, "model name", "CPU part"),
            "cpu_stepping": processor(facts, "stepping", "CPU revision"),
            "microcode": facts.procField("cpuinfo", "microcode"),
            "kernel": facts.proc("sys/kernel/osrelease"),
            "kernel_build": facts.proc("sys/kernel/version"),
            "distribution": distribution(facts),
            "usable_cpus": usableCPUs(),
            "cpu_quota": quota(facts),
            "memory_total": facts.procField("meminfo", "MemTotal"),
            "virtualization": Virtualization(facts).text,
            "tool_compiler": .known(String(cString: chost_build_compiler())),
            "tool_flags": .known(String(cString: chost_build_flags())),
        ]
        return identity.mapValues { entry in
            switch entry {
            case .known(let text): .known(text.bounded())
            case .unavailable(let why): .unavailable(why.reason.bounded())
            }
        }
    }

    /// CPUs this process may run on, which the threads of a worker inherit; nil where the kernel does not tell.
    static func usableProcessors() -> [Int]? {
        var mask = [UInt8](repeating: 0, count: 1024)
        guard chost_affinity(0, &mask, mask.count) > 0 else { return nil }
        return (0..<mask.count * 8).filter { mask[$0 / 8] >> ($0 % 8) & 1 == 1 }
    }

    private static func usableCPUs() -> Maybe<String> {
        Maybe(
            usableProcessors().map { String($0.count) }, else: "the kernel does not tell the CPU affinity")
    }

    private static func quota(_ facts: HostFacts) -> Maybe<String> {
        let groups = ControlGroups(facts)
        if !groups.areKnown { return .unavailable("no control group of version 2 is shown") }
        return .known(groups.processors.map { "\($0.inTenths) CPUs" } ?? "none")
    }

    /// The tables of a PC's firmware, or the device tree's name of a board (its text ends with a zero byte).
    private static func product(_ facts: HostFacts) -> Maybe<String> {
        let vendor = facts.sys("class/dmi/id/sys_vendor")
        let name = facts.sys("class/dmi/id/product_name")
        if let name = name.value {
            return .known([vendor.value, name].compactMap { $0 }.joined(separator: " "))
        }
        if let board = facts.sys("firmware/devicetree/base/model").value {
            return .known(String(board.prefix { $0 != "\0" }))
        }
        return name
    }

    /// A field of /proc/cpuinfo; Arm's processors are told by numbers of their designer.
    private static func processor(_ facts: HostFacts, _ field: String, _ arm: String) -> Maybe<String> {
        let named = facts.procField("cpuinfo", field)
        guard named.value == nil, let number = facts.procField("cpuinfo", arm).value else { return named }
        let designer = facts.procField("cpuinfo", "CPU implementer").value ?? "unknown"
        return .known(arm == "CPU part" ? "Arm implementer \(designer), part \(number)" : number)
    }

    private static func distribution(_ facts: HostFacts) -> Maybe<String> {
        let release = facts.text("/etc/os-release")
        guard let text = release.value else { return release }
        let line = text.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        let name = line.map { $0.dropFirst("PRETTY_NAME=".count).filter { $0 != "\"" } }
        return Maybe(name, else: "no PRETTY_NAME in /etc/os-release")
    }
}
