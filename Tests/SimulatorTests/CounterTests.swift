import Testing

/// What counters show, against the truth just before and just after each read.
@Suite(.enabled(if: Machine.isHere, Machine.missing))
struct CounterTests {
    private static func read(_ file: String, times: Int, pause: String = "0.005") -> String {
        "for i in $(seq \(times)); do cat $T \(file) $T; sleep \(pause); done"
    }

    @Test func zoneCountsWhatItsDomainConsumes() throws {
        let ended = try Machine.run(
            "domain p 85.3\nzone intel-rapl:0 package-0 p\nwave p 85.3:3ms 12.7:5ms 140:1ms",
            Self.read("$P/intel-rapl:0/energy_uj", times: 12))
        let readings = try Reading.all(ended)
        #expect(readings.count == 12)
        for reading in readings {
            let least = ended.log.counter("p", at: reading.before.timeNs)
            let most = ended.log.counter("p", at: reading.after.timeNs)
            #expect((least...most).contains(reading.value))
        }
    }

    @Test func valueIsCutToUnitAndPeriod() throws {
        let ended = try Machine.run(
            "domain p 1000\ncounter class/powercap/x p unit=500000.5 period=4ms range=0 start=1000001",
            Self.read("$P/x", times: 8, pause: "0.003"))
        // 4 J an update in steps of 0.5000005 J: 7 of them, then 15 with the two that it starts with.
        let unit: Int128 = 500_000_500_000_000
        for reading in try Reading.all(ended) {
            let possible = (reading.before.timeNs...reading.after.timeNs).clamped(
                to: ended.log.start...Int64.max)
            let ticks =
                (possible.lowerBound - ended.log.start) / 4_000_000...(possible.upperBound - ended.log.start)
                / 4_000_000
            let shown = ticks.map { (Int128($0) * 4_000_000_000_000_000 / unit + 2) * unit / 1_000_000_000 }
            #expect(shown.contains(Int128(reading.value)))
        }
    }

    @Test func fromNearTheEndToNearTheBeginningIsTheJump() throws {
        let ended = try Machine.run(
            "domain p 0\nzone intel-rapl:0 package-0 p start=262143323850",
            "cat $P/intel-rapl:0/energy_uj; echo jump class/powercap/intel-rapl:0/energy_uj 0.008 >$C\n"
                + "cat $P/intel-rapl:0/energy_uj $P/intel-rapl:0/max_energy_range_uj")
        let values = ended.lines.compactMap { Int64($0) }
        try #require(values.count == 3)
        let range = values[2]
        #expect(range == 262_143_328_850)
        #expect(range - values[0] >= 5000 && range - values[0] < 5062)
        // R - a + b is the truth, less what two values are cut by.
        #expect(values[1] < 3062 && abs(range - values[0] + values[1] - 8000) <= 62)
    }

    @Test func wrapsAreModuloTheStepsOfTheRange() throws {
        let range: Int128 = 700_000
        let unit: Int128 = 61_035_156_250
        let ended = try Machine.run(
            "domain p 0\nzone intel-rapl:0 package-0 p range=\(range)",
            "for w in 85 1000 333.333333; do echo power p $w >$C; sleep 0.02; echo power p 0 >$C; sleep 0.002\n"
                + "cat $T $P/intel-rapl:0/energy_uj $T; done")
        let readings = try Reading.all(ended)
        #expect(readings.count == 3)
        let states = range * 1_000_000_000 / unit + 1
        for reading in readings {
            let steps = ended.log.energy("p", at: reading.before.timeNs) / unit
            #expect(Int128(reading.value) == steps % states * unit / 1_000_000_000)
            #expect((0...range).contains(Int128(reading.value)) && steps > states)
        }
    }

