import Replay
import Testing

@testable import Analysis

/// Sessions that went through to their end and have nothing to show.
@Suite struct SessionWithoutSpeedTests {
    private let trace: Trace

    init() {
        trace = SimulatedSession(SimulatedSession.Plan([.init("a"), .init("b"), .init("c")]), seed: 3).trace
    }

    /// The generations of these variants end before their last token.
    private func truncating(_ variants: Set<Int>) -> SessionDocument {
        var trace = trace
        for block in trace.blocks where variants.contains(block.variant) {
            for index in trace.done.indices
            where (block.firstCycle...block.lastCycle).contains(trace.done[index].cycle) {
                trace.done[index].stop = "truncated"
            }
        }
        return SessionDocument(trace)
    }

    @Test func enginesThatFinishNoGenerationAreNamed() throws {
        #expect(truncating([]).exitCode == .done && truncating([]).withoutSpeed == nil)
        // As long as one variant has a speed there is a result.
        #expect(truncating([1]).exitCode == .done && truncating([1]).withoutSpeed == nil)
        for (broken, names) in [([1, 2], "b, c"), ([0], "a")] as [(Set<Int>, String)] {
            let document = truncating(broken)
            #expect(document.exitCode == .engineFailed)
            let why = try #require(document.withoutSpeed)
            #expect(why.thing == names && why.exit == .engineFailed)
            #expect(why.cause.contains("no block of whole generations"))
        }
    }

    @Test func tooFewQuadsAreInconclusive() throws {
        var few = trace
        few.blocks.removeAll { $0.quad > 3 }
        let document = SessionDocument(few)
        #expect(document.exitCode == .inconclusive)
        #expect(document.withoutSpeed?.exit == .inconclusive)
        #expect(
            document.withoutSpeed?.cause == "no speed was compared: insufficient: 4 quads, under 8",
            "\(document.withoutSpeed?.cause ?? "none")")
    }

    /// What ended early has said why.
    @Test func anotherFailureIsTheNews() {
        var failed = trace
        failed.blocks.removeAll()
        for index in [1, 2] {
            failed.variants[index].outcome = OutcomeLine(.engineFailed, cause: "ended unasked: SIGSEGV")
        }
        #expect(SessionDocument(failed).withoutSpeed == nil)
        #expect(SessionDocument(failed).exitCode == .engineFailed)
        failed.variants[1].outcome = OutcomeLine(.refused, cause: "does not fit")
        failed.variants[2].outcome = OutcomeLine(.refused, cause: "does not fit")
        #expect(SessionDocument(failed).exitCode == .refused)
    }
}
