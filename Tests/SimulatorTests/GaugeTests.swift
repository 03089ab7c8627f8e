import Foundation
import Testing

/// What gauges show, against the truth just before and just after each read.
@Suite(.enabled(if: Machine.isHere, Machine.missing))
struct GaugeTests {
    private static let script = "echo power p 30 >$C; sleep 0.02; cat $T $P/x $T; sleep 0.03; cat $T $P/x $T"

    private func readings(_ keys: String) throws -> (Machine.Ended, [Reading]) {
        let ended = try Machine.run("domain p 10\ngauge class/powercap/x p \(keys)", Self.script)
        let readings = try Reading.all(ended)
        try #require(readings.count == 2)
        return (ended, readings)
    }

    @Test func plainGaugeShowsThePowerOfNow() throws {
        #expect(try readings("").1.map(\.value) == [30_000_000, 30_000_000])
        #expect(try readings("scale=-0.5").1.map(\.value) == [-15_000_000, -15_000_000])
    }

    @Test func lagAndPeriodShowThePowerOfThen() throws {
        #expect(try readings("lag=3600s").1.map(\.value) == [10_000_000, 10_000_000])
        #expect(try readings("period=3600s").1.map(\.value) == [10_000_000, 10_000_000])
    }

    @Test func averageIsTheMeanOfItsTime() throws {
        let (ended, readings) = try readings("average=100ms")
        for reading in readings {
            let bounds = [reading.before, reading.after].map {
                (ended.log.energy("p", at: $0.timeNs) - ended.log.energy("p", at: $0.timeNs - 100_000_000))
                    / 100_000_000
            }
            #expect((bounds[0]...bounds[1]).contains(Int128(reading.value)))
            #expect(reading.value > 10_000_000)
        }
    }

    @Test func dutyIsTheMeanOfTheLastPart() throws {
        // The last quarter of each 40 ms is at 50 W; a machine that stands still changes nothing.
        let ended = try Machine.run(
            "domain p 0\ngauge class/powercap/x p period=40ms duty=0.25\nwave p 0:30ms 50:10ms",
            "sleep 0.05; for i in $(seq 8); do cat $P/x; sleep 0.007; done")
        #expect(ended.lines.count == 8 && Set(ended.lines) == ["50000000"])
    }

    @Test func filterAnswersAStepExponentially() throws {
        let (ended, readings) = try readings("tau=80ms")
        let step = try #require(ended.log.changes("p").last?.timeNs)
        for reading in readings {
            let bounds = [reading.before, reading.after].map {
                30e6 - 20e6 * exp(-Double($0.timeNs - step) / 80e6)
            }
            #expect(Double(reading.value) >= bounds[0] - 2 && Double(reading.value) <= bounds[1] + 2)
            #expect(reading.value > 10_000_000 && reading.value <= 30_000_000)
        }
    }

    @Test func filteredCounterHoldsBackWhatTheFilterHolds() throws {
        let ended = try Machine.run(
            "domain p 10\ncounter class/powercap/x p tau=80ms unit=1 range=0 period=0", Self.script)
        let step = try #require(ended.log.changes("p").last?.timeNs)
        for reading in try Reading.all(ended) {
            // Microjoules: the energy, less 80 ms of the part of the step that is not answered yet ... of 20 W.
            let bounds = [reading.before, reading.after].map { truth in
                Double(ended.log.energy("p", at: truth.timeNs)) / 1e9
                    - 0.08 * 20e6 * (1 - exp(-Double(truth.timeNs - step) / 80e6))
            }
            #expect(Double(reading.value) >= bounds[0] - 2 && Double(reading.value) <= bounds[1] + 2)
        }
    }
}
