/// What unloading the model gave back.
public struct UnloadSummary: Sendable, Hashable, Codable {
    public enum Status: String, Sendable, Hashable, Codable {
        /// At least `recoveredBytes` came back.
        case recovered
        case unchanged
        case increased
        case unavailable
    }

    public var status: Status
    /// Why the status is `unavailable`; nil for any other.
    public var reason: String?
    /// "rss" of the engine's process, or "gpu": memory in use on its boards.
    public var memory: String
    public var beforeBytes: Figure
    public var afterBytes: Figure
    public var releasedBytes: Figure

    enum CodingKeys: String, CodingKey {
        case status, reason, memory
        case beforeBytes = "before_bytes"
        case afterBytes = "after_bytes"
        case releasedBytes = "released_bytes"
    }
}

extension UnloadSummary {
    /// Less coming back is what allocators and page tables move by on their own (METRICS, "Unload").
    private static let recoveredBytes = 32.0 * 1024 * 1024
    /// The driver and the allocator give memory back a moment after they are asked to.
    private static let settling = Nanoseconds(500_000_000)

    init(_ trace: Trace, points: [String: [String: UInt64]], isOnGPU: Bool) {
        let figures = isOnGPU ? Self.gpu(trace) : Self.process(points)
        memory = isOnGPU ? "gpu" : "rss"
        (beforeBytes, afterBytes) = figures
        guard let before = beforeBytes.number, let after = afterBytes.number else {
            let why = beforeBytes.reason ?? afterBytes.reason ?? "not read"
            (status, reason) = (.unavailable, why)
            releasedBytes = .unavailable(why)
            return
        }
        releasedBytes = .once(before - after, method: "\(memory) before - after the unload")
        let released = before - after
        status =
            released >= Self.recoveredBytes
            ? .recovered : -released >= Self.recoveredBytes ? .increased : .unchanged
    }

    private static func process(_ points: [String: [String: UInt64]]) -> (Figure, Figure) {
        func rss(_ point: String) -> Figure {
            guard let bytes = points[point]?["rss"] else { return .unavailable("no rss \(point)") }
            return .once(Double(bytes), method: "rss \(point)")
        }
        return (rss("at_end"), rss("after_unload"))
    }

    /// The boards' last reading before the unload and the first well after it.
    private static func gpu(_ trace: Trace) -> (Figure, Figure) {
        func edge(_ name: MarkLine.Name) -> Instant? {
            trace.marks.last { $0.name == name && $0.part == .unload }?.time
        }
        guard let begin = edge(.unloadBegin), let end = edge(.unloadEnd) else {
            let why = Figure.unavailable("the model was not unloaded in this run")
            return (why, why)
        }
        let boards = BoardMemory(trace)
        guard !boards.isEmpty else {
            return (.unavailable("no GPU's memory was read"), .unavailable("no GPU's memory was read"))
        }
        func sum(_ samples: some Sequence<SampleLine>, _ when: String) -> Figure {
            guard let bytes = boards.sum(samples) else {
                return .unavailable("a GPU's memory was not read \(when) the unload")
            }
            return .once(bytes, method: "memory in use on the engine's GPUs \(when) the unload")
        }
        let before = trace.samples.reversed().lazy.filter { $0.time <= begin }
        let after = trace.samples.lazy.filter { $0.time >= end + Self.settling }
        return (sum(before, "before"), sum(after, "after"))
    }
}
