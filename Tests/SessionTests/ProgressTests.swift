import Analysis
import Testing

@testable import Session

@Suite struct ProgressTests {
    @Test func aLineHoldsWhatIsKnownAndNothingElse() {
        var state = ProgressState()
        state.step = "idle_before"
        state.elapsed = Seconds(3.9)
        state.length = Seconds(15)
        #expect(ProgressDisplay.line(state) == "idle_before  3/15 s")
        state.step = "sustained"
        state.tokensPerSecond = 129.34
        state.watts = Watts(91.26)
        state.joulesPerToken = 0.7056
        state.temperature = 71.04
        state.kept = 0.983
        #expect(
            ProgressDisplay.line(state)
                == "sustained  3/15 s  129.3 tok/s  91.3 W  0.706 J/token  71.0 C  kept 98 %")
    }

    @Test func numbersThatAreNoneAreADash() {
        var state = ProgressState()
        state.step = "sustained"
        state.tokensPerSecond = .infinity
        #expect(ProgressDisplay.line(state) == "sustained  0 s  - tok/s")
    }

    @Test func liveWattsFollowTheCounterThroughAWrap() {
        var source = SourceLine(
            index: 0, id: "rapl:package-0", kind: .counter, quantity: .energy, scale: 1e-6,
            scope: SourceLine.Scope(domain: "package", device: "package-0"), interface: "powercap:intel-rapl",
            intervalNanoseconds: 100_000_000)
        source.range = 1_000_000_000
        var energy = LiveEnergy()
        energy.add([source])
        for tick in 0..<20 {
            let raw = (990_000_000 + Int64(tick) * 5_000_000) % 1_000_000_000
            energy.add(
                SampleLine(
                    time: Instant(nanoseconds: UInt64(tick) * 100_000_000), sources: [0], deltas: [1000],
                    values: [raw]))
        }
        #expect(abs((energy.watts?.value ?? 0) - 50) < 0.01)
    }

    /// A source of 1 uJ a step and samples of it at 10 Hz, by the power in each of them.
    private func energy(watts: [Double]) -> LiveEnergy {
        let source = SourceLine(
            index: 0, id: "rapl:package-0", kind: .counter, quantity: .energy, scale: 1e-6,
            scope: SourceLine.Scope(domain: "package", device: "package-0"),
            interface: "powercap:intel-rapl", intervalNanoseconds: 100_000_000)
        var energy = LiveEnergy()
        energy.add([source])
        var raw = 0.0
        for (tick, power) in watts.enumerated() {
            raw += power * 0.1 * 1e6
            energy.add(
                SampleLine(
                    time: Instant(nanoseconds: UInt64(tick) * 100_000_000), sources: [0], deltas: [1000],
                    values: [Int64(raw)]))
        }
        return energy
    }

    /// A GPU's counter moves ten times a second and is read a hundred times: the step that a window cuts is no
    /// change of power.
    @Test func aSlowCounterIsFlatToo() throws {
        var source = SourceLine(
            index: 0, id: "nvml:0", kind: .counter, quantity: .energy, scale: 1e-3,
            scope: SourceLine.Scope(domain: "gpu-board", device: "0000:1a:00.0"),
            interface: "nvml:total-energy",
            intervalNanoseconds: 10_000_000)
        source.pci = "0000:1a:00.0"
        var energy = LiveEnergy()
        energy.add([source])
        for tick in 0..<600 {
            energy.add(
                SampleLine(
                    time: Instant(nanoseconds: UInt64(tick) * 10_000_000 + 37_000_000), sources: [0],
                    deltas: [1000], values: [Int64(tick / 10) * 40_000]))
            if tick >= 480 { #expect(energy.isFlat == true, "tick \(tick)") }
            if tick >= 480 { #expect(abs((energy.watts?.value ?? 0) - 400) < 1, "tick \(tick)") }
        }
    }

    @Test func liveWattsOfAGauge() {
        let source = SourceLine(
            index: 3, id: "nvml:0/power-instant", kind: .gauge, quantity: .power, scale: 1e-3,
            scope: SourceLine.Scope(domain: "gpu-board", device: "0000:1a:00.0"),
            interface: "nvml:power-instant", intervalNanoseconds: 20_000_000)
        var energy = LiveEnergy()
        energy.add([source])
        for tick in 0..<250 {
            energy.add(
                SampleLine(
                    time: Instant(nanoseconds: UInt64(tick) * 20_000_000), sources: [3], deltas: [1000],
                    values: [250_000]))
        }
        #expect(abs((energy.watts?.value ?? 0) - 250) < 0.01)
        #expect(energy.isFlat == true)
    }

    private func second(_ seconds: Double) -> Instant { Instant(nanoseconds: UInt64(seconds * 1e9)) }

    /// A meter that ended, a counter that is dead: nobody waits for them to settle.
    @Test func aSourceThatIsGoneIsStill() {
        var energy = energy(watts: Array(repeating: 50, count: 60) + Array(repeating: 0, count: 300))
        energy.forget()
        #expect(!energy.isStill(since: second(6), now: second(10)))
        #expect(energy.isStill(since: second(6), now: second(12)))
        // One that still moves is waited for.
        let moving = self.energy(watts: Array(repeating: 50, count: 360))
        #expect(!moving.isStill(since: second(6), now: second(36)))
        #expect(LiveEnergy().isStill(since: second(0), now: second(0)))
        // A slow one is not given up between two of its renewals.
        let slow = self.energy(
            watts: (0..<360).map { $0 % 40 == 0 ? 2000 : 0 } + Array(repeating: 0, count: 60))
        #expect(!slow.isStill(since: second(30), now: second(45)))
        #expect(slow.isStill(since: second(30), now: second(57)))
    }

    @Test func powerIsFlatOnceTwoStretchesAgree() {
        #expect(energy(watts: Array(repeating: 50, count: 20)).isFlat == nil)
        #expect(energy(watts: Array(repeating: 50, count: 60)).isFlat == true)
        #expect(energy(watts: (0..<60).map { 120 - Double($0) }).isFlat == false)
        var forgotten = energy(watts: Array(repeating: 50, count: 60))
        forgotten.forget()
        #expect(forgotten.isFlat == nil)
    }
}
