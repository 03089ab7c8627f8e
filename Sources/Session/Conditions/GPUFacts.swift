import Analysis
import Energy
import Glibc

/// What is known of the boards, for identity and conditions (METRICS: "Conditions").
enum GPUFacts {
    /// Model, UUID, VBIOS, driver and power limit; several boards stand in one entry, parted by commas.
    static func identity(_ gpus: [GPUDevice]) -> [String: Maybe<String>] {
        guard let first = gpus.first else { return [:] }
        return [
            "gpu_model": joined(gpus.map(\.name)),
            "gpu_uuid": joined(gpus.map(\.uuid)),
            "gpu_vbios": joined(gpus.map(\.vbios)),
            "gpu_pci": joined(gpus.map(\.pci)),
            "gpu_power_limit": joined(
                gpus.map { gpu in
                    Maybe(
                        gpu.powerLimit.value.map { "\(whole($0)) W" },
                        else: gpu.powerLimit.reason ?? "unknown")
                }),
            "gpu_driver": first.driver,
        ]
    }

    /// What the conditions say of the boards; `engine` are the processes that belong to the measurement.
    static func conditions(_ gpus: [GPUDevice], engine: Set<Int32>, _ facts: HostFacts) -> [Condition] {
        guard !gpus.isEmpty else { return [] }
        return [powerLimit(gpus), foreignProcesses(gpus, engine: engine, facts)]
    }

    /// A limit below the factory's makes another machine of the board.
    private static func powerLimit(_ gpus: [GPUDevice]) -> Condition {
        var verdict = Condition.Verdict.pass
        let seen = gpus.map { gpu -> String in
            guard let limit = gpu.powerLimit.value, let normal = gpu.defaultPowerLimit.value else {
                if verdict == .pass { verdict = .cannotTell }
                return "\(gpu.id): \(gpu.powerLimit.reason ?? gpu.defaultPowerLimit.reason ?? "unknown")"
            }
            if whole(limit) < whole(normal) { verdict = .fail }
            return "\(gpu.id): \(whole(limit)) W, default \(whole(normal)) W"
        }
        return Condition("gpu_power_limit", verdict, seen: seen.joined(separator: "; "))
    }

    /// Programs of others that compute on a board; a desktop that draws is none.
    private static func foreignProcesses(
        _ gpus: [GPUDevice], engine: Set<Int32>, _ facts: HostFacts
    ) -> Condition {
        var foreign: [String] = []
        var unknown: [String] = []
        for gpu in gpus {
            switch gpu.processes() {
            case .failure(let failure): unknown.append("\(gpu.id): \(failure.cause)")
            case .success(let processes):
                let others = processes.filter {
                    $0.computes && !ProcessTree(facts).descends($0.pid, from: engine)
                }
                if !others.isEmpty {
                    foreign.append("\(gpu.id): " + others.map { "\($0.pid)" }.joined(separator: ", "))
                }
            }
        }
        if !foreign.isEmpty {
            return Condition(
                "foreign_gpu_processes", .fail,
                seen: "other processes compute: " + foreign.joined(separator: "; "))
        }
        if !unknown.isEmpty {
            return Condition("foreign_gpu_processes", .cannotTell, seen: unknown.joined(separator: "; "))
        }
        return ProcessTree(facts).isWhole
            ? Condition("foreign_gpu_processes", .pass, seen: "none")
            : Condition(
                "foreign_gpu_processes", .cannotTell, seen: "none is listed, but a container hides others'")
    }

    /// What is to be said of the boards whatever is measured on them.
    static func warnings(_ gpus: [GPUDevice]) -> [String] {
        gpus.filter { $0.isDivided.value == true }.map {
            "\($0.id): MIG is enabled: its energy is that of the whole board, all its instances"
        }
    }

    /// Which processes the driver lists on the boards now, and which of them are `engine` or were started by it.
    static func processes(_ gpus: [GPUDevice], engine: Set<Int32>, _ facts: HostFacts) -> GPUProcessesLine {
        let tree = ProcessTree(facts)
        var ours = engine
        let devices = gpus.map { gpu in
            switch gpu.processes() {
            case .failure(let failure):
                return GPUProcessesLine.Device(device: gpu.device, pids: .unavailable(failure.cause))
            case .success(let processes):
                let pids = Set(processes.map(\.pid)).sorted()
                ours.formUnion(pids.filter { tree.descends($0, from: engine) })
                return GPUProcessesLine.Device(device: gpu.device, pids: .known(pids))
            }
        }
        return GPUProcessesLine(
            time: Clock.now, devices: devices, enginePids: ours.sorted(), pidsAreVisible: tree.isWhole)
    }

    private static func joined(_ texts: [Maybe<String>]) -> Maybe<String> {
        let known = texts.compactMap(\.value)
        guard known.count == texts.count else {
            return .unavailable(texts.lazy.compactMap(\.reason).first ?? "unknown")
        }
        return .known(known.joined(separator: ", "))
    }

    private static func whole(_ watts: Watts) -> Int { Int(min(max(watts.value, 0), 1e6).rounded()) }
}

extension RunDriver {
    /// The conditions of the boards now; asks the driver, so only outside timed windows.
    var gpuConditions: [Condition] { GPUFacts.conditions(gpus, engine: enginePids, facts) }

    /// The processes of the measurement: the worker, and those it named.
    var enginePids: Set<Int32> {
        Set((answers.hello?.pids ?? []) + (worker.map { [$0.pid] } ?? []))
    }

    func warnOfDividedGPUs() throws(Stop) {
        for warning in GPUFacts.warnings(gpus) { try warn(warning) }
    }

    /// Keeps which processes the driver lists on the boards. Only outside timed windows: it asks the driver.
    func gpuPoint() throws(Stop) {
        guard !gpus.isEmpty, answers.hello?.location == .local else { return }
        try write(.gpuProcesses(GPUFacts.processes(gpus, engine: enginePids, facts)))
    }
}
