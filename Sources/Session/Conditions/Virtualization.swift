import Analysis
import CHost
import Glibc

/// What of a guest or of a container shows: its name, "none seen", or why nothing can be said.
struct Virtualization {
    let machine: Maybe<String>
    let container: Maybe<String>

    /// Both in one entry of the identity; a device is another one inside a guest.
    var text: Maybe<String> {
        let found = [("virtual machine", machine), ("container", container)].compactMap { kind, seen in
            seen.value == Self.none ? nil : seen.value.map { "\(kind) (\($0))" }
        }
        if !found.isEmpty { return .known(found.joined(separator: ", ")) }
        return machine.value == nil ? machine : .known(Self.none)
    }

    private static let none = "none seen"

    init(_ facts: HostFacts) {
        machine = Self.machine(facts)
        container = Self.container(facts)
    }

    // MARK: Machine

    private static func machine(_ facts: HostFacts) -> Maybe<String> {
        if let name = processorsName ?? firmwaresName(facts) { return .known(name.bounded(to: 60)) }
        if let type = facts.sys("hypervisor/type").value, !type.isEmpty {
            return .known(type.bounded(to: 60))
        }
        switch facts.procField("cpuinfo", "flags") {
        case .known(let flags):
            let isGuest = flags.split(separator: " ").contains("hypervisor")
            return .known(isGuest ? "a hypervisor without a name" : none)
        case .unavailable(let why):
            // No such field outside x86; firmware has told nothing either.
            return facts.proc("cpuinfo").value == nil ? .unavailable(why) : .known(none)
        }
    }

    /// "KVMKVMKVM", "Microsoft Hv", "VMwareVMware", as the hypervisor answers the processor's own question.
    private static var processorsName: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 13) { name in
            name.initialize(repeating: 0)
            guard let start = name.baseAddress else { return nil }
            chost_hypervisor(start)
            let text = String(cString: start).trimmed
            return text.isEmpty ? nil : text
        }
    }

    /// For machines whose processor does not tell: what hypervisors write into the firmware's tables.
    private static func firmwaresName(_ facts: HostFacts) -> String? {
        if let tree = facts.sys("firmware/devicetree/base/hypervisor/compatible").value { return tree }
        let signs = [
            "QEMU", "KVM", "VMware", "VirtualBox", "Xen", "Bochs", "Virtual Machine", "OpenStack",
            "Google Compute Engine",
        ]
        let texts = ["sys_vendor", "product_name"].compactMap { facts.sys("class/dmi/id/\($0)").value }
        return signs.first { sign in texts.contains { $0.contains(sign) } }
    }

    // MARK: Container

    private static func container(_ facts: HostFacts) -> Maybe<String> {
        if let name = facts.text("/run/systemd/container").value, !name.isEmpty {
            return .known(name.bounded(to: 60))
        }
        if access("/.dockerenv", F_OK) == 0 { return .known("docker") }
        if access("/run/.containerenv", F_OK) == 0 { return .known("podman") }
        switch facts.proc("1/cgroup") {
        case .unavailable(let why): return .unavailable(why)
        case .known(let groups):
            let signs = ["docker", "kubepods", "containerd", "libpod", "lxc"]
            if let sign = signs.first(where: groups.contains) { return .known(sign) }
        }
        return .known(ProcessTree(facts).isWhole ? none : "a process namespace of its own")
    }
}
