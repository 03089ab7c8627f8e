/// What variants without work did on GPUs, told from what the block lines hold of the driver's samples.
enum IdleGPU {
    /// A variant without work that uses more of a GPU's time than this is not idle. The driver's samples are coarse
    /// (5 a second on an H200): one of them that is taken amiss stays below over the 16 blocks of a session.
    static let limit = 0.01

    /// A sample is made at least once in so long ("between 1/6 and 1 second, depending on the product": NVML API
    /// Reference, utilization rates); a shorter block without any tells nothing.
    static let samplePeriod = Seconds(1)

    /// Share of a GPU's time that a variant used while another had its turn: the mean over those blocks, by their
    /// lengths, on the GPU where it is largest.
    ///
    /// - Returns: nil where there was no GPU and the engine names none.
    static func share(of facts: VariantFacts, in blocks: [BlockFigures]) -> Maybe<Double>? {
        let looks = blocks.flatMap { block in
            block.line.idle.lazy.filter { $0.variant == facts.line.index }.map { (block.span, $0.gpus) }
        }
        guard looks.contains(where: { $0.1 != nil }) else {
            let isOnDevices = facts.engine?.devices.isEmpty == false
            return isOnDevices ? .unavailable("nothing tells the GPU time of a process here") : nil
        }
        var means: [String: (seconds: Double, busy: Double)] = [:]
        var missing: String?
        for (span, gpus) in looks {
            switch gpus {
            case nil: continue
            case .unavailable(let why): missing = missing ?? why.reason
            case .known(let gpus):
                for gpu in gpus {
                    switch share(gpu, in: span) {
                    case .failure(let why): missing = missing ?? why.reason
                    case .success(let share):
                        means[gpu.device, default: (0, 0)].seconds += span.seconds
                        means[gpu.device, default: (0, 0)].busy += span.seconds * share
                    }
                }
            }
        }
        let shares = means.values.filter { $0.seconds > 0 }.map { $0.busy / $0.seconds }
        return Maybe(shares.max(), else: missing ?? "the driver lists it on no GPU")
    }

    /// The share of one block.
    private static func share(_ gpu: BlockLine.GPU, in span: Span) -> Result<Double, Unavailable> {
        let percents: [Int]
        switch gpu.percents {
        case .unavailable(let why): return .failure(why)
        case .known(let known): percents = known
        }
        if let wild = percents.first(where: { !(0...100).contains($0) }) {
            return .failure(Unavailable("the driver told \(wild) %"))
        }
        if percents.isEmpty, gpu.others <= 0, span.seconds < samplePeriod.value {
            return .failure(
                Unavailable("the driver made no sample in blocks of under \(Int(samplePeriod.value)) s"))
        }
        // Each sample is one process's.
        return .success(min(1, percents.reduce(0.0) { $0 + Double($1) / 100 }))
    }

    /// What is to be said of the busiest of all; nil where all are idle, or nothing tells.
    static func warning(_ variants: [VariantFacts], in blocks: [BlockFigures]) -> String? {
        let busy = variants.compactMap { facts in
            share(of: facts, in: blocks)?.value.map { (name: facts.line.name, share: $0) }
        }
        guard let most = busy.max(by: { $0.share < $1.share }), most.share > limit else { return nil }
        return
            "\(most.name) used \((most.share * 100).inTenths) % of a GPU's time while it had nothing to do: it "
            + "disturbs the other, and its energy is in the other's"
    }
}
