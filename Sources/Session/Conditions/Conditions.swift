import Analysis
import CHost
import Glibc

/// The checks of METRICS "Conditions", each with the value seen. What changed over a run is the analysis' to say
/// (`ChangesOverRun`), what the boards are in `GPUFacts`.
struct Conditions {
    let facts: HostFacts
    /// Directory whose disk the trace goes to.
    let output: String
    /// Threads asked of the engine; nil for its own default.
    let threads: Int?
    let lock: MachineLock
    /// CPUs that this process, and so the engine, may run on.
    var processors = Identity.usableProcessors() ?? []

    /// The checks that need neither a span of time nor the engine.
    func instant() -> [Condition] {
        [releaseBuild, Self.tracer("no_tracer", of: "self", facts)] + virtualization + clocks
            + [powerLimit, powerSource, temperature, freeDisk, threadCount, lock.condition(facts)]
    }

    /// A condition whose text, out of firmware, drivers or an engine, is held to a length.
    static func check(_ name: String, _ verdict: Condition.Verdict, _ seen: String) -> Condition {
        Condition(name, verdict, seen: seen.bounded(to: 400))
    }

    /// How many threads have a processor of their own, in words too.
    var usable: (count: Int, text: String) {
        let count = processors.count
        guard let quota = ControlGroups(facts).processors, quota < Double(count) else {
            return (count, "\(count) usable CPUs")
        }
        return (Int(quota), "\(count) usable CPUs of which a quota leaves \(quota.inTenths)")
    }

    private var releaseBuild: Condition {
        let type = String(cString: chost_build_type())
        return Self.check(
            "release_build", type == "release" ? .pass : .fail,
            "sustain: \(type) (\(String(cString: chost_build_flags())))")
    }

    private static func tracer(_ name: String, of process: String, _ facts: HostFacts) -> Condition {
        switch facts.procField("\(process)/status", "TracerPid") {
        case .known("0"): check(name, .pass, "none")
        case .known(let pid): check(name, .fail, "traced by process \(pid)")
        case .unavailable(let why): check(name, .cannotTell, why.reason)
        }
    }

    /// A virtual machine and a container are named; neither is a fault.
    private var virtualization: [Condition] {
        let seen = Virtualization(facts)
        return [("virtual_machine", seen.machine), ("container", seen.container)].map { name, found in
            switch found {
            case .known(let text): Self.check(name, .pass, text)
            case .unavailable(let why): Self.check(name, .cannotTell, why.reason)
            }
        }
    }

    private var freeDisk: Condition {
        var status = statvfs()
        guard statvfs(output, &status) == 0 else {
            return Self.check("free_disk", .cannotTell, String(cString: strerror(errno)))
        }
        let bytes = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        if bytes.overflow { return Self.check("free_disk", .pass, "more than can be counted") }
        let mebibytes = bytes.partialValue >> 20
        return Self.check("free_disk", mebibytes < 64 ? .fail : .pass, "\(mebibytes) MiB")
    }

    /// Never a failure: see `RunDriver.warnOfThreads`.
    private var threadCount: Condition {
        guard !processors.isEmpty else {
            return Self.check("threads", .cannotTell, "the kernel does not tell the CPU affinity")
        }
        let asked = threads.map { "\($0) threads" } ?? "the engine's default"
        return Self.check("threads", .pass, "\(asked) on \(usable.text)")
    }

    // MARK: The engine

    /// What can be said of the engine once it has said hello.
    static func engine(
        buildType: String?, pids: [Int32], isLocal: Bool, _ facts: HostFacts
    ) -> [Condition] {
        guard isLocal else {
            return ["engine_build", "engine_no_tracer"].map {
                check($0, .cannotTell, "engine runs elsewhere")
            }
        }
        let released =
            switch buildType?.lowercased() {
            case nil: check("engine_build", .cannotTell, "the engine does not say")
            case let type? where ["release", "relwithdebinfo", "minsizerel"].contains(type):
                check("engine_build", .pass, type)
            case let type?: check("engine_build", .fail, type)
            }
        let tracers = pids.map { tracer("engine_no_tracer", of: "\($0)", facts) }
        let worst =
            tracers.first { $0.verdict == .fail } ?? tracers.first { $0.verdict == .cannotTell }
            ?? tracers.first
        return [released, worst ?? check("engine_no_tracer", .cannotTell, "the engine names no process")]
    }

    // MARK: Neighbours

    /// Who used the CPUs over an idle window: nobody should.
    static func quiet(during part: Part, from: CPUUse?, to: CPUUse?, over span: Nanoseconds) -> [Condition] {
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        guard let from, let to, span.value > 0, ticks > 0 else {
            return ["other_load", "steal"].map {
                check($0, .cannotTell, "/proc/stat cannot be read or the window is empty")
            }
        }
        let seconds = span.seconds.value
        let ours = Double(to.ours &- from.ours)
        let others = max(0, Double(to.busy &- from.busy) - ours) / ticks / seconds
        let steal = Double(to.steal &- from.steal) / ticks / seconds
        return [
            check(
                "other_load", others > 0.5 ? .fail : .pass,
                "other processes used \(percent(others)) of a core in \(part.rawValue)"),
            check(
                "steal", steal > 0.05 ? .fail : .pass,
                "\(percent(steal)) of a core stolen in \(part.rawValue)"),
        ]
    }

    private static func percent(_ share: Double) -> String {
        "\((share * 100).inTenths) %"
    }
}
