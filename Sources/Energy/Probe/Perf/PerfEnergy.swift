import Analysis
import Glibc

/// Energy counters of processors through perf_event: the PMU `power` (kernel arch/x86/events/rapl.c).
///
/// The same counters as those of powercap, for programs that may not read its files. The kernel extends the
/// device's 32 bits to 64 and starts each descriptor at 0; with the usual scale of 2^-32 J the 63 bits that a
/// raw value may have last for 2^31 J, so that there is no range and no wrap.
struct PerfEnergy {
    private let roots: SystemRoots
    private let path: String
    private let perf: PerfInterface

    private static let mostProcessors = 64
    private static let mostEvents = 16

    private static let preferred = "powercap:intel-rapl"

    /// The counters move about every millisecond (Intel SDM vol. 3B, 15.10.1).
    private static let updatePeriod = Nanoseconds(1_000_000)

    init(_ roots: SystemRoots, perf: PerfInterface = .system) {
        self.roots = roots
        self.perf = perf
        path = "\(roots.sysfs)/bus/event_source/devices/power"
    }

    func find(into findings: inout Findings) {
        do {
            let pmu = try PMU(path: path)
            let processors = try pmu.processors(most: Self.mostProcessors)
            findings.noteOmitted("perf", processors.omitted, of: "processors of \(path)/cpumask")
            let listing = try pmu.events(prefix: "energy-", most: Self.mostEvents)
            findings.noteOmitted("perf", listing.omitted, of: "events of \(path)")
            if processors.processors.isEmpty || listing.names.isEmpty {
                findings.note(
                    "perf", .absent, "\(path) has no energy events or no processor to count on",
                    remedy: remedyOfAbsence(findings))
            }
            let domains = PowerDomains(processors.processors, sysfs: roots.sysfs)
            for event in listing.names {
                add(event, of: pmu, domains: domains, into: &findings)
            }
        } catch {
            let remedy = error.errno == ENOENT ? remedyOfAbsence(findings) : nil
            note("perf", error, remedy: remedy, into: &findings)
        }
    }

    /// Where powercap tells the same, nothing is missed.
    private func remedyOfAbsence(_ findings: Findings) -> String? {
        findings.sources.contains { $0.line.interface == Self.preferred }
            ? nil : "on hardware: sudo modprobe rapl; a virtual machine has no energy counter"
    }

    /// One event on every processor that stands for a part of the machine.
    private func add(
        _ name: String, of pmu: PMU, domains: PowerDomains, into findings: inout Findings
    ) {
        let kind = PowerEvent(name)
        do throws(Failure) {
            let unit = try pmu.unit(of: name)
            guard unit == "Joules" else {
                throw Failure(thing: "\(path)/events/\(name).unit", cause: "is not Joules")
            }
            let scale = try pmu.scale(of: name)
            let event = try number(of: name, kind: kind, pmu: pmu)
            for cpu in domains.processors {
                do throws(Failure) {
                    let (id, device) = try domains.name(of: kind.domain, on: cpu)
                    let line = SourceLine(
                        id: id, kind: .counter, quantity: .energy, scale: scale, domain: kind.domain,
                        device: device, interface: "perf")
                    add(line, event: event, called: name, cpu: cpu, into: &findings)
                } catch {
                    note("perf:cpu\(cpu)/\(kind.domain)", error, into: &findings)
                }
            }
        } catch {
            note("perf:\(identifier(name) ?? "event")", error, into: &findings)
        }
    }

    private func add(
        _ line: SourceLine, event: PerfEvent, called name: String, cpu: Int32, into findings: inout Findings
    ) {
        // Of the two the total takes powercap (TotalScope): a second read of the same register each time would
        // be twice the work for one figure.
        let other = findings.sources.first {
            $0.line.scope == line.scope && $0.line.interface == Self.preferred
        }
        let descriptor = perf.open(event, -1, cpu)
        guard descriptor >= 0 else {
            let failure = Failure(
                thing: "perf_event_open(\(name), processor \(cpu))", cause: errnoText(-descriptor),
                errno: -descriptor)
            let remedy = other == nil ? PerfRemedy.text(errno: -descriptor) : nil
            note(line.id, failure, remedy: remedy, into: &findings)
            return
        }
        var source = LiveSource(
            line, file: SourceFile(counter: descriptor, name: "perf event \(name), processor \(cpu)"),
            field: .word(0), updatePeriod: Self.updatePeriod)
        source.longestInterval = contextInterval
        if other != nil {
            source.interval = contextInterval
            source.updatePeriod = nil
        }
        findings.add(source)
    }

    /// libpfm4's answer where it knows this kernel's PMU, else that of the PMU's own files.
    private func number(of name: String, kind: PowerEvent, pmu: PMU) throws(Failure) -> PerfEvent {
        if roots.sysfsIsTheSystems, let known = kind.libraryName.flatMap(perf.encode), known.type == pmu.type
        {
            return known
        }
        return PerfEvent(type: pmu.type, config: try pmu.config(of: name))
    }

    private func note(
        _ id: String, _ failure: Failure, remedy: String? = nil, into findings: inout Findings
    ) {
        let code = failure.errno.map { " (errno \($0))" } ?? ""
        let status: SourceLine.Status
        switch failure.errno {
        case EACCES, EPERM: status = .noPermission
        case ENOENT, ENOTDIR, ENODEV, ENXIO, EOPNOTSUPP: status = .absent
        default: status = .unsupported
        }
        findings.note(id, status, "\(failure.thing): \(failure.cause)\(code)", remedy: remedy)
    }
}
