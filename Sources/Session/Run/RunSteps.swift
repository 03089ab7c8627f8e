import Analysis
import Energy
import Engines
import Glibc
import WorkerProtocol

/// The run step by step, in the order of the design: idle, loads, first token, loaded idle, from idle,
/// warm-up, cycles, unload, idle. The generations are in `RunGenerations.swift`.
extension RunDriver {
    func measure() throws(Stop) {
        try judgeMachine()
        try idle(.idleBefore)
        try startWorker()
        var isLoaded = true
        switch options.request.named {
        case .pbRandom:
            try load(.loadCold, stays: true)
            try coldAndWarm()
        case .untilFailure:
            isLoaded = try deepen()
        default:
            try load(.loadCold, stays: false)
            try unload(within: .loadCold)
            try load(.loadWarm, stays: true)
            try firstToken()
            try idle(.loadedIdle)
            try sustain(cycle: warmUp(predicted: fromIdle()))
        }
        if isLoaded { try memoryPoint(.atEnd) }
        lookAtEngineAgain()
        if isLoaded { try unload(within: .unload) }
        try endWorker()
        try idle(.idleAfter)
    }

    // MARK: Idle

    /// How long power may take to settle before `idle_after`.
    private static let settlingLimit = Seconds(60)

    /// An idle window; with `--idle 0` there is none.
    func idle(_ part: Part) throws(Stop) {
        guard idleLength > .zero else { return }
        self.part = part
        if part == .idleAfter { try settle() }
        begin(part.rawValue, length: idleLength)
        let before = CPUUse.read(facts, pids: ourPids)
        let start = Clock.now
        try mark(.begin, at: start)
        try pump(until: start + Nanoseconds(idleLength))
        let end = Clock.now
        try mark(.end, at: end)
        let quiet = Conditions.quiet(
            during: part, from: before, to: CPUUse.read(facts, pids: ourPids), over: end - start)
        switch part {
        case .idleBefore: try judgeNeighbours(quiet)
        case .idleAfter: quietAfter = quiet
        default:
            for condition in quiet where condition.verdict == .fail { try warn(condition.seen) }
        }
    }

    /// Waits until the power is flat again, so that the heat of the work is not taken for idle power.
    private func settle() throws(Stop) {
        guard countsEnergy else { return }
        begin("settling", length: nil)
        live.awaitSettling()
        let start = Clock.now
        try pump(until: start + Nanoseconds(Self.settlingLimit)) {
            live.isSettled == true || live.isStill(since: start, now: Clock.now)
        }
        if live.isSettled != true, !live.isStill(since: start, now: Clock.now) {
            try warn(
                "power had not settled \(Int(Self.settlingLimit.value)) s after the work: idle_after may be high"
            )
        }
    }

    private var ourPids: [Int32] { [getpid()] + (worker.map { [$0.pid] } ?? []) }

    // MARK: Loads

    /// - Parameter stays: the generations follow on it.
    func load(_ part: Part, stays: Bool) throws(Stop) {
        self.part = part
        begin(part.rawValue, length: nil)
        if part == .loadCold {
            try memoryPoint(.beforeLoad)
            try dropPageCache()
        }
        try judgeFit()
        try mark(.begin)
        try askForLoad(contextTokens: workload.contextTokens)
        try mark(.end)
        if stays { try lookAtLoaded() }
    }

    func askForLoad(contextTokens: Int) throws(Stop) {
        try send(
            .load(options.load.request(model: options.model ?? "", contextTokens: contextTokens)))
        try pump(silence: options.engineTimeout) { answers.loaded != nil }
    }

    /// What the engine made of a load that generations follow on.
    func lookAtLoaded() throws(Stop) {
        guard let loaded = answers.loaded else { return }
        try writeEngine(loaded)
        usesDevices = !loaded.devices.isEmpty
        try warnOfThreads(loaded)
        try memoryPoint(.afterLoad)
        try gpuPoint()
    }

    /// A cold load reads the file from the disk: its pages leave the page cache first, and that they left is
    /// verified where the kernel lets us see it.
    private func dropPageCache() throws(Stop) {
        guard let model else {
            let why = "the engine loads no file whose pages could be dropped"
            try write(
                .pageCache(PageCacheLine(path: "", before: .unavailable(why), after: .unavailable(why))))
            return
        }
        let drop = PageCache.drop(model)
        try write(
            .pageCache(
                PageCacheLine(
                    path: model.path, before: drop.before, after: drop.after, refusal: drop.failure?.cause)))
    }

    func unload(within part: Part) throws(Stop) {
        self.part = part
        if part == .unload { begin(part.rawValue, length: nil) }
        try askForUnload()
        guard part == .unload else { return }
        // Drivers and allocators give memory back a moment later (METRICS, "Unload").
        try pump(until: Clock.now + Nanoseconds(500_000_000))
        try memoryPoint(.afterUnload)
    }

    func askForUnload() throws(Stop) {
        try send(.unload)
        try pump(silence: options.engineTimeout) { answers.done?.command == "unload" }
    }
}
