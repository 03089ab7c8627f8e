extension EngineSummary {
    /// The summary of what the engine said of itself, with the one library that names the build.
    public init(_ line: EngineLine) {
        self.init(
            kind: line.kind, build: line.build.map { "\(line.version) (\($0))" } ?? line.version,
            buildType: Maybe(line.buildType, else: "the engine does not say"),
            librarySHA256: Self.mainLibrary(line.libraries), libraries: line.libraries,
            parameters: line.parameters, backends: line.backends, location: line.location,
            tokenCounts: line.countsTokens ? "exact" : "estimated", modelDescription: line.modelDescription)
    }

    /// The one library, or of several the one that is libllama.
    private static func mainLibrary(_ libraries: [String: Maybe<String>]) -> Maybe<String> {
        if libraries.count == 1, let only = libraries.values.first { return only }
        let paths = libraries.keys.sorted()
        let main = paths.first { path in
            path.split(separator: "/").last.map { $0.hasPrefix("libllama.") } ?? false
        }
        guard let main, let hash = libraries[main] else {
            return .unavailable(
                libraries.isEmpty
                    ? "the engine names no library" : "none of the libraries is known as the main one")
        }
        return hash
    }
}

extension OverheadSummary {
    static func of(_ line: OverheadLine?) -> Maybe<OverheadSummary> {
        guard let line else { return .unavailable("the run ended before its overhead was read") }
        guard line.wallNanoseconds > 0 else { return .unavailable("no time passed") }
        let wall = Double(line.wallNanoseconds)
        return .known(
            OverheadSummary(
                samplerCoreShare: Double(line.samplerCPUNanoseconds) / wall,
                processCoreShare: Double(line.processCPUNanoseconds) / wall, ticks: line.ticks,
                missedDeadlines: line.missedDeadlines, lostTicks: line.lostTicks,
                worstJitterSeconds: Double(line.worstJitterNanoseconds) / 1e9,
                peakRSSBytes: Maybe(line.peakRSSBytes, else: "not read")))
    }
}

extension OutcomeSummary {
    /// A trace without an end line was interrupted, whatever it meant to say, unless it names a worse end.
    init(_ trace: Trace, _ timeline: Timeline) {
        if let outcome = trace.outcome, trace.end != nil || outcome.status != .completed {
            self.init(outcome, last: outcome.status == .completed ? nil : LastState(trace))
            return
        }
        let last = trace.marks.max { $0.time < $1.time }?.part
        let cause = trace.end == nil ? "the trace has no end line" : "the trace names no outcome"
        self.init(OutcomeLine(.interrupted, part: last, cause: cause), last: LastState(trace))
    }
}
