import Analysis
import Engines
import Glibc

/// The course of a comparison: all variants share the run thread, the trace and the sampler, and take turns.
final class CompareDriver {
    let options: CompareOptions
    let arms: [CompareArm]
    /// Makes `session.json` of the trace as it stands.
    private let save: () throws(Failure) -> Void
    private var active: CompareArm?
    private lazy var idleGPUs = IdleGPUs(common.gpus, common.facts)
    private var plan = SessionLine(
        reference: 0, quads: 0, resident: true, residency: "", leastBlock: .zero,
        leastCycles: ComparePlan.cyclesOfBlock)
    private let started = Clock.now

    init(_ options: CompareOptions, arms: [CompareArm], save: @escaping () throws(Failure) -> Void) {
        self.options = options
        self.arms = arms
        self.save = save
        plan.reference = options.reference
    }

    /// The variant that the others are held against; its driver does what belongs to no variant.
    var reference: CompareArm { arms[options.reference] }
    private var common: RunDriver { reference.driver }
    var others: [CompareArm] { arms.filter { $0 !== reference && $0.isAlive } }

    // MARK: Steps

    /// Before the sampler runs: hashes, and whether the models fit.
    func prepare() throws(Stop) {
        for arm in arms {
            try turn(to: arm)
            try attempt(arm) { () throws(Stop) in
                let sha256 = try Run.hash(arm.driver)
                try check(sha256, of: options.variants[arm.index])
                arm.driver.modelHash = sha256
                arm.fit = try arm.driver.prepareFit()
            }
        }
        try turn(to: nil)
        let (resident, why) = ComparePlan.residency(arms.filter(\.isAlive).map(\.fit))
        plan.resident = resident && !options.reloads
        plan.residency = options.reloads ? "--reload: one variant at a time" : why
        try common.write(.session(plan))
    }

    /// A baseline that is not what it was is none.
    private func check(_ sha256: String?, of variant: CompareOptions.Variant) throws(Stop) {
        guard let expected = variant.expectedSHA256, sha256 != expected else { return }
        throw .refused(CompareOptions.changedBaseline(variant))
    }

    /// From the first idle window to the last.
    func measure() throws(Stop) {
        try common.judgeMachine()
        try common.idle(.idleBefore)
        for arm in arms where arm.isAlive { try meet(arm) }
        try decideLength()
        try keep()
        for quad in 0..<plan.quads {
            for arm in others { try self.quad(quad, of: arm) }
            if others.isEmpty { break }
        }
        for arm in arms where arm.isAlive {
            try turn(to: arm)
            try attempt(arm) { () throws(Stop) in
                try arm.unload()
                try arm.checkModel()
            }
        }
        try turn(to: nil)
        try common.idle(.idleAfter)
        try checkParity()
    }

    /// A variant is loaded for the first time and shows how long a generation takes.
    private func meet(_ arm: CompareArm) throws(Stop) {
        try turn(to: arm)
        try attempt(arm) { () throws(Stop) in
            try arm.load()
            arm.driver.begin("\(arm.name): warm-up", length: nil)
            // The first holds what an engine does once.
            try arm.discard()
            try arm.discard()
            if !plan.resident { try arm.unload() }
        }
    }

    private func decideLength() throws(Stop) {
        let told = arms.flatMap(\.driver.counted).compactMap(\.periodAsFound).max()
        let seen = arms.compactMap { $0.driver.renewals.slowest?.period }.max()
        let period = max(Nanoseconds(told ?? 0).seconds, seen ?? .zero)
        plan.leastBlock = ComparePlan.leastBlock(period: period)
        func share(_ arm: CompareArm) -> ComparePlan.Arm {
            ComparePlan.Arm(
                generation: arm.generation.seconds, loading: plan.resident ? .zero : arm.loading.seconds)
        }
        let length = ComparePlan(
            reference: share(reference), others: others.map(share), leastBlock: plan.leastBlock,
            leastCycles: plan.leastCycles)
        let idle = common.idleLength.value
        switch options.length {
        case .quads(let count): plan.quads = count
        case .budget(let budget):
            let left = budget.value - (Clock.now - started).seconds.value - idle
            plan.quads = length.quads(within: Seconds(left))
            let needed = Int((budget.value - left + Double(plan.quads) * length.round.value).rounded(.up))
            if Double(plan.quads) * length.round.value > left {
                try common.warn(
                    "--budget holds fewer than \(ComparePlan.fewestQuads) quads: they take about \(needed) s; "
                        + "smaller -p and -n, or fewer variants, take less")
            }
        }
        try common.write(.session(plan))
        if let longest = arms.filter(\.isAlive).map(\.generation).max(),
            longest.seconds > CyclePrediction.longest
        {
            try common.warn(
                "a generation takes \(short(longest.seconds.value)) s: --protocol "
                    + "\(RunProtocol.sustainedSlow.rawValue) has shorter ones")
        }
        let rest = Int((Double(plan.quads) * length.round.value + idle).rounded(.up))
        common.display.say(
            "sustain: \(plan.quads) quads for each of \(others.count) variant\(others.count == 1 ? "" : "s") "
                + "against \(reference.name), about \(rest) s (\(plan.residency))")
    }

