extension MemorySummary {
    /// What the memory lines and the process sources of a trace tell.
    init(_ trace: Trace) {
        let points = Self.points(trace)
        let absent = Self.absence(trace)
        func peak(_ sampled: [String], _ named: [String]) -> Figure {
            if let absent { return .unavailable(absent) }
            var bytes: [Double] = []
            for id in sampled { bytes += Self.largest(id, in: trace) }
            for line in trace.memory { bytes += named.compactMap { line.bytes[$0] }.map { Double($0) } }
            guard let most = bytes.max() else { return .unavailable("not read in this run") }
            let kernel = sampled.contains("process:peak_rss") ? "the kernel's high-water mark, " : ""
            return .once(most, method: "largest of \(kernel)the samples and the named points")
        }
        func cost(_ after: String, _ before: String) -> Figure {
            if let absent { return .unavailable(absent) }
            guard let more = points[after]?["rss"], let less = points[before]?["rss"] else {
                return .unavailable("no rss at \(points[after]?["rss"] == nil ? after : before)")
            }
            return .once(Double(more) - Double(less), method: "rss \(after) - rss \(before)")
        }
        let accounting = Self.accounting(trace, points)
        self.init(
            points: points, peakRSSBytes: peak(["process:peak_rss", "process:rss"], ["peak_rss", "rss"]),
            peakAnonymousBytes: peak(["process:anonymous"], ["anonymous"]),
            peakFileMappedBytes: peak(["process:file"], ["file_mapped"]),
            loadCostBytes: cost("after_load", "before_load"),
            firstStepCostBytes: cost("after_first_token", "after_load"),
            accounting: accounting, headroomNowBytes: Self.headroomNow(trace),
            pressure: MemoryPressure(trace),
            unload: UnloadSummary(trace, points: points, isOnGPU: accounting == "gpu"),
            fit: trace.fit.map { .known($0) })
        gpuHeadroomNowBytes = Self.gpuHeadroomNow(trace)
        // Over many contexts there is one peak and many estimates.
        if trace.depths.isEmpty { estimatedPeak = PeakEstimate(trace.fit, peak: peakRSSBytes) }
    }

    /// By name of the point: the first `before_load`, which is the worker that has loaded nothing yet, and the
    /// last of every other.
    private static func points(_ trace: Trace) -> [String: [String: UInt64]] {
        var points: [String: [String: UInt64]] = [:]
        let boards = BoardMemory(trace)
        for line in trace.memory where line.point != .beforeLoad || points[line.point.rawValue] == nil {
            var bytes = line.bytes
            if !boards.isEmpty, let used = boards.sum(at: line.time, trace.samples) {
                bytes["gpu_used"] = used
            }
            points[line.point.rawValue] = bytes
        }
        return points
    }

    private static func absence(_ trace: Trace) -> String? {
        if trace.engine?.location == "remote" { return "engine runs elsewhere" }
        let withoutProcess = trace.memory.filter { $0.bytes["rss"] == nil }
        return withoutProcess.count == trace.memory.count
            ? withoutProcess.lazy.compactMap(\.reason).first : nil
    }

    /// The largest reading of every source of this id: a second worker's is a source of its own.
    private static func largest(_ id: String, in trace: Trace) -> [Double] {
        let scales = Dictionary(
            trace.sources.filter { $0.id == id && $0.quantity == .memory }.map { ($0.index, $0.scale) },
            uniquingKeysWith: { first, _ in first })
        guard !scales.isEmpty else { return [] }
        var most: [Int: Int64] = [:]
        for sample in trace.samples {
            for (index, value) in zip(sample.sources, sample.values) {
                guard let value, scales[index] != nil else { continue }
                most[index] = max(most[index] ?? value, value)
            }
        }
        return most.compactMap { index, value in scales[index].map { Double(value) * $0 } }
    }

    /// Whose memory holds the model: figures of different kinds are never ranked.
    private static func accounting(_ trace: Trace, _ points: [String: [String: UInt64]]) -> String {
        if trace.engine?.location == "remote" { return "not our process" }
        if trace.engine?.devices.isEmpty == false { return "gpu" }
        func growth(_ name: String) -> Double? {
            guard let after = points["after_load"]?[name], let before = points["before_load"]?[name] else {
                return nil
            }
            return Double(after) - Double(before)
        }
        guard let mapped = growth("file_mapped"), let anonymous = growth("anonymous") else {
            return "unknown"
        }
        return mapped > anonymous ? "mapped" : "anonymous"
    }
}
