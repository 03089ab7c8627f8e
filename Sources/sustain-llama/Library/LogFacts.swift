/// What llama.cpp says about a load in its log and nowhere in its interface.
///
/// The texts are llama.cpp's (llama-context.cpp, llama-model.cpp, llama-kv-cache.cpp, LLAMA_LOG_INFO). A text
/// that changed leaves a fact unknown: nothing is guessed.
struct LogFacts: Sendable {
    /// "on" or "off", after "auto" was decided.
    var flashAttention: String?
    /// As `LoadRequest.loadMode`, after "auto" was decided.
    var loadMode: String?
    /// Layers on GPUs, the output layer included.
    var offloadedLayers: Int?
    /// Bytes of each kind of buffer, by the log's name of it ("CPU KV", "CUDA0 compute"). The log has two
    /// decimals of a MiB: right to 5 KiB.
    var buffers: [String: UInt64] = [:]

    /// Bytes of the caches of a context, as laid out: "kv", "recurrent". Right to 5 KiB.
    var caches: [String: UInt64] = [:]

    /// Whether a buffer of this name lies on a device: "CUDA1" is not "CUDA10".
    static func lies(_ buffer: String, on device: String) -> Bool {
        buffer.hasPrefix(device) && buffer.dropFirst(device.count).first?.isNumber != true
    }

    /// Learns from one complete line.
    mutating func read(_ line: Substring) {
        readBuffer(line)
        readCache(line)
        if let value = Self.text(in: line, after: "(load_mode = ", before: ")") {
            loadMode = value == "dio" ? "direct-io" : value
        }
        if let value = Self.text(in: line, after: " offloaded ", before: "/") { offloadedLayers = Int(value) }
        if let end = line.firstRange(of: " flash_attn ")?.upperBound,
            let equals = line[end...].firstIndex(of: "=")
        {
            let value = line[line.index(after: equals)...].filter { !$0.isWhitespace }
            flashAttention = ["enabled": "on", "disabled": "off"][value]
        }
        // "auto" is decided after the line above.
        guard line.contains("Flash Attention") else { return }
        if line.contains("disabled") { flashAttention = "off" }
        if line.contains("enabled") { flashAttention = "on" }
    }

    private mutating func readBuffer(_ line: Substring) {
        guard let size = line.firstRange(of: " buffer size = "),
            let prefix = line[..<size.lowerBound].firstRange(of: ": "),
            let mebibytes = line[size.upperBound...].firstRange(of: " MiB"),
            let value = Self.bytes(mebibytes: line[size.upperBound..<mebibytes.lowerBound])
        else { return }
        let words = line[prefix.upperBound..<size.lowerBound].split(separator: " ")
        buffers[words.joined(separator: " "), default: 0] += value
    }

    /// "llama_kv_cache: size =   30.00 MiB (..." (llama-kv-cache.cpp, llama-memory-recurrent.cpp).
    private mutating func readCache(_ line: Substring) {
        guard let size = line.firstRange(of: ": size = "),
            let unit = line[size.upperBound...].firstRange(of: " MiB"),
            let bytes = Self.bytes(mebibytes: line[size.upperBound..<unit.lowerBound])
        else { return }
        let maker = line[..<size.lowerBound]
        if maker.contains("kv_cache") { caches["kv", default: 0] += bytes }
        if maker.contains("memory_recurrent") { caches["recurrent", default: 0] += bytes }
    }

    private static func bytes(mebibytes text: Substring) -> UInt64? {
        guard let value = Double(text.filter { !$0.isWhitespace }), value >= 0, value < 1e12 else {
            return nil
        }
        return UInt64((value * 1_048_576).rounded())
    }

    private static func text(in line: Substring, after start: String, before end: Character) -> String? {
        guard let begin = line.firstRange(of: start)?.upperBound,
            let stop = line[begin...].firstIndex(of: end)
        else { return nil }
        return String(line[begin..<stop])
    }
}
