import Analysis

/// Records of `sustain measure` for tables and the schema.
struct MeasureRecordBuilder {
    var command = ["sleep", "10"]
    var joules: [Double] = [850.11, 849.9, 850.3]
    var seconds = 10.002
    var exitCode = 0
    var hasEnergy = true

    private func figure(_ value: Double, _ half: Double, _ method: String) -> Figure {
        Figure(value, .bounds(low: value - half, high: value + half), method: method)
    }

    private func source(
        _ id: String, _ domain: String, _ status: SourceLine.Status, reason: String? = nil, joules: Figure,
        watts: Figure
    ) -> SourceReading {
        var summary = SourceSummary(
            id: id, kind: .known(.counter),
            scope: .known(SourceLine.Scope(domain: domain, device: "package-0")), status: status,
            reason: reason, updatePeriodSeconds: .once(0.001, method: "named by the source"))
        if status == .dead {
            summary.resets = 1
            summary.voidIntervals = [.init(begin: 1, end: 2, reason: "the counter stood still")]
        }
        return SourceReading(summary, joules: joules, watts: watts)
    }

    private var sources: [SourceReading] {
        let forbidden = SourceReading(
            notOpened: CapabilitiesLine.Row(
                id: "rapl:package-1", status: .noPermission,
                reason: "energy_uj: Permission denied (errno 13)",
                remedy: "sudo chmod a+r energy_uj"))
        guard hasEnergy else { return [forbidden] }
        let mean = joules.reduce(0, +) / Double(joules.count)
        return [
            source(
                "rapl:package-0", "package", .ok, joules: figure(mean, 0.2, "counter at edges"),
                watts: figure(mean / seconds, 0.02, "counter at edges")),
            source(
                "rapl:package-0/core", "core", .ok, joules: figure(mean / 2, 0.2, "counter at edges"),
                watts: figure(mean / 2 / seconds, 0.02, "counter at edges")),
            source(
                "rapl:package-0/dram", "dram", .dead, reason: "never moved in 300 reads",
                joules: .unavailable("dead: never moved in 300 reads"),
                watts: .unavailable("dead: never moved in 300 reads")),
            forbidden,
        ]
    }

    func build() -> MeasureRecord {
        let mean = joules.reduce(0, +) / Double(joules.count)
        let why = Figure.unavailable("no energy source: rapl:package-1: no permission")
        let scopes =
            hasEnergy
            ? Total(
                includes: ["rapl:package-0"],
                excludes: [
                    .init(id: "rapl:package-0/core", reason: "inside the package"),
                    .init(id: "rapl:package-0/dram", reason: "dead: never moved in 300 reads"),
                ], scope: "package only")
            : Total(includes: [], excludes: [], unavailable: why.reason)
        let gross = MeasureRecord.Energy(
            joules: figure(mean, 0.3, "counter at edges; t interval over 3 runs in quadrature"),
            watts: figure(mean / seconds, 0.03, "counter at edges"))
        let net = MeasureRecord.Energy(
            joules: figure(mean - 20 * seconds, 2.1, "counter at edges, less idle before and after"),
            watts: figure(mean / seconds - 20, 0.21, "counter at edges, less idle before and after"))
        let none = MeasureRecord.Energy(joules: why, watts: why)
        return MeasureRecord(
            label: "golden", started: "2026-11-30T00:56:00.123Z",
            tool: ToolBuild(
                version: "0.1.0", commit: "abc1234", buildType: "release", compiler: "clang 17.0.0"),
            command: command, repetitions: joules.count, seconds: seconds,
            elapsedSeconds: joules.count > 2
                ? figure(seconds, 0.0005, "mean of the runs") : .once(seconds, method: "one run"),
            userSeconds: 0.001, systemSeconds: 0.002, exitCode: exitCode, provisional: joules.count < 3,
            runs: joules.map {
                MeasureRecord.Run(
                    seconds: seconds, exitCode: exitCode,
                    joules: hasEnergy ? figure($0, 0.2, "counter at edges") : why)
            },
            total: MeasureRecord.WholeEnergy(
                scopes: scopes, gross: hasEnergy ? gross : none, net: hasEnergy ? net : none),
            idle: MeasureRecord.Idle(
                watts: hasEnergy ? figure(20, 0.2, "idle before and after") : why,
                beforeSeconds: .known(15), afterSeconds: hasEnergy ? .known(15) : .unavailable("interrupted")),
            sources: sources,
            overhead: .known(
                OverheadSummary(
                    samplerCoreShare: 0.001, processCoreShare: 0.002, ticks: 400, missedDeadlines: 0,
                    lostTicks: 0, worstJitterSeconds: 0.0001, peakRSSBytes: .known(12_000_000))),
            warnings: hasEnergy ? [] : ["1 of 3 runs failed"])
    }
}
