import Analysis
import Energy

/// Asks the driver what resident variants without work did on GPUs: once before a block and once after it, outside
/// of what is timed. The driver makes the samples by itself (`GPUDevice.utilization`).
struct IdleGPUs {
    /// A variant without work.
    struct Arm {
        /// Its engine's processes.
        let pids: Set<Int32>
        /// False for one that runs on another machine.
        let isLocal: Bool
    }

    private let gpus: [GPUDevice]
    private let facts: HostFacts
    /// By device, the time of the newest sample that has been told of any process.
    private var newest: [String: UInt64] = [:]
    /// By device, why its samples could not be read at the block's begin.
    private var unread: [String: Failure] = [:]

    /// The sample that is being made at a block's begin holds what came before, such as the other variant's last
    /// work. An H200 makes one every 200 ms: what is no later than this after the last of them does not count.
    private static let straddling: UInt64 = 250_000

    init(_ gpus: [GPUDevice], _ facts: HostFacts) {
        self.gpus = gpus
        self.facts = facts
    }

    /// A block begins: only what is sampled from here on counts.
    mutating func begin() {
        for gpu in gpus {
            unread[gpu.device] = nil
            if case .failure(let failure) = samples(of: gpu, after: newest[gpu.device] ?? 0) {
                unread[gpu.device] = failure
            }
        }
    }

    /// A block has ended.
    ///
    /// - Returns: for each variant the GPUs that the driver lists it on; nil where there is no GPU.
    mutating func end(_ arms: [Arm]) -> [Maybe<[BlockLine.GPU]>?] {
        guard !gpus.isEmpty else { return arms.map { _ in nil } }
        let tree = ProcessTree(facts)
        var found = arms.map { _ in [BlockLine.GPU]() }
        var unlisted: String?
        for gpu in gpus {
            let listed: [Set<Int32>]
            switch gpu.processes() {
            case .failure(let failure):
                unlisted = unlisted ?? "\(gpu.id): \(failure.cause)"
                continue
            case .success(let processes):
                let pids = Set(processes.map(\.pid))
                listed = arms.map { arm in pids.filter { tree.descends($0, from: arm.pids) } }
            }
            guard listed.contains(where: { !$0.isEmpty }) else { continue }
            let samples = samplesOfBlock(of: gpu)
            for index in arms.indices where !listed[index].isEmpty {
                found[index].append(use(of: gpu, by: listed[index], samples))
            }
        }
        return arms.indices.map { index in
            guard arms[index].isLocal else { return .unavailable("the engine runs elsewhere") }
            if !found[index].isEmpty { return .known(found[index]) }
            if let unlisted { return .unavailable(unlisted) }
            return .unavailable(
                tree.isWhole
                    ? "the driver lists it on no GPU"
                    : "the driver lists it on no GPU, but a container hides process ids")
        }
    }

    private func use(
        of gpu: GPUDevice, by pids: Set<Int32>, _ samples: Result<[GPUUtilization], Failure>
    ) -> BlockLine.GPU {
        var use = BlockLine.GPU(device: gpu.device, percents: .known([]), others: 0)
        switch samples {
        case .failure(let failure): use.percents = .unavailable(failure.cause)
        case .success(let samples):
            guard newest[gpu.device] != nil else {
                use.percents = .unavailable("the driver has told no sample of any process")
                return use
            }
            let credited = Dictionary(samples.map { ($0.pid, $0.smPercent) }, uniquingKeysWith: max)
            use.percents = .known(credited.filter { pids.contains($0.key) }.map(\.value).sorted())
            use.others = credited.count { !pids.contains($0.key) }
        }
        return use
    }

    private mutating func samplesOfBlock(of gpu: GPUDevice) -> Result<[GPUUtilization], Failure> {
        if let failure = unread[gpu.device] { return .failure(failure) }
        // Where no sample was there at the begin, all are of the block.
        return samples(of: gpu, after: newest[gpu.device].map { $0 &+ Self.straddling } ?? 0)
    }

    private mutating func samples(
        of gpu: GPUDevice, after time: UInt64
    ) -> Result<[GPUUtilization], Failure> {
        let samples = gpu.utilization(after: time)
        if case .success(let samples) = samples, let last = samples.map(\.microseconds).max() {
            newest[gpu.device] = max(newest[gpu.device] ?? 0, last)
        }
        return samples
    }
}
