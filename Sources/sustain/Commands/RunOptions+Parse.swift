import Analysis
import Session

extension RunOptions {
    /// Makes a run's options of the parsed ones; every check that needs no file is made here.
    init(_ parsed: ParsedOptions) throws(Failure) {
        let engine = try Self.engine(parsed)
        let model = try parsed.single("model")
        for key in ["model", "output"] where parsed.text(key) == "" {
            throw Failure(
                thing: "--\(key)", cause: "is empty", remedy: "is a variable of your script unset?",
                exit: .usage)
        }
        if model == nil, case .llama = engine {
            throw Failure(
                thing: "--model", cause: "is missing",
                remedy: "name a GGUF file: sustain run --model q4.gguf",
                exit: .usage)
        }
        try self.init(
            model: model, engine: engine, request: try Self.request(parsed), load: try Self.load(parsed),
            engineTimeout: try parsed.seconds("engine-timeout", in: 1...86_400) ?? Seconds(300),
            idle: try parsed.seconds("idle", in: 0...3600) ?? Seconds(15),
            interval: Nanoseconds(try parsed.seconds("interval", in: 0.001...60) ?? Seconds(0.1)),
            warmup: try Self.warmup(parsed), power: parsed.text("power") ?? "auto",
            requireEnergy: parsed.isSet("require-energy"), strict: parsed.isSet("strict"),
            environment: try Self.environment(parsed), output: parsed.text("output") ?? "reports",
            label: parsed.text("label"), sysfs: parsed.text("path.sysfs") ?? "/sys",
            procfs: parsed.text("path.procfs") ?? "/proc", recorded: Self.recorded(parsed))
    }

    static func engine(_ parsed: ParsedOptions) throws(Failure) -> Engine {
        let name = parsed.isSet("exec") && !parsed.isSet("engine") ? "exec" : parsed.text("engine") ?? "llama"
        switch name {
        case "llama":
            return .llama(libraries: parsed.text("llama-lib"))
        case "exec":
            let words = (parsed.text("exec") ?? "").split(separator: " ").map(String.init)
            if words.isEmpty {
                throw Failure(
                    thing: "--exec", cause: "names no program", remedy: "--exec \"./my-worker --flag\"",
                    exit: .usage)
            }
            return .exec(words)
        default:
            throw Failure(thing: "--engine \(name)", cause: "not one of llama, exec", exit: .usage)
        }
    }

    private static func request(_ parsed: ParsedOptions) throws(Failure) -> WorkloadRequest {
        var request = WorkloadRequest()
        if parsed.isSet("protocol") { request.named = try parsed.choice("protocol", RunProtocol.self) }
        if parsed.isSet("until-failure") {
            if let other = request.named, other != .untilFailure {
                throw Failure(
                    thing: "--until-failure", cause: "is a protocol of its own, not \(other.rawValue)",
                    remedy: "leave out --protocol", exit: .usage)
            }
            request.named = .untilFailure
        }
        switch request.named {
        case .pbRandom: try refuse(["repetitions", "sampling", "seed", "warmup"], parsed, .pbRandom)
        case .untilFailure: try refuse(["repetitions", "warmup"], parsed, .untilFailure)
        default: break
        }
        if parsed.isSet("n-prompt") {
            request.promptTokens = try parsed.integer("n-prompt", in: 1...1_000_000)
        }
        if parsed.isSet("n-gen") { request.generatedTokens = try parsed.integer("n-gen", in: 1...1_000_000) }
        request.contextTokens = try parsed.integer("ctx-size", in: 1...10_000_000)
        guard let sampling = parsed.text("sampling"), ["greedy", "random"].contains(sampling) else {
            throw Failure(
                thing: "--sampling \(parsed.text("sampling") ?? "")", cause: "not one of greedy, random",
                exit: .usage)
        }
        guard let seed = UInt64(parsed.text("seed") ?? "0") else {
            throw Failure(
                thing: "--seed \(parsed.text("seed") ?? "")", cause: "not a whole number of 64 bits",
                exit: .usage)
        }
        request.sampling = sampling
        request.seed = seed
        request.seconds = try parsed.seconds("seconds", in: 0.1...1_000_000) ?? request.seconds
        request.cycles = try parsed.integer("repetitions", in: 1...10_000_000)
        return request
    }

