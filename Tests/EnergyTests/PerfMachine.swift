import Glibc
import Synchronization
import Testing

@testable import Energy

/// Stands in for the kernel's perf_event interface: keeps what was asked for and serves values.
final class PerfMachine: Sendable {
    struct Request: Hashable {
        var event: PerfEvent
        var pid: pid_t
        var cpu: Int32
    }

    private let requests = Mutex<[Request]>([])
    private let ends = Mutex<[Int32]>([])
    /// The reads that a counter gives one after the other, or an errno.
    private let answer: @Sendable (Request) -> Answer

    enum Answer {
        case reads([[UInt64]])
        case refused(Int32)
    }

    init(_ answer: @escaping @Sendable (Request) -> Answer) { self.answer = answer }

    deinit { for end in ends.withLock({ $0 }) { close(end) } }

    var asked: [Request] { requests.withLock { $0 } }

    /// - Parameter encode: libpfm4's knowledge; none unless given.
    func interface(encode: @escaping @Sendable (String) -> PerfEvent? = { _ in nil }) -> PerfInterface {
        PerfInterface(open: { self.open(Request(event: $0, pid: $1, cpu: $2)) }, encode: encode)
    }

    private func open(_ request: Request) -> Int32 {
        requests.withLock { $0.append(request) }
        switch answer(request) {
        case .refused(let code): return -code
        case .reads(let reads): return serve(reads)
        }
    }

    /// A socket of packets keeps the bounds of reads, as a counter's descriptor does.
    private func serve(_ reads: [[UInt64]]) -> Int32 {
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { return -errno }
        ends.withLock { $0.append(pair[1]) }
        for words in reads {
            let bytes = words.count * 8
            guard words.withUnsafeBytes({ write(pair[1], $0.baseAddress, bytes) }) == bytes else {
                return -EIO
            }
        }
        return pair[0]
    }
}

/// A tree with the PMU `power` as a kernel shows it.
struct PowerTree {
    let tree: TemporaryTree
    static let base = "bus/event_source/devices/power"

    init(cpumask: String = "0\n", type: String = "23\n") throws {
        tree = try TemporaryTree()
        try tree.write(type, to: "\(Self.base)/type")
        try tree.write(cpumask, to: "\(Self.base)/cpumask")
        try tree.write("config:0-7\n", to: "\(Self.base)/format/event")
    }

    func add(
        _ event: String, number: String, scale: String = "2.3283064365386962890625e-10\n",
        unit: String = "Joules\n"
    ) throws {
        try tree.write(number, to: "\(Self.base)/events/\(event)")
        try tree.write(scale, to: "\(Self.base)/events/\(event).scale")
        try tree.write(unit, to: "\(Self.base)/events/\(event).unit")
    }

    func place(cpu: Int, package: Int, die: Int? = nil) throws {
        let topology = "devices/system/cpu/cpu\(cpu)/topology"
        try tree.write("\(package)\n", to: "\(topology)/physical_package_id")
        if let die { try tree.write("\(die)\n", to: "\(topology)/die_id") }
    }

    var roots: SystemRoots { SystemRoots(sysfs: tree.root, procfs: tree.path("proc")) }

    func find(_ perf: PerfInterface) -> Findings {
        var findings = Findings()
        PerfEnergy(roots, perf: perf).find(into: &findings)
        return findings
    }
}
