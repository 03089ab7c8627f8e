import Testing

/// The truth and the log against an integral of their own, in exact integers.
@Suite(.enabled(if: Machine.isHere, Machine.missing))
struct TruthTests {
    private static let scenario = """
        domain a 85.123456
        domain b 6
        domain w 20
        sum ab a b
        sum all ab w
        define high power a 140.5 b 9.000001
        wave w 20:7ms 140:1ms 90:3ms
        at 30ms power b 7
        """

    @Test func truthIsTheIntegralOfTheLog() throws {
        let ended = try Machine.run(
            Self.scenario,
            "cat $T; echo phase high >$C; cat $T; sleep 0.05; echo power a 0 b 1 >$C; cat $T; cat $T")
        #expect(ended.status == 0 && ended.errors == "")
        let truths = try ended.lines.map { try Truth($0) }
        #expect(truths.count == 4)
        for truth in truths {
            #expect(Set(truth.domains.keys) == ["a", "b", "w", "ab", "all"])
            for (name, energy) in truth.domains {
                #expect(energy.femtojoules == ended.log.energy(name, at: truth.timeNs), "\(name)")
                #expect(energy.uw == ended.log.power(name, at: truth.timeNs), "\(name)")
                #expect((0..<1_000_000).contains(energy.fj))
            }
            let energies = truth.domains.mapValues(\.femtojoules)
            #expect(energies["all"] == ["a", "b", "w"].reduce(0) { $0 + (energies[$1] ?? 0) })
        }
        #expect(zip(truths, truths.dropFirst()).allSatisfy { $0.timeNs < $1.timeNs })
        #expect(truths.map { $0.domains["a"]?.uw } == [85_123_456, 140_500_000, 0, 0])
    }

    @Test func everyLineOfTheLogHoldsTheEnergyUpToIt() throws {
        let log = try Machine.run(Self.scenario, "sleep 0.05; echo power a 1 >$C").log
        var checked = 0
        for line in log.lines {
            guard let domain = line.domain, let nj = line.nanojoules, let fj = line.femtojoules else {
                continue
            }
            #expect(Int128(nj) * 1_000_000 + Int128(fj) == log.energy(domain, at: line.timeNs))
            checked += 1
        }
        #expect(checked > 20)
    }

    @Test func planHappensAtItsExactMoments() throws {
        let ended = try Machine.run(Self.scenario, "sleep 0.04; cat $T")
        let steps = ended.log.changes("w").map { ($0.timeNs - ended.log.start, $0.microwatts) }
        // The power before the wave, then one line a step.
        let expected: [(Int64, Int64)] = [
            (0, 20_000_000), (0, 20_000_000), (7_000_000, 140_000_000), (8_000_000, 90_000_000),
            (11_000_000, 20_000_000), (18_000_000, 140_000_000),
        ]
        #expect(steps.count > expected.count)
        for (step, wanted) in zip(steps, expected) { #expect(step == wanted) }
        #expect(ended.log.changes("b").map(\.microwatts) == [6_000_000, 7_000_000])
        #expect(ended.log.changes("b").last?.timeNs == ended.log.start + 30_000_000)
    }

    @Test func fileAndSimulatorsOwnLogAreOne() throws {
        let ended = try Machine.run(Self.scenario, "echo phase high >$C; cat $SUSTAIN_SIMULATOR/log")
        let own = try MachineLog(ended.output)
        #expect(own.events("phase").map(\.line) == ["phase high"])
        #expect(own.events("end").isEmpty)
        let written = ended.log.lines
        #expect(zip(own.lines, written).allSatisfy { $0.timeNs == $1.timeNs && $0.domain == $1.domain })
        #expect(written.last?.event == "end" && written.last?.line == "status 0")
        #expect(written.count > own.lines.count)
    }

    @Test func valuesOfOneActionChangeTogether() throws {
        let ended = try Machine.run(
            "domain a 85.123456\ndomain b 6\nsum ab a b\ndefine high power a 140.5 b 9.000001",
            "echo phase high >$C")
        let times = Set(
            ended.log.lines.filter { $0.microwatts == 140_500_000 || $0.microwatts == 9_000_001 }
                .map(\.timeNs))
        #expect(times.count == 1)
        #expect(ended.log.changes("ab").map(\.microwatts) == [91_123_456, 149_500_001])
    }
}
