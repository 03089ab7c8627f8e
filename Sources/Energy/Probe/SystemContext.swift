import Analysis
import CPower

/// Load, stalls and memory of the whole system, out of procfs.
struct SystemContext {
    private let procfs: String

    init(_ roots: SystemRoots) { procfs = roots.procfs }

    func find(into findings: inout Findings) {
        addClocks(into: &findings)
        addProcessorTime(into: &findings)
        addMemory(into: &findings)
        for resource in ["cpu", "memory", "io"] { addPressure(of: resource, into: &findings) }
    }

    /// How long the machine has slept, and where its wall clock is: each sleep and each setting of the clock within
    /// the second in which it was.
    private func addClocks(into findings: inout Findings) {
        func add(_ id: String, _ kind: SourceLine.Kind, _ call: DeviceCall) {
            let line = SourceLine(
                id: id, kind: kind, quantity: .time, scale: 1e-9, domain: "system", device: "system",
                interface: "clock_gettime")
            findings.add(LiveSource(line, call: call, interval: contextInterval))
        }
        add(Suspends.sourceID, .counter, DeviceCall(function: cpower_slept, device: nil, item: 0))
        add(WallClockSteps.sourceID, .gauge, DeviceCall(function: cpower_wall, device: nil, item: 0))
    }

    /// proc_stat(5), first line: user, nice, system, idle, iowait, irq, softirq, steal in clock ticks over all
    /// processors. Guests' time is inside user. Busy is neither idle nor waiting nor stolen.
    private func addProcessorTime(into findings: inout Findings) {
        add(
            [
                ("cpu:busy", SourceField.line("cpu ", columns: [0, 1, 2, 5, 6])),
                ("cpu:steal", SourceField.line("cpu ", columns: [7])),
            ], of: "\(procfs)/stat", kind: .counter, quantity: .time, scale: secondsPerClockTick,
            into: &findings)
    }

    /// proc_meminfo(5), in kB of 1024 bytes.
    private func addMemory(into findings: inout Findings) {
        add(
            [("memory:available", .line("MemAvailable:"))], of: "\(procfs)/meminfo", kind: .gauge,
            quantity: .memory, scale: 1024, into: &findings)
    }

    /// kernel Documentation/accounting/psi.rst: microseconds in which some task waited for the resource.
    private func addPressure(of resource: String, into findings: inout Findings) {
        add(
            [("psi:\(resource)", .line("some ", columns: [3]))], of: "\(procfs)/pressure/\(resource)",
            kind: .counter, quantity: .time, scale: 1e-6, into: &findings)
    }

    private func add(
        _ fields: [(id: String, field: SourceField)], of path: String, kind: SourceLine.Kind,
        quantity: SourceLine.Quantity, scale: Double, into findings: inout Findings
    ) {
        do {
            let file = try SourceFile.open(path)
            for (id, field) in fields {
                findings.add(
                    LiveSource(
                        SourceLine(
                            id: id, kind: kind, quantity: quantity, scale: scale, domain: "system",
                            device: "system", interface: "procfs"),
                        file: file, field: field, interval: contextInterval))
            }
        } catch {
            for (id, _) in fields { findings.note(id, failure: error) }
        }
    }
}
