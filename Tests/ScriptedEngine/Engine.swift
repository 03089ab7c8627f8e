import CHost
import Glibc
import WorkerProtocol

/// The conversation: one command after the other, each as long as the script says.
struct Engine {
    let script: Script
    let events: EventWriter
    let phases: PhaseFile
    let commands: CommandReader

    private struct Residency {
        var loads = 0
        var allocation: UnsafeMutableRawBufferPointer?
        var isLoaded = false
        var hasGenerated = false
        /// Tokens scored since the context was cleared.
        var scored = 0
    }

    func run() -> Never {
        chost_sleep_until(now() + script.startNanoseconds)
        phases.enter(["idle"], at: now())
        _ = strike(.hello)
        events.send(.hello(script.hello.message))
        awaitGo()
        commands.startThread()
        var residency = Residency()
        while true {
            switch commands.awaitItem() {
            case .command(.load(let request)): load(request, &residency)
            case .generate(let request, let number): generate(request, number, &residency)
            case .command(.tokenize(let request)): tokenize(request, residency)
            case .command(.score(let request)): score(request, &residency)
            case .command(.unload): unload(&residency)
            case .command(let other): refuse("\"\(other.name)\" is out of place here")
            case .garbage(let garbage): refuse("\(garbage.cause): \(garbage.excerpt)")
            }
        }
    }

    private func awaitGo() {
        while true {
            if case .command(.go) = commands.readItem() { return }
            refuse("only \"go\" or \"quit\" may follow hello")
        }
    }

    private func load(_ request: LoadRequest, _ residency: inout Residency) {
        guard !residency.isLoaded else { return refuse("a model is loaded already") }
        let length = residency.loads == 0 ? script.load.coldNanoseconds : script.load.warmNanoseconds
        report(memory: "before_load")
        let begin = mark(.loadBegin, phases: "load")
        let consequence = strike(
            .load, at: begin + length / 2, cycle: residency.loads, threads: request.threads)
        if case .abandon = consequence { return }
        residency.allocation = touched(megabytes: script.load.allocateMegabytes)
        chost_sleep_until(begin + length)
        mark(.loadEnd, phases: "loaded", "gap")
        residency.loads += 1
        residency.isLoaded = true
        report(memory: "after_load")
        events.send(.loaded(loaded(request)))
    }

    private func loaded(_ request: LoadRequest) -> Loaded {
        var effective = request
        effective.contextTokens = request.contextTokens ?? 4096
        effective.threads = request.threads ?? 1
        var loaded = Loaded(
            description: script.load.description, backends: script.load.backends, effective: effective)
        loaded.parameters = script.load.parameters
        loaded.sizeBytes = script.load.sizeBytes
        loaded.vocabularyTokens = Int(script.vocabularyTokens)
        loaded.devices = script.load.devices
        return loaded
    }

    private func generate(_ request: GenerateRequest, _ number: Int, _ residency: inout Residency) {
        guard residency.isLoaded else { return refuse("no model is loaded") }
        residency.scored = 0
        guard request.promptTokens > 0, request.generatedTokens > 0 else {
            return refuse("a generation has at least one prompt token and one generated token")
        }
        var generation = Generation(
            script: script, request: request, number: number, isFirst: !residency.hasGenerated)
        guard let done = generation.run(self) else { return }
        if !residency.hasGenerated { report(memory: "after_first_token") }
        residency.hasGenerated = true
        if script.gapNanoseconds > 0 { chost_sleep_until(generation.lastStamp + script.gapNanoseconds) }
        events.send(.done(done))
    }

    private func tokenize(_ request: TokenizeRequest, _ residency: Residency) {
        guard residency.isLoaded, !script.score.refuses else { return refuse("it cannot tokenize") }
        let tokens = script.score.tokens(of: request.text, vocabulary: script.vocabularyTokens)
        events.send(.tokenized(Tokenized(tokens: tokens)))
    }

    private func score(_ request: ScoreRequest, _ residency: inout Residency) {
        guard residency.isLoaded, !script.score.refuses else { return refuse("it cannot score") }
        guard request.first == 0 || request.first == residency.scored else {
            return refuse("position \(request.first) does not follow the \(residency.scored) tokens scored")
        }
        guard let scored = script.score.write(request, vocabulary: script.vocabularyTokens) else {
            return refuse("\(request.file) cannot be written: errno \(errno)")
        }
        residency.scored = request.first + request.tokens.count
        events.send(.scored(scored))
    }

    private func unload(_ residency: inout Residency) {
        guard residency.isLoaded else { return refuse("no model is loaded") }
        let begin = mark(.unloadBegin, phases: "unload")
        if case .abandon = strike(.unload, at: begin + script.unloadNanoseconds / 2) { return }
        if let allocation = residency.allocation { munmap(allocation.baseAddress, allocation.count) }
        residency.allocation = nil
        residency.isLoaded = false
        chost_sleep_until(begin + script.unloadNanoseconds)
        mark(.unloadEnd, phases: "idle")
        events.send(.done(Done(command: "unload")))
    }

    /// Stamps a moment, tells the phase file, sends the mark.
    @discardableResult
    func mark(_ name: Mark.Name, phases names: String..., request: GenerateRequest? = nil) -> UInt64 {
        let stamp = now()
        send(name, stamp, phases: names, request: request)
        return stamp
    }

    func send(_ name: Mark.Name, _ stamp: UInt64, phases names: [String], request: GenerateRequest?) {
        phases.enter(names, at: stamp, cycle: request?.cycle)
        let told = claimed(stamp, request == nil ? .load : .decode, cycle: request?.cycle)
        events.send(
            .mark(Mark(name, nanoseconds: told, cycle: request?.cycle, stream: request?.stream ?? 0)))
    }

    /// A stamp as the script wants it told.
    func claimed(_ stamp: UInt64, _ point: Fault.Point, cycle: Int?) -> UInt64 {
        let fault = script.faults.first {
            $0.kind == .shiftStamps && $0.strikes(point, cycle: cycle, step: nil)
        }
        return UInt64(clamping: Int64(clamping: stamp) + (fault?.nanoseconds ?? 0))
    }

    /// Lets the first fault of this point happen, at `moment` where one is given.
    func strike(
        _ point: Fault.Point, at moment: UInt64? = nil, cycle: Int? = nil, step: Int? = nil,
        threads: Int? = nil
    ) -> Consequence {
        var consequence = Consequence.goOn
        for fault in script.faults
        where fault.strikes(point, cycle: cycle, step: step, threads: threads) {
            if let moment { chost_sleep_until(moment) }
            consequence = fault.strike(events: events, commands: commands)
            if case .goOn = consequence { continue }
            return consequence
        }
        return consequence
    }

    private func refuse(_ cause: String) {
        events.send(.error(WorkerError(thing: "scripted-engine", cause: cause, code: "refused")))
    }

    private func report(memory point: String) {
        guard let bytes = script.memory[point] else { return }
        events.send(.memory(MemoryReport(point: point, bytes: bytes)))
    }

    /// Real memory: a private mapping with every page written.
    private func touched(megabytes: Int) -> UnsafeMutableRawBufferPointer? {
        guard megabytes > 0 else { return nil }
        let size = megabytes << 20
        let mapping = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapping, mapping != MAP_FAILED else {
            leave("cannot allocate \(megabytes) MiB: errno \(errno)")
        }
        let bytes = UnsafeMutableRawBufferPointer(start: mapping, count: size)
        for offset in stride(from: 0, to: size, by: 4096) { bytes[offset] = 1 }
        return bytes
    }
}

func now() -> UInt64 { chost_monotonic_ns() }
