import Analysis
import Engines
import Glibc

/// One variant of a session with its engine: what a run does step by step, a comparison does in turns.
final class CompareArm {
    let index: Int
    let name: String
    let driver: RunDriver
    /// How it ended early; nil while it can be measured.
    var failure: Stop?
    /// Whether its model is loaded.
    var isLoaded = false
    /// What the model is expected to need; nil where nothing tells.
    var fit: FitReport?
    /// How long its last generation took, and its last load with what belongs to it.
    var generation = Nanoseconds(0)
    var loading = Nanoseconds(0)

    init(index: Int, name: String, driver: RunDriver) {
        self.index = index
        self.name = name
        self.driver = driver
    }

    var isAlive: Bool { failure == nil }

    /// CPU time of its processes up to now, nanoseconds; nil where it cannot be read.
    var processorTime: UInt64? {
        let ticks = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
        let jiffies = driver.enginePids.map { CPUUse.processJiffies(driver.facts, pid: $0) }
        guard driver.worker != nil, !jiffies.isEmpty, jiffies.allSatisfy({ $0 != nil }) else { return nil }
        return jiffies.compactMap(\.self).reduce(0, &+) &* (1_000_000_000 / ticks)
    }

    /// What the driver of GPUs is asked about while another has its turn.
    var onGPUs: IdleGPUs.Arm {
        IdleGPUs.Arm(pids: driver.enginePids, isLocal: driver.answers.hello?.location == .local)
    }

    // MARK: Steps

    /// Starts the engine and loads the model.
    func load() throws(Stop) {
        try checkModel()
        let start = Clock.now
        try driver.startWorker()
        try driver.memoryPoint(.beforeLoad)
        try driver.load(.loadWarm, stays: true)
        isLoaded = true
        loading = Clock.now - start
    }

    /// What is measured is what was hashed.
    func checkModel() throws(Stop) {
        guard let model = driver.model else { return }
        do { try model.checkUnchanged() } catch { throw .refused(error) }
    }

    /// Gives the memory back and ends the engine.
    func unload() throws(Stop) {
        guard driver.worker != nil else { return }
        let start = Clock.now
        if isLoaded {
            try driver.memoryPoint(.atEnd)
            driver.lookAtEngineAgain()
            try driver.unload(within: .unload)
        }
        isLoaded = false
        try driver.endWorker()
        driver.sampler.retire(driver.observed)
        driver.observed = []
        loading = loading + (Clock.now - start)
    }

    /// A generation that counts for nothing: the caches of the machine are the other's, or nobody's.
    func discard() throws(Stop) {
        driver.part = .warmup
        generation = try driver.generation()
    }

    /// Generations that count, until there are enough and enough time has passed.
    ///
    /// - Returns: the numbers of the first and the last.
    func block(leastCycles: Int, leastTime: Nanoseconds) throws(Stop) -> (first: Int, last: Int) {
        driver.part = .sustained
        let first = driver.nextCycle
        let start = Clock.now
        var cycles = 0
        while cycles < leastCycles || Clock.now - start < leastTime {
            generation = try driver.generation()
            cycles += 1
        }
        return (first, driver.nextCycle - 1)
    }

    /// Ends what is left of the engine, however it stands.
    func abandon() {
        isLoaded = false
        driver.sampler.retire(driver.observed)
        driver.observed = []
        guard let worker = driver.worker else { return }
        driver.worker = nil
        _ = worker.finish()
        // What it printed is kept in full where it cannot be shortened.
        try? worker.trimLog()
    }
}
