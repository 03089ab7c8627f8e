import Testing

@testable import Analysis

@Suite struct MemoryPressureTests {
    private static let mebibyte = 1_048_576.0

    @Test(
        arguments: [
            (5000, .nominal), (1024, .nominal), (1023.9, .elevated), (512, .elevated), (511.9, .high),
            (256, .high), (255.9, .critical), (0, .critical),
        ] as [(Double, MemoryPressure.Level)])
    func headroom(mebibytes: Double, level: MemoryPressure.Level) {
        #expect(MemoryPressure.Level(headroom: mebibytes * Self.mebibyte) == level)
    }

    @Test(
        arguments: [
            (0, .nominal), (0.7, .nominal), (0.71, .elevated), (0.88, .elevated), (0.89, .high),
            (0.98, .high),
            (0.99, .critical), (3, .critical),
        ] as [(Double, MemoryPressure.Level)])
    func use(share: Double, level: MemoryPressure.Level) {
        #expect(MemoryPressure.Level(use: share) == level)
    }

    private func trace() -> Trace { Trace(header: SyntheticRun().header) }

    private func point(_ point: MemoryLine.Point, _ mebibytes: [String: UInt64]) -> MemoryLine {
        MemoryLine(point: point, time: SyntheticRun.moment(1), bytes: mebibytes.mapValues { $0 << 20 })
    }

    private func source(_ index: Int, _ id: String, scale: Double = 1024) -> SourceLine {
        SourceLine(
            index: index, id: id, kind: .gauge, quantity: .memory, scale: scale,
            scope: .init(domain: "system", device: "system"), interface: "procfs",
            intervalNanoseconds: 1_000_000_000)
    }

    private func fit(limit mebibytes: UInt64) -> FitReport {
        var report = FitReport(
            status: .fits, reason: "", parameters: FitParameters(contextTokens: 8))
        report.limit = MemoryLimit(
            .live, availableBytes: (mebibytes << 20) + MemoryLimit.reserve, source: "MemAvailable")
        return report
    }

    @Test func withoutAnyReadingItIsUnknown() {
        let pressure = MemoryPressure(trace())
        #expect(pressure.worst.reason == "no memory of the machine was read")
        #expect(pressure.cause == nil)
        #expect(MemorySummary.headroomNow(trace()).reason == "no point says what was available")
    }

    @Test func theWorstOfSamplesAndPoints() {
        var trace = trace()
        trace.sources = [source(0, "memory:available")]
        trace.samples = [
            SampleLine(time: SyntheticRun.moment(1), sources: [0], deltas: [1], values: [8 << 20]),
            SampleLine(time: SyntheticRun.moment(2), sources: [0], deltas: [1], values: [900 << 10]),
        ]
        #expect(
            MemoryPressure(trace) == MemoryPressure(worst: .known(.elevated), cause: "headroom 900.0 MiB"))
        // The control group is nearer to its end than the machine.
        trace.memory = [point(.atEnd, ["available": 8000, "cgroup_left": 300])]
        #expect(MemoryPressure(trace) == MemoryPressure(worst: .known(.high), cause: "headroom 300.0 MiB"))
        trace.memory.append(point(.tightest, ["available": 100, "anonymous": 50]))
        #expect(MemoryPressure(trace).worst == .known(.critical))
    }

    @Test func useOfTheLimit() {
        var trace = trace()
        trace.fit = fit(limit: 1000)
        trace.memory = [point(.atEnd, ["anonymous": 890, "available": 5000])]
        #expect(
            MemoryPressure(trace)
                == MemoryPressure(worst: .known(.high), cause: "89.0 % of the limit of 1000.0 MiB in use"))
        trace.memory = [point(.atEnd, ["anonymous": 100, "available": 5000])]
        #expect(MemoryPressure(trace) == MemoryPressure(worst: .known(.nominal)))
        // A limit that the reserve takes whole is none to hold a use against.
        trace.fit = fit(limit: 0)
        trace.memory = [point(.atEnd, ["anonymous": 100])]
        #expect(MemoryPressure(trace).worst.value == nil)
    }

    /// Of equal levels the temperature is named.
    @Test func temperatureComesFirst() {
        var trace = trace()
        trace.memory = [point(.atEnd, ["available": 900])]
        trace.conditions = [
            ConditionsLine(moment: .before, checks: [Condition("temperature", .fail, seen: "cpu at 97 C")])
        ]
        #expect(MemoryPressure(trace) == MemoryPressure(worst: .known(.elevated), cause: "cpu at 97 C"))
        trace.memory = [point(.atEnd, ["available": 500])]
        #expect(MemoryPressure(trace) == MemoryPressure(worst: .known(.high), cause: "headroom 500.0 MiB"))
        var reasons = source(0, "nvml:0/throttle-reasons", scale: 1)
        reasons.quantity = .state
        trace.sources = [reasons]
        trace.samples = [
            SampleLine(time: SyntheticRun.moment(1), sources: [0], deltas: [1], values: [0x40])
        ]
        #expect(MemoryPressure(trace) == MemoryPressure(worst: .known(.high), cause: "heat slowed nvml:0"))
    }

    @Test func headroomOfTheLastPointWithTheModel() {
        var trace = trace()
        trace.memory = [
            point(.beforeLoad, ["available": 9000]), point(.afterLoad, ["available": 5000]),
            point(.atEnd, ["available": 4000, "cgroup_left": 3000]), point(.afterUnload, ["available": 9000]),
            point(.tightest, ["available": 10]),
        ]
        let headroom = MemorySummary.headroomNow(trace)
        #expect(headroom.number == 3000 * Self.mebibyte)
        guard case .value(_, _, let method) = headroom else {
            Issue.record("no headroom")
            return
        }
        #expect(method.hasSuffix("at_end"))
        trace.memory.removeAll(where: \.isResident)
        #expect(MemorySummary.headroomNow(trace).number == 9000 * Self.mebibyte)
    }

    @Test func anEngineElsewhereHasNeither() {
        var trace = trace()
        trace.memory = [point(.atEnd, ["available": 100])]
        var engine = EngineLine(kind: "x", version: "1")
        engine.location = "remote"
        trace.engine = engine
        #expect(MemoryPressure(trace).worst.reason == "engine runs elsewhere")
        #expect(MemorySummary.headroomNow(trace).reason == "engine runs elsewhere")
    }

    /// The last reading before the point; one that is too old is none.
    @Test func theBoardsAtAPoint() {
        var trace = trace()
        trace.sources = [source(0, "nvml:0/memory-used", scale: 1)]
        trace.samples = [0.2, 0.9, 1.1].enumerated().map { number, seconds in
            SampleLine(
                time: SyntheticRun.moment(seconds), sources: [0], deltas: [1],
                values: [Int64(number + 1) * 100])
        }
        trace.memory = [point(.atEnd, ["rss": 1])]
        #expect(MemorySummary(trace).points["at_end"]?["gpu_used"] == 200)
        trace.memory[0].time = SyntheticRun.moment(3.2)
        #expect(MemorySummary(trace).points["at_end"]?["gpu_used"] == nil)
    }
}
