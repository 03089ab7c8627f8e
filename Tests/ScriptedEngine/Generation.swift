import CHost
import WorkerProtocol

/// One generation: a prefill and its decode steps, slept to absolute deadlines so that no error adds up.
struct Generation {
    /// Stamps leave in a batch after at most this long.
    private static let flushInterval: UInt64 = 250_000_000

    let script: Script
    let request: GenerateRequest
    let number: Int
    /// Nothing was generated before.
    let isFirst: Bool
    private(set) var lastStamp: UInt64 = 0
    private var stamps: [UInt64] = []
    /// Index of the first stamp that has not left yet.
    private var unsent = 0
    private var lastFlush: UInt64 = 0
    private var hash = TokenHash()
    private var generator: SplitMix64

    init(script: Script, request: GenerateRequest, number: Int, isFirst: Bool) {
        self.isFirst = isFirst
        self.script = script
        self.request = request
        self.number = number
        generator = SplitMix64(seed: request.seed)
        // The prompt comes first out of the same generator (SeededTokens.prompt).
        for _ in 0..<request.promptTokens { _ = generator.next(below: script.vocabularyTokens) }
        stamps.reserveCapacity(request.generatedTokens)
    }

    /// - Returns: what is to be sent at the end, or nil when a fault ended the command with an error.
    mutating func run(_ engine: Engine) -> Done? {
        let submit = engine.mark(.submit, phases: "prefill", request: request)
        lastFlush = submit
        let prefill = script.prefill.length(request, isFirst: isFirst)
        if case .abandon = engine.strike(.prefill, at: submit + prefill / 2, cycle: request.cycle) {
            return nil
        }
        var deadline = submit + prefill
        chost_sleep_until(deadline)
        takeToken(now())
        engine.send(.firstToken, lastStamp, phases: ["decode"], request: request)

        var stop = Done.Stop.length
        while stamps.count < request.generatedTokens {
            if let cut = cut(engine.commands) {
                stop = cut
                break
            }
            let token = stamps.count
            let consequence = engine.strike(.decode, cycle: request.cycle, step: token)
            if case .abandon = consequence { return nil }
            if case .truncate = consequence {
                stop = .truncated
                break
            }
            deadline += script.decode.length(
                cycle: request.cycle, token: token, promptTokens: request.promptTokens, seed: script.seed)
            chost_sleep_until(deadline)
            takeToken(now())
            if lastStamp - lastFlush >= Self.flushInterval && token + 1 < request.generatedTokens {
                flush(engine)
            }
        }
        engine.send(.lastToken, lastStamp, phases: ["gap"], request: request)
        flush(engine)
        return done(stop)
    }

    /// Why the generation ends before its length, seen after each token.
    private func cut(_ commands: CommandReader) -> Done.Stop? {
        if commands.isStopped(number) { return .stopped }
        if let deadline = request.deadlineNanoseconds, lastStamp >= deadline { return .deadline }
        return nil
    }

    private mutating func takeToken(_ stamp: UInt64) {
        lastStamp = stamp
        stamps.append(stamp)
        hash.add(Int32(truncatingIfNeeded: generator.next(below: script.vocabularyTokens)))
    }

    private mutating func flush(_ engine: Engine) {
        lastFlush = lastStamp
        guard unsent < stamps.count else { return }
        let batch = stamps[unsent...]
        engine.events.send(
            .tokens(
                TokenBatch(
                    cycle: request.cycle, stream: request.stream, first: unsent,
                    startNanoseconds: engine.claimed(stamps[unsent], .decode, cycle: request.cycle),
                    deltaNanoseconds: zip(batch.dropFirst(), batch).map { $0 - $1 })))
        unsent = stamps.count
    }

    private func done(_ stop: Done.Stop) -> Done {
        var done = Done(command: "generate")
        done.cycle = request.cycle
        done.promptTokens = request.promptTokens
        let liar = script.faults.first {
            $0.kind == .moreTokens && $0.strikes(.decode, cycle: request.cycle, step: nil)
        }
        done.generatedTokens = stamps.count + (liar?.tokens ?? 0)
        done.stop = stop
        done.tokenHash = hash.text
        done.prefillBatchTokens = script.prefill.obeyed(request)
        return done
    }
}
