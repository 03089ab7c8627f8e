import FoundationEssentials
import Replay
import Testing

@testable import Analysis

/// What GPUs are told of variants without work, from the block lines of sessions of a known truth.
@Suite struct IdleGPUTests {
    private static let nothing = BlockLine.GPU(device: "0", percents: .known([]), others: 1)

    private static func used(_ percents: Int..., others: Int = 1, device: String = "0") -> BlockLine.GPU {
        BlockLine.GPU(device: device, percents: .known(percents), others: others)
    }

    /// A session of "a" and "b" in equal blocks, 16 in which each has no work.
    ///
    /// - Parameters:
    ///   - cycle: seconds of a generation, of which a block has three.
    ///   - gpus: what the idle variant, by its index, did in its n-th idle block.
    private func document(
        cycle: Double = 1, devices: [String] = [], _ gpus: (Int, Int) -> Maybe<[BlockLine.GPU]>?
    ) -> SessionDocument {
        var plan = SimulatedSession.Plan([.init("a", speed: 1 / cycle), .init("b", speed: 1 / cycle)])
        (plan.noise, plan.drift) = (0, 0)
        var trace = SimulatedSession(plan, seed: 1).trace
        var counts = [0, 0]
        for index in trace.blocks.indices {
            let variant = trace.blocks[index].idle[0].variant
            trace.blocks[index].idle[0].gpus = gpus(variant, counts[variant])
            counts[variant] += 1
        }
        trace.variants[1].engine?.devices = devices
        return SessionDocument(trace)
    }

    private func isNear(_ share: Maybe<Double>?, _ truth: Double) -> Bool {
        abs((share?.value ?? -1) - truth) < 1e-6
    }

    private func warnings(_ document: SessionDocument) -> [String] {
        document.warnings.filter { $0.contains("GPU") }
    }

    @Test func withoutAGPUNothingIsSaid() throws {
        let document = document { _, _ in nil }
        #expect(document.variants.map(\.idleGPU) == [nil, nil])
        #expect(warnings(document) == [])
        let text = String(decoding: try CanonicalJSON.document(document), as: UTF8.self)
        #expect(!text.contains("idle_gpu") && text.contains("idle_cores"))
    }

    @Test func idleVariantsAreShownToBeIdle() throws {
        let document = document { _, _ in .known([Self.nothing]) }
        #expect(document.variants.map(\.idleGPU) == [.known(0), .known(0)])
        #expect(warnings(document) == [])
        let text = String(decoding: try CanonicalJSON.document(document), as: UTF8.self)
        #expect(text.contains(#""idle_gpu" : 0"#))
    }

    @Test func aBusyOneIsNamed() {
        let document = document { variant, _ in .known([variant == 1 ? Self.used(30) : Self.nothing]) }
        #expect(document.variants[0].idleGPU == .known(0))
        #expect(isNear(document.variants[1].idleGPU, 0.3))
        #expect(warnings(document).count == 1)
        #expect(
            warnings(document).first?.hasPrefix("b used 30.0 % of a GPU's time while it had nothing to do")
                == true, "\(document.warnings)")
    }

    /// One stray sample of ten in one of 16 blocks is none; what comes to over 1 % is.
    @Test(arguments: [(10, 0.1 / 16, 0), (20, 0.2 / 16, 1)])
    func theMeanOfAllBlocksIsJudged(percent: Int, share: Double, warned: Int) {
        let document = document { _, block in .known([block == 3 ? Self.used(percent) : Self.nothing]) }
        #expect(isNear(document.variants[1].idleGPU, share), "\(document.variants[1])")
        #expect(warnings(document).count == warned)
    }

    @Test func processesAddUpAndGPUsDoNot() {
        let document = document { _, _ in
            .known([Self.used(10, 15, others: 0), Self.used(20, others: 0, device: "1")])
        }
        #expect(isNear(document.variants[0].idleGPU, 0.25))
        let whole = self.document { _, _ in .known([Self.used(80, 70)]) }
        #expect(isNear(whole.variants[0].idleGPU, 1))
    }

    @Test func reasonsAreKept() {
        let hidden = document { _, _ in .unavailable("the driver lists it on no GPU") }
        #expect(hidden.variants[0].idleGPU == .unavailable("the driver lists it on no GPU"))
        let silent = document { _, _ in
            .known([BlockLine.GPU(device: "0", percents: .unavailable("Not Supported"), others: 0)])
        }
        #expect(silent.variants[1].idleGPU == .unavailable("Not Supported"))
        #expect(warnings(hidden) + warnings(silent) == [])
        // What is known of the other blocks stands.
        let partly = document { _, block in
            .known([
                block < 8
                    ? Self.used(4) : BlockLine.GPU(device: "0", percents: .unavailable("lost"), others: 0)
            ])
        }
        #expect(isNear(partly.variants[0].idleGPU, 0.04))
    }

    /// Without a sample of anybody a block of under a second tells nothing.
    @Test func blocksTooShortForASample() {
        let none = BlockLine.GPU(device: "0", percents: .known([]), others: 0)
        let short = document(cycle: 0.3) { _, _ in .known([none]) }
        #expect(
            short.variants[0].idleGPU == .unavailable("the driver made no sample in blocks of under 1 s"))
        #expect(document(cycle: 0.3) { _, _ in .known([Self.nothing]) }.variants[0].idleGPU == .known(0))
        #expect(document(cycle: 0.4) { _, _ in .known([none]) }.variants[0].idleGPU == .known(0))
    }

    @Test(arguments: [101, -1, .max, .min]) func whatNoDriverShouldTell(percent: Int) {
        let document = document { _, _ in .known([Self.used(percent, .max)]) }
        #expect(document.variants[0].idleGPU == .unavailable("the driver told \(percent) %"))
        #expect(warnings(document) == [])
    }

    /// Boards that no driver's library is asked of.
    @Test func enginesOnOtherBoards() {
        let document = document(devices: ["0000:03:00.0"]) { _, _ in nil }
        #expect(document.variants[0].idleGPU == nil)
        #expect(
            document.variants[1].idleGPU == .unavailable("nothing tells the GPU time of a process here"))
        #expect(warnings(document) == [])
    }

    @Test func linesOfTracesWithAndWithoutIt() throws {
        let before = #"{"variant": 1, "cpu_ns_before": 5, "cpu_ns_after": 7}"#
        let old = try JSONDecoder().decode(BlockLine.Idle.self, from: Data(before.utf8))
        #expect(old == BlockLine.Idle(variant: 1, before: 5, after: 7))
        let encoded = String(decoding: try JSONEncoder().encode(old), as: UTF8.self)
        #expect(!encoded.contains("gpus"))
        for gpus: Maybe<[BlockLine.GPU]> in [
            .unavailable("the driver lists it on no GPU"),
            .known([Self.used(30), BlockLine.GPU(device: "1", percents: .unavailable("lost"), others: 0)]),
        ] {
            let line = BlockLine.Idle(variant: 1, before: 5, after: 7, gpus: gpus)
            let again = try JSONDecoder().decode(BlockLine.Idle.self, from: JSONEncoder().encode(line))
            #expect(again == line)
        }
    }
}
