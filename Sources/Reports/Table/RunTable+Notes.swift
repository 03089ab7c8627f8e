import Analysis

/// What the numbers of a table cover, and what is to be known of its rows.
extension RunTable {
    /// Medians of few runs, by what they lack.
    func provisional(_ place: Place) -> [String] {
        let few = runs.filter(\.isProvisional)
        let several = runs.contains { $0.runs.count > 1 }
        let medians = [
            "rows of several runs are their medians (of several submitters the median of their medians), ± the "
                + "spread between them"
        ]
        let doubt =
            few.isEmpty
            ? []
            : [
                "provisional: of \(several ? "fewer than \(MedianOfRuns.fewest) runs" : "one run"), so that how much "
                    + "runs differ is not known" + (several ? naming(few, place) : "")
            ]
        return (several ? medians : []) + doubt
    }

    func sizes(_ place: Place) -> [String] {
        let files = runs.filter {
            let artifact = $0.digest.artifact.value
            return artifact != nil && artifact?.tensorBytes == nil
        }
        return files.isEmpty ? [] : ["size is that of the whole file" + naming(files, place)]
    }

    func energyScopes(_ place: Place) -> [String] {
        groups { $0.digest.energyScope }.map { "energy covers " + place.line($0) + naming($1, place) }
    }

    /// What the mark of energy cells means: "† energy without rapl:package-1, which is dead: never moved".
    func dead(_ place: Place) -> [String] {
        let found = groups { run in
            let dead = run.digest.deadSources
            guard let first = dead.first else { return nil }
            let names = dead.map(\.id).joined(separator: ", ")
            let why = first.reason.map { ": \($0)" } ?? ""
            return "\(names), which \(dead.count == 1 ? "is" : "are") dead\(why)"
        }
        return found.map { "† energy without " + place.line($0) + naming($1, place) }
    }

    /// Where the idle windows were not idle.
    func unreliable(_ place: Place) -> [String] {
        groups { $0.digest.netDisturbance }.map {
            "net is unreliable: " + place.line($0) + naming($1, place)
        }
    }

    func shortRuns(_ place: Place) -> [String] {
        let short = runs.filter(\.digest.isShortRun)
        return short.isEmpty ? [] : ["sustained is that of a short run" + naming(short, place)]
    }

    /// What pb-random-v1 says of itself.
    func uncontrolled(_ place: Place) -> [String] {
        let found = runs.filter { $0.digest.protocol.name == "pb-random-v1" }
        guard !found.isEmpty else { return [] }
        return [
            "pb-random-v1 is not a controlled environment: background load and heat are in its figures"
                + naming(found, place)
        ]
    }

    func memoryKinds(_ place: Place) -> [String] {
        let kinds = groups { $0.digest[.peakRSS].number == nil ? nil : $0.digest.memoryAccounting }
        if kinds.count == 1, kinds[0].value == "gpu" {
            return ["peak mem is that of the process on the host; the model is in the memory of a GPU"]
        }
        guard kinds.count > 1 else { return [] }
        let named = kinds.map { place.line($0) + naming($1, place) }.joined(separator: "; ")
        return ["peak mem is not counted alike and not to be ranked: " + named]
    }

    /// The measured runs counted by how they ended, and each that does not count by name.
    func endings(_ place: Place) -> [String] {
        let marked = runs.filter { $0.digest.mark != nil }
        guard !marked.isEmpty else { return [] }
        var order: [String] = []
        var counts: [String: Int] = [:]
        for run in runs {
            let kind = run.digest.mark ?? "completed"
            if counts[kind] == nil { order.append(kind) }
            counts[kind, default: 0] += run.runs.count
        }
        let all = counts.values.reduce(0, +)
        let told = order.map { "\(counts[$0, default: 0]) \($0)" }.joined(separator: ", ")
        let details = marked.prefix(Self.mostNamed).map { run in
            let why = run.digest.ending.map { " (\(place.line($0)))" } ?? ""
            return "run \(place.line(run.name)) \(run.digest.mark ?? "completed")" + asked(of: run, place)
                + why
        }
        let left = marked.count - details.count
        return ["\(all) run\(all == 1 ? "" : "s"): " + told] + details
            + (left > 0 ? ["and \(left) more that do not count: their rows say how they ended"] : [])
    }

    /// " with --threads 64": what a run that has not come to its end was asked for. The columns show what its engine
    /// reported, which is nothing where it never loaded.
    private func asked(of run: Run, _ place: Place) -> String {
        guard run.digest.outcome.status != .completed else { return "" }
        let all = runs.map(\.digest)
        var options = EngineParameter.all.compactMap { $0.asked(of: run.digest, among: all) }
        if Set(all.map(\.protocol.contextTokens)).count > 1 {
            options.append("--ctx-size \(run.digest.protocol.contextTokens)")
        }
        return options.isEmpty ? "" : " with " + place.line(options.joined(separator: " "))
    }

    private static let mostNamed = 50

    /// " (run a1b2c3)", " (5 of 9 runs)", or nothing where all are meant.
    private func naming(_ some: [Run], _ place: Place) -> String {
        Footnotes.naming(some.map(\.name), of: runs.count, noun: noun, place.line)
    }

    /// The rows' runs by a value, in order of appearance; runs without one are left out.
    private func groups(by value: (Run) -> String?) -> [(value: String, runs: [Run])] {
        var order: [String] = []
        var members: [String: [Run]] = [:]
        for run in runs {
            guard let key = value(run) else { continue }
            if members[key] == nil { order.append(key) }
            members[key, default: []].append(run)
        }
        return order.map { ($0, members[$0, default: []]) }
    }
}