    /// Reference, variant, variant, reference; what a variant does wrong ends its quads and no other's.
    private func quad(_ number: Int, of arm: CompareArm) throws(Stop) {
        var current: CompareArm?
        for (place, turn) in [reference, arm, arm, reference].enumerated() {
            guard turn.isAlive, arm.isAlive else { return }
            try makeRoom(for: turn)
            try self.turn(to: turn)
            try attempt(turn) { () throws(Stop) in
                turn.driver.begin(
                    "quad \(number + 1)/\(plan.quads): \(turn.name)", length: nil)
                if current !== turn { try take(turn) }
                try block(of: turn, number, place, against: arm)
            }
            current = turn
        }
        try turn(to: nil)
        try keep()
    }

    /// `session.json` as of now: whatever ends the session, what it had is there.
    func keep() throws(Stop) {
        do { try save() } catch { throw .failed(error) }
    }

    /// Where one variant is in memory at a time, it is this one.
    private func makeRoom(for arm: CompareArm) throws(Stop) {
        guard !arm.isLoaded else { return }
        for other in arms where other.isLoaded {
            try turn(to: other)
            try attempt(other) { () throws(Stop) in try other.unload() }
        }
    }

    /// Begins a turn: the model is loaded where it is not, and one generation is discarded.
    private func take(_ arm: CompareArm) throws(Stop) {
        if !arm.isLoaded { try arm.load() }
        try arm.discard()
    }

    private func block(
        of arm: CompareArm, _ quad: Int, _ place: Int, against: CompareArm
    ) throws(Stop) {
        let idle = arms.filter { $0 !== arm && $0.isLoaded }
        if !idle.isEmpty { idleGPUs.begin() }
        let before = idle.map(\.processorTime)
        let (first, last) = try arm.block(
            leastCycles: plan.leastCycles, leastTime: Nanoseconds(plan.leastBlock))
        let after = idle.map(\.processorTime)
        let gpus = idle.isEmpty ? [] : idleGPUs.end(idle.map(\.onGPUs))
        let seen = idle.indices.compactMap { position -> BlockLine.Idle? in
            guard let one = before[position], let other = after[position] else { return nil }
            return BlockLine.Idle(
                variant: idle[position].index, before: one, after: other, gpus: gpus[position])
        }
        try common.write(
            .block(
                BlockLine(
                    variant: arm.index, against: against.index, quad: quad, place: place, firstCycle: first,
                    lastCycle: last, idle: seen)))
    }

    // MARK: Turns

    /// What follows is this variant's, until the next turn.
    func turn(to arm: CompareArm?) throws(Stop) {
        guard active !== arm else { return }
        // Numbers of generations are unique over the session.
        let next = arms.map(\.driver.nextCycle).max() ?? 0
        arm?.driver.nextCycle = next
        active = arm
        let loop = common.loop
        loop.workerEvents = arm?.driver.worker?.eventDescriptor
        loop.workerProcess = arm?.driver.worker?.processDescriptor
        try common.write(.turn(TurnLine(variant: arm?.index)))
    }

    /// A variant whose engine fails, or that is refused, is given up; the rest goes on, unless it is the reference.
    private func attempt(_ arm: CompareArm, _ work: () throws(Stop) -> Void) throws(Stop) {
        do throws(Stop) {
            try work()
        } catch {
            switch error {
            case .signal, .failed: throw error
            case .engine, .refused:
                arm.failure = error
                try turn(to: arm)
                arm.abandon()
                common.loop.workerEvents = nil
                common.loop.workerProcess = nil
                try common.write(.outcome(error.outcome(in: arm.driver.part)))
                common.display.say("\(arm.name) failed: \(error.failure.cause)")
                if arm === reference { throw error }
                try turn(to: nil)
            }
        }
    }
}
