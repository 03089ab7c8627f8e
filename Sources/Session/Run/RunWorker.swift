import Analysis
import CHost
import Energy
import Engines
import Glibc
import WorkerProtocol

/// The worker's life within a run: start, conversation, end.
extension RunDriver {
    func startWorker() throws(Stop) {
        begin("starting the engine", length: nil)
        try beginMemoryWatch()
        do {
            let launch = try launch()
            engineEnvironment = launch.environment
            let worker = try WorkerProcess.spawn(launch)
            self.worker = worker
            // What it says unasked counts too.
            asked = Asked(.go, at: Clock.now)
            loop.workerEvents = worker.eventDescriptor
            loop.workerProcess = worker.processDescriptor
        } catch {
            throw .engine(OutcomeLine(.engineFailed, cause: "\(error.thing): \(error.cause)"), error)
        }
        try pump(silence: options.engineTimeout) { answers.hello != nil }
        guard let hello = answers.hello else { return }
        try check(hello)
        try writeEngine(nil)
        try judgeEngine(hello)
        try observe(hello)
        try send(.go)
    }

    private func launch() throws(Failure) -> WorkerLaunch {
        try options.engine.launch(environment: options.environment, logPath: logPath)
    }

    private func check(_ hello: Hello) throws(Stop) {
        guard hello.protocol == Hello.currentProtocol else {
            throw engineStop(
                .protocolBroken,
                cause: "speaks \"\(hello.protocol)\", this sustain speaks \"\(Hello.currentProtocol)\"")
        }
        guard hello.clock == "CLOCK_MONOTONIC" else {
            throw engineStop(
                .protocolBroken, cause: "stamps with \"\(hello.clock)\", only CLOCK_MONOTONIC can be used")
        }
        if case .llama(let directory?) = options.engine,
            let stranger = LlamaLibraries.stranger(in: hello, expected: directory)
        {
            throw engineStop(
                .engineError,
                cause: "--llama-lib \(directory): the libllama in use is another one: \(stranger)",
                remedy: "its version and file names must be those that sustain was built with")
        }
    }

    /// Adds the worker's own memory, CPU time and involuntary switches to what is sampled; they may be hidden,
    /// which is said and no failure.
    private func observe(_ hello: Hello) throws(Stop) {
        guard hello.location == .local, let pid = hello.pids.first else { return }
        if countsEvents { try count(hello.pids) }
        do {
            observed = try sampler.add(try ProcessSources.open(pid, procfs: options.procfs))
            for line in observed { try write(.source(line)) }
        } catch let stop as Stop {
            throw stop
        } catch let failure as Failure {
            try warn("memory of the engine is not sampled: \(failure.thing): \(failure.cause)")
        } catch {
            try warn("memory of the engine is not sampled: \(error)")
        }
    }

    /// As many processes of an engine as counters are opened for; each takes six descriptors.
    static let mostCounted = 16

    /// Attaches event counters to the engine's processes, which make no thread before `go`.
    private func count(_ pids: [Int32]) throws(Stop) {
        let roots = SystemRoots(sysfs: options.sysfs, procfs: options.procfs)
        for pid in pids.prefix(Self.mostCounted) {
            let opened = ProcessCounters.open(pid, roots: roots)
            if !opened.rows.isEmpty { try write(.capabilities(CapabilitiesLine(rows: opened.rows))) }
            do {
                for line in try sampler.add(opened.sources) { try write(.source(line)) }
            } catch let stop as Stop {
                throw stop
            } catch {
                try warn("events of the engine are not counted: \(error)")
            }
        }
        if pids.count > Self.mostCounted {
            try warn("events are counted for \(Self.mostCounted) of the engine's \(pids.count) processes")
        }
    }

    func send(_ command: Command) throws(Stop) {
        guard let worker else { return }
        answers.done = nil
        answers.loaded = nil
        asked = Asked(command, at: Clock.now)
        do {
            try worker.send(command)
        } catch {
            // A worker that cannot be written to is most often one that just died: its exit tells why.
            try pump(until: Clock.now + Nanoseconds(1_000_000_000))
            throw .engine(OutcomeLine(.engineFailed, cause: error.cause), error)
        }
    }

    /// Who the engine is; once after hello, and again with the parameters in force after the load.
    func writeEngine(_ loaded: Loaded?) throws(Stop) {
        guard let hello = answers.hello else { return }
        var line = EngineLine(kind: engineKind(hello), version: hello.version)
        line.build = hello.build
        line.buildType = hello.buildType
        line.location = hello.location.rawValue
        line.pids = hello.pids
        line.countsTokens = hello.countsTokens
        for path in hello.libraries + (loaded?.libraries ?? []) {
            line.libraries[path] = try libraryHash(path)
        }
        if let loaded {
            line.backends = loaded.backends
            line.devices = loaded.devices.compactMap(\.pciID)
            line.modelDescription = loaded.description
            line.parameters = Self.parameters(loaded)
        }
        try write(.engine(line))
    }

    private func engineKind(_ hello: Hello) -> String {
        if case .exec = options.engine { "exec:" + hello.engine } else { hello.engine }
    }

    /// An engine may name files of any size: a signal is heard between the pieces of one.
    private func libraryHash(_ path: String) throws(Stop) -> Maybe<String> {
        if let known = libraryHashes[path] { return known }
        var signal: Int32?
        let hash = ArtifactHash.sha256(ofFile: path, cache: HashCache.user()) {
            signal = loop.pendingSignal()
            return signal == nil
        }
        if let signal { throw .signal(signal) }
        libraryHashes[path] = hash
        return hash
    }

    private static func parameters(_ loaded: Loaded) -> JSONValue {
        let effective = loaded.effective
        var members: [String: JSONValue] = [:]
        func put(_ name: String, _ value: Int?) { if let value { members[name] = .integer(Int64(value)) } }
        func put(_ name: String, _ value: String?) { if let value { members[name] = .string(value) } }
        put("n_ctx", effective.contextTokens)
        put("n_batch", effective.batchTokens)
        put("n_ubatch", effective.microBatchTokens)
        put("n_threads", effective.threads)
        put("n_gpu_layers", effective.gpuLayers)
        put("type_k", effective.cacheTypeK)
        put("type_v", effective.cacheTypeV)
        put("flash_attn", effective.flashAttention)
        put("load_mode", effective.loadMode)
        return .object(members)
    }

    /// A worker that floods its log must not fill the disk.
    func keepLogShort(_ worker: WorkerProcess) throws(Stop) {
        do { try worker.trimLog() } catch { try warn("\(error.thing): \(error.cause)") }
    }

    /// A signal while an engine is being ended: it is killed then.
    func hurry(_ take: @escaping (Int32) -> Void = { _ in }) -> Hurry {
        Hurry(descriptor: loop.signalDescriptor) { [loop] in
            guard let signal = loop.pendingSignal() else { return false }
            take(signal)
            return true
        }
    }

    /// Ends the worker in order; how it ended is no longer news unless it had to be forced.
    func endWorker() throws(Stop) {
        guard let worker else { return }
        loop.workerEvents = nil
        loop.workerProcess = nil
        self.worker = nil
        var signal: Int32?
        let exit = worker.finish(hurry: hurry { signal = $0 })
        try keepLogShort(worker)
        if let signal { throw .signal(signal) }
        if !exit.isInOrder { try warn("the engine did not end when asked: \(exit.cause)") }
    }
}
