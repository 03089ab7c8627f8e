import Analysis

/// What a whole record and what a report keeps of one have in common: who ran, on what, and how it ended.
protocol DescribedRun {
    var id: String { get }
    var artifact: Maybe<ArtifactLine> { get }
    var engine: Maybe<EngineSummary> { get }
    var environment: Environment { get }
    var sources: [SourceSummary] { get }
    var total: Total { get }
    var outcome: OutcomeSummary { get }
    var sustainedFigure: Figure { get }
}

extension Record: DescribedRun {
    var sustainedFigure: Figure { metrics.sustained }
}

extension DescribedRun {
    /// The model as llama-bench names it, "llama 135M Q4_1", or as near as the record allows.
    var modelName: Maybe<String> {
        let random = artifact.value?.weights == "random" ? " (random weights)" : ""
        if let described = engine.value?.modelDescription, !described.isEmpty {
            return .known(described + random)
        }
        guard let artifact = artifact.value else { return .unavailable(artifact.reason ?? "no artifact") }
        let file = artifact.path.split(separator: "/").last.map(String.init) ?? artifact.path
        return .known((artifact.name ?? file) + random)
    }

    /// Bytes of the weights: of the tensors as llama-bench counts them, else of the file.
    var modelBytes: Maybe<UInt64> {
        guard let artifact = artifact.value else { return .unavailable(artifact.reason ?? "no artifact") }
        return .known(artifact.tensorBytes ?? artifact.sizeBytes)
    }

    /// The backends as llama-bench joins them: "CPU" only where there is no other.
    var backendNames: Maybe<String> {
        guard let engine = engine.value else { return .unavailable(engine.reason ?? "no engine") }
        let others = engine.backends.filter { $0 != "CPU" }
        let named = others.isEmpty ? engine.backends : others
        return named.isEmpty
            ? .unavailable("the engine names no backend") : .known(named.joined(separator: ","))
    }

    /// What sets the run apart from a completed one that counts: its status, or that it was excluded.
    var mark: String? {
        if outcome.status != .completed { return outcome.status.rawValue.replacing("_", with: " ") }
        return environment.filter.excluded ? "excluded" : nil
    }

    /// Why a run is marked: where and how it ended early, or the checks it failed; nil where nothing is known.
    var ending: String? {
        let parts =
            outcome.status == .completed
            ? [failedChecks.isEmpty ? nil : "failed " + failedChecks.joined(separator: ", ")]
            : [
                // A run that was refused did not end in a part: it did not begin.
                outcome.status == .refused ? nil : outcome.part.map { "in " + $0.rawValue }, outcome.cause,
            ]
        let text = parts.compactMap(\.self).joined(separator: ": ")
        return text.isEmpty ? nil : text
    }

    /// The checks that keep the run out of medians, frontier and baselines.
    var failedChecks: [String] {
        environment.filter.verdicts.filter { $0.verdict == .fail }.map(\.name)
    }

    /// A run's short name: the six hexadecimal digits its id ends in, or all of an id of another form.
    var shortID: String {
        guard let last = id.split(separator: "-").last, last.utf8.count == 6,
            last.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return id }
        return String(last)
    }

    /// What the energy covers, in words and by source: "GPU only (nvml:0)"; nil where nothing counts energy.
    var energyScope: String? {
        guard !total.includes.isEmpty else { return nil }
        let names = total.includes.sorted().joined(separator: ", ")
        return total.scope.map { "\($0) (\(names))" } ?? names
    }

    /// Sources that the total would have, were they not dead: its energy is not that of the whole machine.
    var deadSources: [SourceSummary] {
        let included = sources.filter { total.includes.contains($0.id) }.compactMap(\.scope.value)
        return sources.filter { source in
            guard source.status == .dead, let scope = source.scope.value, !included.isEmpty,
                scope.belongsToTotals
            else { return false }
            return !included.contains(scope)
        }
    }

    /// Whether `sustained` is that of a short run (METRICS, "Sustained").
    var isShortRun: Bool {
        if case .value(_, _, let method) = sustainedFigure { method.hasPrefix("short run") } else { false }
    }
}