    @Test func jitterMovesUpdatesBySeed() throws {
        // So much power that the value tells the nanosecond of the update: 1 MW is 1,000 uJ a nanosecond. One
        // fault freezes all three at one moment.
        let keys = "period=10ms jitter=1ms unit=1 range=0"
        let ended = try Machine.run(
            "domain p 1000000\ncounter a p \(keys) seed=7\ncounter b p \(keys) seed=7\ncounter c p \(keys) seed=8"
                .replacing("counter ", with: "counter class/powercap/"),
            "for i in $(seq 12); do sleep 0.012; echo 'fault class/powercap/* frozen' >$C; cat $P/a $P/b $P/c; done"
        )
        let values = ended.lines.compactMap { Int64($0) }.map { $0 / 1000 }
        #expect(values.count == 36)
        var moved: Set<Int64> = []
        for start in stride(from: 0, to: values.count - 2, by: 3) {
            #expect(values[start] == values[start + 1])
            #expect(values[start] != values[start + 2])
            for sensor in [0, 2] {
                // By up to 1 ms, and the first one, from which all is counted, by up to 1 ms too.
                let offset = (values[start + sensor] + 5_000_000) % 10_000_000 - 5_000_000
                #expect(abs(offset) <= 2_000_000)
                moved.insert(offset)
            }
        }
        #expect(moved.count > 15)
    }

    @Test func lagShowsTheEnergyOfThen() throws {
        let ended = try Machine.run(
            "domain p 10\ncounter class/powercap/x p unit=1 range=0 lag=3600s\n",
            "echo power p 1000 >$C; sleep 0.02; cat $T $P/x $T")
        let readings = try Reading.all(ended)
        for reading in readings {
            // An hour ago, and for all of the hour before, the power was 10 W.
            let times = (reading.before.timeNs...reading.after.timeNs)
            let least = (times.lowerBound - ended.log.start) / 1_000_000 * 10_000
            let most = (times.upperBound - ended.log.start) / 1_000_000 * 10_000
            #expect((least...most).contains(reading.value))
        }
        #expect(readings.count == 1)
    }

    @Test func dutyTakesTheFirstPartForAll() throws {
        // 100 W in the observed quarter, nothing in the rest: counted as if it were 100 W all the time.
        let ended = try Machine.run(
            "domain p 100\ncounter class/powercap/x p unit=1 range=0 period=8ms duty=0.25\nwave p 100:2ms 0:6ms",
            Self.read("$P/x", times: 10))
        for reading in try Reading.all(ended) {
            #expect(reading.value % 800_000 == 0)
            let updates = reading.value / 800_000
            #expect(updates >= (reading.before.timeNs - ended.log.start) / 8_000_000)
            #expect(updates <= (reading.after.timeNs - ended.log.start) / 8_000_000)
        }
    }

    @Test func scaleMayBeSmallOrNegative() throws {
        let ended = try Machine.run(
            "domain p 0\ncounter class/powercap/mj p unit=1000 scale=0.001 range=0 start=5\n"
                + "counter class/powercap/left p unit=3600000 scale=-0.000277778 range=0 start=50000000",
            "cat $P/mj $P/left; echo jump class/powercap/mj 1.5 >$C; echo jump class/powercap/left 7.2 >$C\n"
                + "cat $P/mj $P/left")
        #expect(ended.lines.first == "5" && ended.lines.dropFirst(2).first == "1505")
        let left = [1, 3].compactMap { ended.lines.indices.contains($0) ? Int64(ended.lines[$0]) : nil }
        try #require(left.count == 2)
        #expect(abs(left[0] - 50_000_000) <= 1000 && left[0] - left[1] == 2000)
    }

    @Test func resetAndJumpChangeTheCounterAndNotTheTruth() throws {
        let file = "class/powercap/intel-rapl:0/energy_uj"
        let ended = try Machine.run(
            "domain p 0\nzone intel-rapl:0 package-0 p start=900000000 unit=1",
            "cat /sys/\(file); echo jump \(file) -500.5 >$C; cat /sys/\(file); echo reset \(file) 77 >$C\n"
                + "cat /sys/\(file); echo reset \(file) >$C; cat /sys/\(file)\n"
                + "echo jump \(file) -1 2>/dev/null >$C || cat $SUSTAIN_SIMULATOR/error; cat /sys/\(file) $T")
        #expect(ended.lines.prefix(4) == ["900000000", "399500000", "77", "0"])
        #expect(
            ended.lines.dropFirst(4).prefix(2) == [
                "the counter would go below 0; give it a higher start", "0",
            ])
        #expect(ended.lines.last?.contains("\"p\":{\"nj\":0,\"fj\":0,\"uw\":0}") == true)
        #expect(ended.log.events("jump").count == 1 && ended.log.events("reset").count == 2)
    }
}
