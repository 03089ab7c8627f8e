import Replay
import Testing

@testable import Analysis

/// Whole sessions of a known truth, from their traces to their documents.
@Suite struct SessionTests {
    private func session(
        _ variants: [SimulatedSession.Variant], seed: UInt64 = 1,
        _ change: (inout SimulatedSession.Plan) -> Void = { _ in }
    ) -> (document: SessionDocument, trace: Trace) {
        var plan = SimulatedSession.Plan(variants)
        change(&plan)
        let trace = SimulatedSession(plan, seed: seed).trace
        return (SessionDocument(trace), trace)
    }

    private func effect(
        _ metric: ComparedMetric, _ document: SessionDocument, _ position: Int = 0
    ) throws -> SessionDocument.Effect {
        let found = try #require(document.comparisons[position].effects[metric.rawValue])
        return try #require(found.value, "\(metric.rawValue): \(found.reason ?? "")")
    }

    /// Without noise every ratio is the truth.
    @Test func ratiosAreTheTruth() throws {
        let variants: [SimulatedSession.Variant] = [
            .init("a"), .init("b", energy: 0.95, speed: 1.1, peakRSS: 500 << 20),
        ]
        let (document, _) = session(variants) { $0.noise = 0 }
        for (metric, truth) in [
            (ComparedMetric.decodeRate, 1.1), (.prefillRate, 1.1), (.cycleRate, 1.1), (.decodeEnergy, 0.95),
            (.prefillEnergy, 0.95), (.cycleEnergy, 0.95), (.decodePower, 0.95 * 1.1),
            (.timeToFirstToken, 1 / 1.1), (.peakMemory, 1.25),
        ] {
            let effect = try effect(metric, document)
            #expect(abs((effect.ratio.number ?? 0) / truth - 1) < 0.002, "\(metric.rawValue): \(effect)")
            #expect(effect.verdict == SessionDocument.Effect.different)
        }
        // Idle power of 20 W is taken off both.
        let net = try effect(.decodeNetEnergy, document)
        #expect(abs((net.ratio.number ?? 0) - (90 * 0.95 - 20 / 1.1) / 70) < 0.005, "\(net)")
        #expect(document.comparisons[0].quads == 8 && document.blocks.count == 32)
        #expect(document.variants[0].idleCores.value == 0)
        #expect(abs((document.idleWatts.number ?? 0) - 20) < 0.1)
        #expect(document.exitCode == .done)
    }

    @Test func theSentenceNamesAllThree() throws {
        let variants: [SimulatedSession.Variant] = [.init("a"), .init("b", energy: 0.9, peakRSS: 500 << 20)]
        let (document, _) = session(variants)
        let sentence = document.comparisons[0].sentence
        #expect(sentence.hasPrefix("b against a: "))
        #expect(sentence.contains("% fewer J/token in decode ("))
        #expect(sentence.contains("no detectable difference in tok/s in decode (from "))
        #expect(sentence.contains("25.0 % more peak memory"))
        #expect(sentence.hasSuffix("parity: not checked."))
        #expect(!sentence.contains("confounded"))
        #expect(document.comparisons[0].differsIn == [.quantisation])
    }

    /// A short form of scripts/bench compare: of 20 sessions of one build 18, and of 20 at +3 % 17.
    @Test func replayedSessionsAreToldApart() throws {
        var (quiet, found) = (0, 0)
        for seed in 0..<20 as Range<UInt64> {
            let (same, _) = session([.init("a"), .init("b")], seed: 100 + seed)
            if try effect(.decodeEnergy, same).verdict == SessionDocument.Effect.noDifference { quiet += 1 }
            let (more, _) = session([.init("a"), .init("b", energy: 1.03)], seed: 300 + seed)
            let effect = try effect(.decodeEnergy, more)
            if effect.verdict == SessionDocument.Effect.different, effect.ratio.number ?? 0 > 1 { found += 1 }
        }
        #expect(quiet >= 18, "\(quiet)")
        #expect(found >= 17, "\(found)")
    }

    @Test func severalVariantsAreEachHeldAgainstTheReference() throws {
        let (document, _) = session([.init("a"), .init("b", energy: 1.1), .init("c", speed: 1.2)])
        #expect(document.comparisons.map(\.variant) == ["b", "c"])
        #expect(try effect(.decodeEnergy, document, 0).verdict == SessionDocument.Effect.different)
        #expect(try effect(.decodeEnergy, document, 1).verdict == SessionDocument.Effect.noDifference)
        #expect(abs((try effect(.decodeRate, document, 1).ratio.number ?? 0) - 1.2) < 0.03)
    }

