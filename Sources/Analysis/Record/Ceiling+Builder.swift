extension Ceiling {
    /// - Parameters:
    ///   - depth: mean number of positions in the cache that a decode step reads; nil where it is not known.
    ///   - rate: decode steps per second of one stream.
    init(_ trace: Trace, depth: Double?, rate: Figure) {
        bytesPerToken = Self.bytesPerToken(trace, depth: depth)
        impliedBytesPerSecond = Self.scaled(rate, by: bytesPerToken, method: "bytes per token x decode rate")
        measuredBytesPerSecond = Self.measured(trace.bandwidth)
        share =
            Self.incomparable(trace).map(Figure.unavailable)
            ?? Self.quotient(impliedBytesPerSecond, measuredBytesPerSecond)
    }

    private static func bytesPerToken(_ trace: Trace, depth: Double?) -> Figure {
        guard let reads = trace.artifact?.decodeReads else {
            return .unavailable("the tensors of the model are not known")
        }
        var bytes = Double(reads.denseBytes)
        var method = "weights that a step reads"
        if reads.expertBytes > 0 {
            guard let experts = reads.experts, let used = reads.expertsUsed, experts > 0, used <= experts
            else { return .unavailable("how many experts a token uses is not known") }
            bytes += Double(reads.expertBytes) * Double(used) / Double(experts)
            method += " (\(used) of \(experts) experts)"
        }
        switch cacheBytes(reads, trace.engine?.parameters) {
        case .success(let position):
            guard let depth else { return .unavailable("no whole cycle") }
            bytes += position * depth
            method += " and cache at a mean depth of \(depth.inTenths)"
        case .failure(let why): method += ", without the cache (\(why.reason))"
        }
        return Figure(
            bytes, .unavailable(Unavailable("counted, not measured")), method: method)
    }

    /// Bytes of K and V for one position.
    private static func cacheBytes(
        _ reads: DecodeReads, _ parameters: JSONValue?
    ) -> Result<Double, Unavailable> {
        guard let keys = reads.keyElements.value, let values = reads.valueElements.value else {
            return .failure(
                Unavailable(reads.keyElements.reason ?? reads.valueElements.reason ?? "not known"))
        }
        let keyType = type(of: "k", in: parameters)
        let valueType = type(of: "v", in: parameters)
        guard let keyBytes = bytesOfElement[keyType], let valueBytes = bytesOfElement[valueType] else {
            return .failure(Unavailable("cache of type \(keyType), \(valueType)"))
        }
        return .success(Double(keys) * keyBytes + Double(values) * valueBytes)
    }

    /// As the engine names it in its parameters; f16 where it does not, which is llama.cpp's default.
    private static func type(of cache: String, in parameters: JSONValue?) -> String {
        guard case .object(let entries)? = parameters else { return "f16" }
        for name in ["type_\(cache)", "cache_type_\(cache)"] {
            if case .string(let type)? = entries[name] { return type }
        }
        return "f16"
    }

    /// Bytes of an element by ggml's type: those of a block by its elements (ggml/src/ggml-common.h).
    private static let bytesOfElement: [String: Double] = [
        "f32": 4, "f16": 2, "bf16": 2, "q8_0": 34.0 / 32, "q5_1": 24.0 / 32, "q5_0": 22.0 / 32,
        "q4_1": 20.0 / 32, "q4_0": 18.0 / 32, "iq4_nl": 18.0 / 32,
    ]

    private static func measured(_ line: BandwidthLine?) -> Figure {
        guard let line else { return .unavailable("no bandwidth was measured in this run") }
        switch line.bytesPerSecond {
        case .unavailable(let why): return .unavailable(why)
        case .known(let rate) where rate > 0:
            return Figure(
                rate, .unavailable(Unavailable("the best of \(line.repetitions) repetitions")),
                method:
                    "\(line.kernel), \(line.threads) threads over \(line.bufferBytes) bytes of \(line.device)"
            )
        case .known: return .unavailable("the probe read nothing")
        }
    }

    /// Why the two bandwidths are not of one memory or not of one stream.
    private static func incomparable(_ trace: Trace) -> String? {
        if trace.engine?.location == "remote" { return "engine runs elsewhere" }
        let devices = trace.engine?.devices ?? []
        if let line = trace.bandwidth,
            line.device == "cpu" ? !devices.isEmpty : !devices.contains(line.device)
        {
            return "the probe read the memory of \(line.device), the engine works elsewhere"
        }
        if trace.marks.contains(where: { ($0.stream ?? 0) != 0 }) {
            return "several streams share one reading of the weights"
        }
        return nil
    }

    private static func scaled(_ rate: Figure, by bytes: Figure, method: String) -> Figure {
        guard case .value(let tokens, let interval, _) = rate else { return rate }
        guard let bytes = bytes.number else { return bytes }
        if case .bounds(let low, let high) = interval {
            return Figure(tokens * bytes, .bounds(low: low * bytes, high: high * bytes), method: method)
        }
        return Figure(tokens * bytes, interval, method: method)
    }

    private static func quotient(_ implied: Figure, _ measured: Figure) -> Figure {
        guard let divisor = measured.number else { return measured }
        guard case .value(let value, let interval, _) = implied else { return implied }
        let method = "implied / measured"
        // The rate's interval alone would pass for that of the ratio.
        guard case .bounds = interval else { return Figure(value / divisor, interval, method: method) }
        return Figure(
            value / divisor, .unavailable(Unavailable("how much the measured bandwidth varies is not known")),
            method: method)
    }
}
