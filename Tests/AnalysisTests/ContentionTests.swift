import SyntheticTraces
import Testing

@testable import Analysis

/// Slow because of a neighbour, and slow because of heat.
@Suite struct ContentionTests {
    /// 20 % slower from 300 s on.
    private static var stepped: Trace {
        var run = ReplayedRun()
        run.noise = 0
        run.shape = { $0 < 300 ? 1 : 0.8 }
        return run.trace
    }

    /// Busy time of two cores of the engine and of a neighbour that comes at 300 s with 0.5 cores.
    private static func withNeighbour(_ trace: inout Trace, cores: Double) {
        trace.read("process:cpu", .counter, .time, scale: 0.01) { Int64($0 * 200) }
        trace.read("cpu:busy", .counter, .time, scale: 0.01) { time in
            Int64((time * 200 + max(0, time - 300) * cores * 100).rounded())
        }
    }

    @Test func aNeighbourIsNotThrottling() throws {
        var trace = Self.stepped
        Self.withNeighbour(&trace, cores: 0.5)
        let record = Analyze.record(from: trace)
        let cause = try #require(record.metrics.droopCause?.value)
        #expect(cause.kind == .contention)
        #expect(cause.evidence == ["other programs used 0.5 cores, 0.0 before"])
        #expect(record.warnings.contains { $0.hasSuffix("what it lost to them is not throttling") })
        expect(record.metrics.retained, near: 0.8, within: 0.01)
    }

    @Test func stealAndForeignProcessesAreNeighbours() throws {
        var trace = Self.stepped
        trace.read("cpu:steal", .counter, .time, scale: 0.01) { Int64(max(0, $0 - 300) * 30) }
        trace.read("foreign_gpu_processes:nvml:0", .gauge, .count) { $0 < 310 ? 0 : 2 }
        let cause = try #require(Analyze.record(from: trace).metrics.droopCause?.value)
        #expect(cause.kind == .contention)
        #expect(cause.evidence.count == 2, "\(cause.evidence)")
    }

    @Test func countsClocksAndReasonsAreThrottling() throws {
        for index in 0..<3 {
            var trace = Self.stepped
            switch index {
            case 0: trace.read("throttle:package-0", .counter, .count) { Int64(max(0, $0 - 300) / 10) }
            case 1:
                trace.read("cpufreq:policy0", .gauge, .frequency, scale: 1e3) {
                    $0 < 300 ? 3_200_000 : 2_400_000
                }
            default: trace.read("nvml:0/throttle-reasons", .gauge, .state) { $0 < 300 ? 1 : 0x20 }
            }
            let cause = try #require(Analyze.record(from: trace).metrics.droopCause?.value)
            #expect(cause.kind == .throttling, "\(index)")
            #expect(cause.evidence.count == 1, "\(cause.evidence)")
        }
        var both = Self.stepped
        Self.withNeighbour(&both, cores: 1)
        both.read("throttle:cpu3", .counter, .count) { Int64(max(0, $0 - 300)) }
        #expect(Analyze.record(from: both).metrics.droopCause?.value?.kind == .both)
    }

    @Test func withoutWitnessesTheCauseIsUnknown() throws {
        var trace = Self.stepped
        #expect(
            Analyze.record(from: trace).metrics.droopCause?.value == DroopCause(kind: .unknown, evidence: []))
        trace.read("hwmon:cpu/temp1", .gauge, .temperature, scale: 1e-3) { $0 < 300 ? 50_000 : 80_000 }
        let cause = try #require(Analyze.record(from: trace).metrics.droopCause?.value)
        #expect(cause.kind == .unknown)
        #expect(cause.evidence.first?.hasPrefix("hwmon:cpu/temp1 at 80.0 degrees, 50.") == true)
    }

    @Test func everyWindowHasItsContention() throws {
        var run = SyntheticRun()
        run.seconds = 60
        var trace = try Trace.parse(try run.bytes, name: "t")
        #expect(
            Analyze.record(from: trace).windows.allSatisfy {
                $0.contention == .unavailable("no source tells of other programs")
            })
        trace.read("cpu:busy", .counter, .time, scale: 0.01) { Int64($0 * 150) }
        trace.read("process:cpu", .counter, .time, scale: 0.01) { Int64($0 * 100) }
        trace.read("process:involuntary_switches", .counter, .count) { Int64($0 * 7) }
        trace.overhead = OverheadLine(
            samplerCPUNanoseconds: 0, processCPUNanoseconds: 100, wallNanoseconds: 1_000, ticks: 1,
            missedDeadlines: 0, worstJitterNanoseconds: 0, lostTicks: 0, peakRSSBytes: nil)
        let record = Analyze.record(from: trace)
        for window in record.windows where window.begin >= 1 && window.end <= 100 {
            let found = try #require(window.contention?.value, "\(window)")
            // 1.5 cores busy, 1 the engine's, 0.1 sustain's own.
            #expect(abs((found.otherCores ?? 0) - 0.4) < 0.002, "\(window)")
            #expect(abs((found.involuntarySwitches ?? 0) - 7) < 0.02, "\(window)")
            #expect(found.stealCores == nil && found.foreignGPUProcesses == nil)
        }
        #expect(record.metrics.perMinute.allSatisfy { $0.contention?.value?.otherCores == 0.4 })
    }

    @Test func theDriverIsAskedOnce() throws {
        var trace = Self.stepped
        let time = trace.header.start + Nanoseconds(Seconds(100))
        let devices = [
            GPUProcessesLine.Device(device: "gpu-0", pids: .known([42, 7, 8])),
            GPUProcessesLine.Device(device: "gpu-1", pids: .unavailable("no permission")),
        ]
        trace.gpuProcesses = GPUProcessesLine(
            time: time, devices: devices, enginePids: [42], pidsAreVisible: true)
        let windows = Analyze.record(from: trace).windows
        for window in windows {
            let expected = window.begin <= 100 && 100 <= window.end ? 2 : nil
            #expect(window.contention?.value?.foreignGPUProcesses == expected, "\(window)")
        }
        trace.gpuProcesses?.pidsAreVisible = false
        #expect(Analyze.record(from: trace).windows.allSatisfy { $0.contention?.value == nil })
    }

    /// Without the engine's own time it cannot be told from its neighbours.
    @Test func theEngineIsNoNeighbourOfItself() throws {
        var trace = Self.stepped
        trace.read("cpu:busy", .counter, .time, scale: 0.01) { Int64($0 * 200) }
        let window = try #require(Analyze.record(from: trace).windows.first)
        #expect(window.contention?.reason == "no source tells of other programs")
    }
}