    @Test func withoutEnergySpeedAndMemoryAreCompared() throws {
        let gate = "decode.gross.joules_per_token > +3%"
        let (document, _) = session([.init("a"), .init("b", speed: 1.1)]) {
            $0.hasEnergy = false
            $0.gates = [gate]
        }
        let energy = try #require(document.comparisons[0].effects[ComparedMetric.decodeEnergy.rawValue])
        #expect(energy.reason == "no energy source")
        #expect(try effect(.decodeRate, document).verdict == SessionDocument.Effect.different)
        #expect(try effect(.peakMemory, document).verdict == SessionDocument.Effect.noDifference)
        #expect(document.gates.map(\.verdict) == [.unavailable])
        #expect(document.gates[0].reason == "no energy source")
        #expect(document.exitCode == .noEnergySource)
        #expect(document.comparisons[0].sentence.contains("energy not compared (no energy source)"))
    }

    @Test(arguments: [
        ("decode.gross.joules_per_token > +3%", SessionDocument.Gate.Verdict.failed, ExitCode.gateFailed),
        ("decode.gross.joules_per_token > +30%", .passed, .done),
        ("decode.gross.joules_per_token > +10%", .inconclusive, .inconclusive),
        ("peak_rss_bytes > +3%", .passed, .done), ("decode.tokens_per_second < -3%", .passed, .done),
    ])
    func gatesAreJudged(text: String, verdict: SessionDocument.Gate.Verdict, code: ExitCode) throws {
        let (document, _) = session([.init("a"), .init("b", energy: 1.1)]) { $0.gates = [text] }
        #expect(document.gates.map(\.verdict) == [verdict], "\(document.gates)")
        #expect(document.exitCode == code)
    }

    @Test func aVariantThatFailedEndsItsOwnQuadsOnly() throws {
        var (_, trace) = session([.init("a"), .init("b", energy: 1.1), .init("c")]) {
            $0.gates = ["decode.tokens_per_second < -3%"]
        }
        trace.variants[2].outcome = OutcomeLine(.engineFailed, cause: "ended unasked: SIGSEGV")
        trace.blocks.removeAll { $0.against == 2 && $0.quad > 2 }
        let document = SessionDocument(trace)
        #expect(document.comparisons.map(\.quads) == [8, 3])
        #expect(try effect(.decodeEnergy, document, 0).verdict == SessionDocument.Effect.different)
        let reason = document.comparisons[1].effects[ComparedMetric.decodeRate.rawValue]?.reason
        #expect(reason == "c failed: ended unasked: SIGSEGV")
        #expect(document.gates.map(\.verdict) == [.passed, .unavailable])
        #expect(document.exitCode == .engineFailed)
        #expect(document.variants[2].outcome.status == .engineFailed)
    }

    @Test func whatIsCompleteStandsInASessionThatGoesOn() throws {
        var (_, trace) = session([.init("a"), .init("b", energy: 1.1)])
        trace.end = nil
        trace.outcome = nil
        trace.blocks.removeAll { $0.quad == 7 && $0.place == 3 }
        let document = SessionDocument(trace)
        #expect(document.outcome.status == .interrupted && document.exitCode == .interrupted)
        #expect(document.comparisons[0].quads == 7)
        let reason = document.comparisons[0].effects[ComparedMetric.decodeRate.rawValue]?.reason
        #expect(reason == "insufficient: 7 quads, under 8")
    }

    @Test func aBlockThatIsNotWholeCountsForNothing() throws {
        var (_, trace) = session([.init("a"), .init("b")])
        let cycle = try #require(trace.blocks.first?.lastCycle)
        trace.done.removeAll { $0.cycle == cycle }
        let document = SessionDocument(trace)
        #expect(document.comparisons[0].quads == 7)
        #expect(document.warnings.contains { $0.contains("block 1 of quad 1: a generation is not whole") })
    }

    /// Blocks as no session writes them.
    @Test func absurdBlocksAreSurvived() throws {
        var (_, trace) = session([.init("a"), .init("b")])
        trace.blocks[0].firstCycle = .min
        trace.blocks[0].lastCycle = .max
        trace.blocks[1].firstCycle = 5
        trace.blocks[1].lastCycle = 3
        trace.blocks[5].variant = 77
        trace.blocks[9].place = -3
        trace.session?.reference = 12
        #expect(SessionDocument(trace).comparisons[0].quads == 5)
        trace.variants = []
        #expect(SessionDocument(trace).comparisons.isEmpty)
    }

    /// Numbers of a trace may be anything.
    @Test func wildNumbersAreSurvived() throws {
        let (_, trace) = session([.init("a"), .init("b")]) { $0.quads = 2 }
        var generator = SeededGenerator(seed: 5)
        let wild: [Int] = [.min, -1, 0, 1, 2, 7, 1 << 40, .max]
        func pick() -> Int { wild[Int(generator.unit() * Double(wild.count)) % wild.count] }
        for _ in 0..<60 {
            var broken = trace
            let position = Int(generator.unit() * Double(broken.blocks.count))
            let keys: [WritableKeyPath<BlockLine, Int>] = [
                \.variant, \.against, \.quad, \.place, \.firstCycle, \.lastCycle,
            ]
            for key in keys where generator.unit() < 0.5 { broken.blocks[position][keyPath: key] = pick() }
            broken.blocks[position].idle = [
                .init(variant: pick(), before: UInt64.max, after: 0),
                .init(variant: 1, before: 0, after: .max),
            ]
            broken.marks[Int(generator.unit() * Double(broken.marks.count))].cycle = pick()
            broken.session?.quads = pick()
            broken.variants[1].line.index = pick()
            broken.variants[0].memory[0].bytes["peak_rss"] = UInt64(bitPattern: Int64(pick()))
            let document = SessionDocument(broken)
            #expect(throws: Never.self) { try CanonicalJSON.document(document) }
        }
    }

