/// What sustain asks of a worker: one JSON line each on the descriptor named by `SUSTAIN_COMMAND_FD`.
///
/// docs/worker-protocol.md describes the conversation; `name` is the value of the line's `command` key.
public enum Command: Sendable, Hashable {
    /// Threads may be made from now on; perf counters opened on the worker are inherited by them.
    case go
    case load(LoadRequest)
    /// What a load would take, without loading: answered by `sized`, or `refused` by an engine that cannot.
    case size(LoadRequest)
    case generate(GenerateRequest)
    /// The ids of a text, as the model's own tokenizer makes them.
    case tokenize(TokenizeRequest)
    /// What the model thinks comes after each of some given tokens.
    case score(ScoreRequest)
    case unload
    /// Cut the running generation at the next token; the worker answers with `done` and stop `stopped`.
    case stop
    case quit

    public var name: String {
        switch self {
        case .go: "go"
        case .load: "load"
        case .size: "size"
        case .generate: "generate"
        case .tokenize: "tokenize"
        case .score: "score"
        case .unload: "unload"
        case .stop: "stop"
        case .quit: "quit"
        }
    }
}

/// How to load a model. A field that is nil leaves the choice to the engine, which reports what it took.
public struct LoadRequest: Sendable, Hashable, Codable {
    /// Path of the model file, or the name a remote engine knows it by.
    public var model: String
    /// Context in tokens (`-c`).
    public var contextTokens: Int?
    /// Logical batch in tokens (`-b`).
    public var batchTokens: Int?
    /// Physical batch in tokens (`-ub`).
    public var microBatchTokens: Int?
    /// CPU threads (`-t`).
    public var threads: Int?
    /// Layers on the GPU (`-ngl`).
    public var gpuLayers: Int?
    /// Type of the K cache (`-ctk`), as ggml names it: "f16", "q8_0".
    public var cacheTypeK: String?
    /// Type of the V cache (`-ctv`).
    public var cacheTypeV: String?
    /// "on", "off" or "auto" (`-fa`).
    public var flashAttention: String?
    /// "auto", "none", "mmap", "mlock", "mmap+mlock" or "direct-io" (`--load-mode`).
    public var loadMode: String?

    public init(model: String) { self.model = model }

    enum CodingKeys: String, CodingKey {
        case model, threads
        case contextTokens = "context_tokens"
        case batchTokens = "batch_tokens"
        case microBatchTokens = "micro_batch_tokens"
        case gpuLayers = "gpu_layers"
        case cacheTypeK = "cache_type_k"
        case cacheTypeV = "cache_type_v"
        case flashAttention = "flash_attention"
        case loadMode = "load_mode"
    }
}

/// Where the next token comes from.
public enum Sampling: String, Sendable, Hashable, Codable, CaseIterable {
    /// The most likely token.
    case greedy
    /// A seeded random token, whatever the logits say, as llama-bench feeds them.
    case random
}

/// One generation: clear the context, feed a seeded random prompt, generate tokens, ignore end of sequence.
public struct GenerateRequest: Sendable, Hashable, Codable {
    /// The number the marks and stamps of this generation carry.
    public var cycle: Int
    /// The stream it belongs to, 0 for a single one.
    public var stream: Int
    public var promptTokens: Int
    public var generatedTokens: Int
    /// Seed of this generation's prompt (and of its tokens with random sampling): run seed + cycle.
    public var seed: UInt64
    public var sampling: Sampling
    /// CLOCK_MONOTONIC nanoseconds after which the generation is cut at a token; nil for none.
    public var deadlineNanoseconds: UInt64?
    /// Prompt tokens that the model takes at a time; nil for the engine's own batch.
    public var prefillBatchTokens: Int?

    public init(
        cycle: Int, stream: Int = 0, promptTokens: Int, generatedTokens: Int, seed: UInt64,
        sampling: Sampling, deadlineNanoseconds: UInt64? = nil, prefillBatchTokens: Int? = nil
    ) {
        self.cycle = cycle
        self.stream = stream
        self.promptTokens = promptTokens
        self.generatedTokens = generatedTokens
        self.seed = seed
        self.sampling = sampling
        self.deadlineNanoseconds = deadlineNanoseconds
        self.prefillBatchTokens = prefillBatchTokens
    }

    enum CodingKeys: String, CodingKey {
        case cycle, stream, seed, sampling
        case promptTokens = "prompt_tokens"
        case generatedTokens = "generated_tokens"
        case deadlineNanoseconds = "deadline_ns"
        case prefillBatchTokens = "prefill_batch_tokens"
    }
}
