import Analysis

/// The rows of a report: the medians of each group's runs, and each run that does not count by itself.
enum RunGroups {
    /// In the order of each group's first run. Runs that failed, were refused, interrupted or excluded are rows of
    /// their own: no median is of them.
    static func rows(of runs: [Run]) -> [Run] {
        var places: [GroupKey: Int] = [:]
        var groups: [[Run]] = []
        for run in runs {
            guard run.digest.mark == nil else {
                groups.append([run])
                continue
            }
            let key = GroupKey(run.digest)
            if let place = places[key] {
                groups[place].append(run)
            } else {
                places[key] = groups.count
                groups.append([run])
            }
        }
        return groups.map { $0.count == 1 ? $0[0] : median(of: $0) }
    }

    /// Its digest is that of the first run with the medians in place of the figures.
    static func median(of runs: [Run]) -> Run {
        var digest = runs[0].digest
        var order: [String] = []
        var submitters: [String: [RunDigest]] = [:]
        for run in runs {
            let name = run.digest.submitter
            if submitters[name] == nil { order.append(name) }
            submitters[name, default: []].append(run.digest)
        }
        let parts = order.map { submitters[$0, default: []] }
        func median(_ figure: (RunDigest) -> Figure) -> Figure {
            MedianOfRuns.figure(parts.map { $0.map(figure) })
        }
        for figure in RunFigure.allCases { digest[figure] = median { $0[figure] } }
        for figure in PhaseFigure.allCases {
            digest.prefill[figure] = median { $0.prefill[figure] }
            digest.decode[figure] = median { $0.decode[figure] }
        }
        for phase in [\RunDigest.prefill, \RunDigest.decode] {
            let why = Unavailable("a median of \(runs.count) runs")
            digest[keyPath: phase].seconds = .unavailable(why)
            digest[keyPath: phase].tokens = .unavailable(why)
            digest[keyPath: phase].samples = Samples([])
        }
        digest.label = label(of: runs)
        digest.netDisturbance = runs.lazy.compactMap(\.digest.netDisturbance).first
        digest.course = typical(runs, digest[.sustained].number).digest.course
        return Run(digest, path: "", members: runs)
    }

    private static let mostLabels = 3

    /// The labels of the runs, each once.
    private static func label(of runs: [Run]) -> String? {
        var labels: [String] = []
        for label in runs.compactMap(\.digest.label) where !labels.contains(label) {
            if labels.count == mostLabels { return labels.joined(separator: ", ") + ", …" }
            labels.append(label)
        }
        return labels.isEmpty ? nil : labels.joined(separator: ", ")
    }

    /// The run whose rate is nearest to the median: its course over time stands for the group.
    private static func typical(_ runs: [Run], _ median: Double?) -> Run {
        guard let median else { return runs[0] }
        func distance(_ run: Run) -> Double {
            run.digest[.sustained].number.map { abs($0 - median) } ?? .infinity
        }
        return runs.min { distance($0) < distance($1) } ?? runs[0]
    }
}