    @Test func aBusyIdleArmIsNamed() throws {
        let (document, _) = session([.init("a"), .init("b")]) { $0.idleCores = 0.5 }
        #expect(abs((document.variants[1].idleCores.value ?? 0) - 0.5) < 0.01)
        #expect(document.warnings.contains { $0.contains("had nothing to do used up to 50.") })
    }

    @Test func twoDifferencesAreConfounded() throws {
        var (_, trace) = session([.init("a"), .init("b", energy: 0.9)])
        trace.variants[1].engine?.version = "b2"
        let document = SessionDocument(trace)
        #expect(document.comparisons[0].differsIn == [.quantisation, .engine])
        #expect(document.comparisons[0].confounded)
        #expect(
            document.comparisons[0].sentence.contains("confounded: the two differ in quantisation and engine")
        )
    }

    @Test func differencesOfFiles() throws {
        let (_, trace) = session([.init("a"), .init("b")])
        func differs(_ change: (inout VariantFacts) -> Void) -> [Difference] {
            var other = trace.variants[0]
            change(&other)
            return Difference.between(ComparedBuild(trace.variants[0]), ComparedBuild(other))
        }
        #expect(differs { _ in } == [])
        #expect(differs { $0.artifact?.path = "copy.gguf" } == [])
        #expect(differs { $0.artifact?.sha256 = .known("other") } == [.checkpoint])
        #expect(
            differs {
                $0.artifact?.sha256 = .known("other")
                $0.artifact?.parameters = .known(1)
                $0.artifact?.quantization = .known("Q2_K")
            } == [.checkpoint, .quantisation])
        #expect(differs { $0.engine?.parameters = .object(["n_threads": .integer(3)]) } == [.engine])
        #expect(differs { $0.line.workload.promptTokens = 7 } == [.protocol])
    }

    @Test func controlsOfTwoSessionsAreHeldTogether() throws {
        let (before, _) = session([.init("a"), .init("b")], seed: 1) { $0.noise = 0 }
        var (now, _) = session([.init("a", energy: 1.02), .init("c")], seed: 2) { $0.noise = 0 }
        let drift = try #require(ControlDrift.of(now, among: [before, now]))
        #expect(drift.id == before.id)
        #expect(abs((drift.ratios[.decodeEnergy] ?? 0) - 1.02) < 0.001)
        #expect(abs((drift.ratios[.decodeRate] ?? 0) - 1) < 0.001)
        now.variants[0].artifact = .unavailable("none")
        #expect(ControlDrift.of(now, among: [before]) == nil)
        #expect(ControlDrift.of(before, among: []) == nil)
    }

    /// The document from the written trace is that from the lines, byte by byte.
    @Test func theTraceHoldsAllOfIt() throws {
        let (document, trace) = session([.init("a"), .init("b", energy: 1.1)]) {
            $0.gates = ["cycle.gross.joules_per_token > +3%"]
        }
        var bytes: [UInt8] = []
        var lines: [TraceLine] = [.header(trace.header)]
        lines += trace.sources.map(TraceLine.source) + trace.variants.map { .variant($0.line) }
        if let session = trace.session { lines.append(.session(session)) }
        for variant in trace.variants {
            lines.append(.turn(TurnLine(variant: variant.line.index)))
            if let artifact = variant.artifact { lines.append(.artifact(artifact)) }
            if let engine = variant.engine { lines.append(.engine(engine)) }
            lines += variant.memory.map(TraceLine.memory)
        }
        lines.append(.turn(TurnLine(variant: nil)))
        lines += trace.samples.map(TraceLine.sample) + trace.marks.map(TraceLine.mark)
        lines += trace.done.map(TraceLine.done) + trace.blocks.map(TraceLine.block)
        if let outcome = trace.outcome { lines.append(.outcome(outcome)) }
        if let end = trace.end { lines.append(.end(end)) }
        for line in lines { try line.append(to: &bytes) }
        let read = SessionDocument(try Trace.parse(bytes, name: "trace"))
        #expect(read == document)
        #expect(try CanonicalJSON.document(read) == CanonicalJSON.document(document))
        #expect(
            try CanonicalJSON.decode(SessionDocument.self, from: CanonicalJSON.document(read)) == document)
    }
}
