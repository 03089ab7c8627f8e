#if Llama
import CLlama
import WorkerProtocol

/// One generation: prompt in batches, then one token a decode, each synchronised and stamped, as llama-bench
/// runs its tests.
struct Generation {
    private let request: GenerateRequest
    private let resident: ResidentModel
    private let channel: EventChannel
    private let isStopped: () -> Bool
    /// The prompt, and behind it the tokens that random sampling generates.
    private var seeded: [Int32]
    /// Prompt tokens decoded so far.
    private var fed = 0

    /// - Throws: a refusal of a shape that the context cannot hold.
    init(
        _ request: GenerateRequest, on resident: ResidentModel, channel: EventChannel,
        isStopped: @escaping () -> Bool
    ) throws(WorkerFailure) {
        let context = Int(llama_n_ctx(resident.context))
        guard request.promptTokens > 0, request.generatedTokens > 0 else {
            throw WorkerFailure(
                "generation",
                "\(request.promptTokens) prompt and \(request.generatedTokens) generated tokens: each must be "
                    + "at least 1", code: ErrorCode.refused)
        }
        let (total, overflow) = request.promptTokens.addingReportingOverflow(request.generatedTokens)
        guard !overflow, total <= context else {
            throw WorkerFailure(
                "generation",
                "\(request.promptTokens) prompt + \(request.generatedTokens) generated tokens do not fit the "
                    + "context of \(context)",
                remedy: "give a larger context (-c) or smaller -p and -n", code: ErrorCode.refused)
        }
        guard request.prefillBatchTokens ?? 1 > 0 else {
            throw WorkerFailure(
                "generation", "a prompt is taken 1 token at a time at least", code: ErrorCode.refused)
        }
        self.request = request
        self.resident = resident
        self.channel = channel
        self.isStopped = isStopped
        let count = request.promptTokens + (request.sampling == .random ? request.generatedTokens : 0)
        seeded = SeededTokens.prompt(seed: request.seed, count: count, vocabulary: resident.vocabulary)
    }

    /// - Returns: the answer to the command.
    /// - Throws: why llama.cpp could not go on. What was stamped until then is sent.
    mutating func run() throws(WorkerFailure) -> Done {
        var tokens = TokenStamps(
            capacity: request.generatedTokens, cycle: request.cycle, stream: request.stream)
        defer { tokens.deallocate() }
        EngineLog.forgetComplaints()
        llama_memory_clear(resident.memory, false)
        channel.mark(.submit, at: MonotonicClock.now(), cycle: request.cycle, stream: request.stream)
        var cut: Done.Stop?
        do throws(WorkerFailure) {
            cut = try prefill()
            if cut == nil { cut = try decode(&tokens) }
        } catch {
            tokens.flush(to: channel)
            throw error
        }
        // The mark is an edge of a window: it goes before the batch.
        if let last = tokens.last {
            channel.mark(.lastToken, at: last, cycle: request.cycle, stream: request.stream)
        }
        tokens.flush(to: channel)
        return done(tokens, cut ?? .length)
    }

    /// Feeds the prompt in batches of the context's size, or of the request's where that is smaller.
    /// - Returns: why it was cut, nil when it was not.
    private mutating func prefill() throws(WorkerFailure) -> Done.Stop? {
        let largest = Int(llama_n_batch(resident.context))
        let batch = min(largest, request.prefillBatchTokens ?? largest)
        while fed < request.promptTokens {
            // One batch cannot be interrupted; several can, between them.
            if fed > 0, let cut = cutReason(at: MonotonicClock.now()) { return cut }
            let count = min(batch, request.promptTokens - fed)
            let start = fed
            let code = seeded.withUnsafeMutableBufferPointer { ids in
                llama_decode(
                    resident.context, llama_batch_get_one(ids.baseAddress.map { $0 + start }, Int32(count)))
            }
            guard code == 0 else { throw failure(code, position: fed) }
            fed += count
        }
        llama_synchronize(resident.context)
        return nil
    }

    /// The token that comes with the prefill, then a decode step for each further one.
    private func decode(_ tokens: inout TokenStamps) throws(WorkerFailure) -> Done.Stop? {
        var token = try choose(0)
        var stamp = MonotonicClock.now()
        tokens.add(token, at: stamp)
        channel.mark(.firstToken, at: stamp, cycle: request.cycle, stream: request.stream)
        while tokens.count < request.generatedTokens {
            if let cut = cutReason(at: stamp) { return cut }
            tokens.flushIfDue(to: channel)
            let code = llama_decode(resident.context, llama_batch_get_one(&token, 1))
            guard code == 0 else { throw failure(code, position: request.promptTokens + tokens.count - 1) }
            llama_synchronize(resident.context)
            token = try choose(tokens.count)
            stamp = MonotonicClock.now()
            tokens.add(token, at: stamp)
        }
        return nil
    }

    /// - Parameter index: of the token in the generation.
    @inline(__always)
    private func choose(_ index: Int) throws(WorkerFailure) -> Int32 {
        guard request.sampling == .greedy else { return seeded[request.promptTokens + index] }
        guard let logits = llama_get_logits_ith(resident.context, -1),
            let token = Greedy.choose(
                UnsafeBufferPointer(start: logits, count: Int(resident.vocabulary)))
        else {
            throw WorkerFailure(
                "generation",
                "the model's logits at position \(request.promptTokens + index) are not numbers",
                remedy: "check the model file, or measure with --sampling random",
                code: ErrorCode.generationFailed)
        }
        return token
    }

    @inline(__always)
    private func cutReason(at now: UInt64) -> Done.Stop? {
        if isStopped() { return .stopped }
        if let deadline = request.deadlineNanoseconds, now >= deadline { return .deadline }
        return nil
    }

    private func done(_ tokens: TokenStamps, _ stop: Done.Stop) -> Done {
        var hash = TokenHash()
        for token in tokens.generated { hash.add(token) }
        var done = Done(command: "generate")
        done.cycle = request.cycle
        done.promptTokens = fed
        done.generatedTokens = tokens.count
        done.stop = stop
        done.tokenHash = hash.text
        done.prefillBatchTokens = request.prefillBatchTokens
        return done
    }

    /// Codes of llama_decode (llama.h and llama_context::decode).
    private func failure(_ code: Int32, position: Int) -> WorkerFailure {
        let meaning =
            switch code {
            case 1: "no free place in the context"
            case 2: "aborted"
            case -1: "invalid batch"
            case -2: "failed to allocate the compute buffers"
            default: "the backend failed"
            }
        let cause = [
            "llama_decode gave \(code) (\(meaning)) at position \(position) of "
                + "\(request.promptTokens + request.generatedTokens)", EngineLog.complaints,
        ].compactMap { $0 }.joined(separator: "; ")
        let devices = Backends.devices().filter(\.isGPU).map(\.name)
        return WorkerFailure(
            "generation", cause,
            code: MemoryShortage.code(in: cause, devices: devices) ?? ErrorCode.generationFailed)
    }
}
#endif