    /// What a protocol fixes nobody may ask for otherwise: it would be another protocol under its name.
    private static func refuse(
        _ keys: [String], _ parsed: ParsedOptions, _ shape: RunProtocol
    ) throws(Failure) {
        for key in keys where parsed.isSet(key) {
            throw Failure(
                thing: "--\(key)", cause: "\(shape.rawValue) fixes it",
                remedy: "leave it out, or take another protocol", exit: .usage)
        }
    }

    static func load(_ parsed: ParsedOptions) throws(Failure) -> LoadOptions {
        var load = LoadOptions()
        load.batchTokens = try parsed.integer("batch-size", in: 1...10_000_000)
        load.microBatchTokens = try parsed.integer("ubatch-size", in: 1...10_000_000)
        load.threads = try parsed.integer("threads", in: 1...4096)
        load.gpuLayers = try parsed.integer("n-gpu-layers", in: -1...100_000)
        load.cacheTypeK = try cacheType(parsed, "cache-type-k")
        load.cacheTypeV = try cacheType(parsed, "cache-type-v")
        load.flashAttention = try parsed.choice("flash-attn", FlashAttention.self) { FlashAttention($0) }?
            .rawValue
        load.loadMode = try parsed.choice("load-mode", LoadMode.self)?.rawValue
        return load
    }

    /// The protocol leaves the types to the engine: what llama.cpp knows is known here, and a wrong one is told before
    /// the first of many runs.
    private static func cacheType(_ parsed: ParsedOptions, _ key: String) throws(Failure) -> String? {
        guard case .llama = try engine(parsed) else { return try parsed.single(key) }
        return try parsed.choice(key, LlamaCacheType.self)?.rawValue
    }

    private static func warmup(_ parsed: ParsedOptions) throws(Failure) -> Warmup {
        let text = parsed.text("warmup") ?? "auto"
        if text == "auto" { return .auto }
        guard let cycles = Int(text), (0...1_000_000).contains(cycles) else {
            throw Failure(
                thing: "--warmup \(text)", cause: "neither \"auto\" nor a number of cycles", exit: .usage)
        }
        return .cycles(cycles)
    }

    private static func environment(
        _ parsed: ParsedOptions
    ) throws(Failure) -> [(name: String, value: String)] {
        var variables: [(name: String, value: String)] = []
        for pair in parsed.values["env"] ?? [] {
            guard let sign = pair.firstIndex(of: "="), sign != pair.startIndex else {
                throw Failure(thing: "--env \(pair)", cause: "not of the form NAME=VALUE", exit: .usage)
            }
            variables.append((String(pair[..<sign]), String(pair[pair.index(after: sign)...])))
        }
        return variables
    }

    /// Every option by its long name with the value in force, so that a trace tells how to repeat the run.
    static func recorded(_ parsed: ParsedOptions) -> JSONValue {
        var members: [String: JSONValue] = [:]
        // The shape of a protocol that was named is not the table's default.
        let isNamed = parsed.isSet("protocol") || parsed.isSet("until-failure")
        let ofProtocol = isNamed ? ["n-prompt", "n-gen"].filter { !parsed.isSet($0) } : []
        for option in parsed.command.options where option.key != "help" && !ofProtocol.contains(option.key) {
            var values = parsed.list(option.key)
            if option.key == "env" { values = values.map(EngineVariables.recorded) }
            if option.value == nil {
                members[option.key] = .bool(parsed.isSet(option.key))
            } else if let last = values.last {
                members[option.key] =
                    option.isList || option.key == "env"
                    ? .array(values.map(JSONValue.string)) : .string(last)
            }
        }
        return .object(members)
    }
}
