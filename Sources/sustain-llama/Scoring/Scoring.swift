#if Llama
import CLlama
import WorkerProtocol

/// Feeds given tokens and writes the logits of every position to a file. Nothing of it is timed.
struct Scoring {
    private let request: ScoreRequest
    private let resident: ResidentModel

    /// - Parameter scored: tokens that are in the context from scoring before.
    /// - Throws: a refusal of tokens that do not go on there, do not fit the context or are none of the model's.
    init(
        _ request: ScoreRequest, on resident: ResidentModel, after scored: Int
    ) throws(WorkerFailure) {
        guard !request.tokens.isEmpty else { throw Self.refusal("there are no tokens to score") }
        guard request.first == 0 || request.first == scored else {
            throw Self.refusal("position \(request.first) does not follow the \(scored) tokens scored before")
        }
        let context = Int(llama_n_ctx(resident.context))
        guard request.tokens.count <= context - request.first else {
            throw Self.refusal(
                "positions \(request.first) to \(request.first + request.tokens.count - 1) do not fit the context of "
                    + "\(context)", remedy: "give a larger context (-c)")
        }
        let vocabulary = Int64(resident.vocabulary)
        if let stranger = request.tokens.first(where: { $0 < 0 || Int64($0) >= vocabulary }) {
            throw Self.refusal("token \(stranger) is not in the vocabulary of \(vocabulary)")
        }
        self.request = request
        self.resident = resident
    }

    func run() throws(WorkerFailure) -> Scored {
        EngineLog.forgetComplaints()
        if request.first == 0 { llama_memory_clear(resident.memory, false) }
        let file = try RowFile(request.file)
        let batch = Int(llama_n_batch(resident.context))
        var tokens = request.tokens
        // A one for each token whose logits are wanted: all of them.
        var wanted = [Int8](repeating: 1, count: min(batch, tokens.count))
        var fed = 0
        while fed < tokens.count {
            let count = min(batch, tokens.count - fed)
            let start = fed
            let code = tokens.withUnsafeMutableBufferPointer { ids in
                wanted.withUnsafeMutableBufferPointer { wanted in
                    var batch = llama_batch_get_one(ids.baseAddress.map { $0 + start }, Int32(count))
                    batch.logits = wanted.baseAddress
                    return llama_decode(resident.context, batch)
                }
            }
            guard code == 0 else { throw failure(code, position: request.first + fed) }
            llama_synchronize(resident.context)
            try write(count, of: start, to: file)
            fed += count
        }
        return Scored(
            first: request.first, positions: tokens.count, vocabularyTokens: Int(resident.vocabulary))
    }

    private func write(_ count: Int, of start: Int, to file: RowFile) throws(WorkerFailure) {
        for index in 0..<count {
            guard let row = llama_get_logits_ith(resident.context, Int32(index)) else {
                throw WorkerFailure(
                    "score", "llama.cpp gives no logits of position \(request.first + start + index)",
                    code: ErrorCode.generationFailed)
            }
            try file.append(UnsafeBufferPointer(start: row, count: Int(resident.vocabulary)))
        }
    }

    private func failure(_ code: Int32, position: Int) -> WorkerFailure {
        let cause = ["llama_decode gave \(code) at position \(position)", EngineLog.complaints]
            .compactMap(\.self).joined(separator: "; ")
        let devices = Backends.devices().filter(\.isGPU).map(\.name)
        return WorkerFailure(
            "score", cause,
            code: MemoryShortage.code(in: cause, devices: devices) ?? ErrorCode.generationFailed)
    }

    private static func refusal(_ cause: String, remedy: String? = nil) -> WorkerFailure {
        WorkerFailure("score", cause, remedy: remedy, code: ErrorCode.refused)
    }
}

extension ResidentModel {
    /// The ids of a text with the special tokens that the model puts around one; what looks like a special token in
    /// the text is text.
    func tokens(of text: String) throws(WorkerFailure) -> [Int32] {
        let words = llama_model_get_vocab(model)
        guard llama_vocab_type(words) != LLAMA_VOCAB_TYPE_NONE else {
            throw WorkerFailure(
                request.model, "it has no vocabulary to make tokens with", code: ErrorCode.refused)
        }
        let bytes = Array(text.utf8.map(CChar.init(bitPattern:)))
        guard let length = Int32(exactly: bytes.count) else {
            throw WorkerFailure("tokenize", "the text is too long", code: ErrorCode.refused)
        }
        // A token has one byte of the text at least; a few special ones come on top.
        var tokens = [Int32](repeating: 0, count: bytes.count + 16)
        let count = llama_tokenize(words, bytes, length, &tokens, length + 16, true, false)
        guard count >= 0 else {
            throw WorkerFailure(
                "tokenize", "llama_tokenize gave \(count) for \(bytes.count) bytes", code: ErrorCode.refused)
        }
        return Array(tokens.prefix(Int(count)))
    }
}
#endif
