import Analysis
import Testing

@testable import Engines

@Suite("Fit")
struct FitEstimateTests {
    private typealias Models = FitModels

    @Test("the formula's terms of a dense model")
    func terms() {
        let terms = FitTerms.of(Models.input())
        func bytes(_ name: FitTerm.Name) -> UInt64? { terms.first { $0.name == name }?.bytes }
        #expect(bytes(.weights) == 4 << 30)
        #expect(bytes(.kv) == 512 << 20)
        #expect(bytes(.cells) == 4096 * 256)
        #expect(bytes(.recurrent) == nil)
        let step: UInt64 = 512 * (6 * 4096 + 2 * 14_336) * 2 * 3
        #expect(bytes(.compute) == step + 128_256 * 4 + (16 << 20) + 32 * (512 << 10))
        #expect(bytes(.tokenizer) == 40 * 128_256)
        #expect(bytes(.fixed) == 200 << 20)
        #expect(bytes(.transient) == 192 << 20)
        let whole = FitEstimate.report(Models.input(), limit: Models.limit(64 << 30)).estimateBytes
        #expect(whole == terms.reduce(0) { $0 + $1.bytes })
    }

    @Test("without flash attention the scores are there too; hybrids compute more")
    func compute() {
        let plain = FitTerms.compute(Models.input()).bytes
        let scores = FitTerms.compute(Models.input { $0.parameters.flashAttention = "off" }).bytes
        #expect(scores == plain + 512 * 4096 * 32 * 2)
        let long = Models.input(context: 65_536) { $0.parameters.flashAttention = "off" }
        #expect(FitTerms.compute(long).bytes == plain + 512 * 8192 * 32 * 2)
        var shape = Models.dense
        shape.ssmInner = 8192
        let step: UInt64 = 512 * (6 * 4096 + 2 * 14_336) * 2
        #expect(FitTerms.compute(Models.input(shape)).bytes == plain + 2 * step)
    }

    @Test("a mixture computes with the experts it uses and holds them all")
    func mixture() {
        var shape = Models.dense
        shape.experts = 128
        shape.expertsUsed = .same(8)
        shape.expertFeedForward = .same(4096)
        #expect(shape.stepFeedForward == 8 * 4096)
        let input = Models.input(shape, fileBytes: 60 << 30)
        #expect(FitTerms.of(input).first?.bytes == 60 << 30)
        #expect(FitEstimate.report(input, limit: Models.limit(32 << 30)).status == .doesNotFit)
    }

    @Test("gate 1: new allocation against 0.6 of what is available; weights only without a mapping")
    func firstGate() throws {
        let mapped = FitEstimate.report(Models.input(), limit: Models.limit(6 << 30))
        #expect(mapped.status == .fits)
        let copied = Models.input { $0.parameters.loadMode = "none" }
        let refused = FitEstimate.report(copied, limit: Models.limit(6 << 30))
        #expect(refused.status == .doesNotFit)
        let gate = try #require(refused.newAllocation)
        let mappedGate = try #require(mapped.newAllocation)
        #expect(gate.needBytes == mappedGate.needBytes + (4 << 30))
        #expect(Double(gate.allowedBytes) == (Double(6 << 30) * 0.6).rounded(.up))
        #expect(refused.wholeSet?.passes == true)
    }

    @Test("gate 2: the whole set against the limit x 1.11")
    func secondGate() throws {
        let report = FitEstimate.report(Models.input(), limit: Models.limit(5 << 30, own: 1 << 30))
        let gate = try #require(report.wholeSet)
        #expect(gate.allowedBytes == (UInt64(6 << 30) - (512 << 20)).scaled(1.11))
        let need = gate.needBytes
        // The smallest memory that holds it, and a page less.
        let least = UInt64((Double(need) / 1.11).rounded(.up)) + (512 << 20)
        #expect(FitEstimate.report(Models.input(), limit: Models.limit(least)).status == .fits)
        let less = FitEstimate.report(Models.input(), limit: Models.limit(least - 4096))
        #expect(less.status == .doesNotFit)
        #expect(less.reason.contains("needs \(FitEstimate.mebibytes(need)) where only"))
    }

    @Test("weights of at most two bits, and memory that a GPU shares, have no stretch")
    func noStretch() {
        func allowed(_ change: (inout FitInput) -> Void) -> UInt64? {
            FitEstimate.report(
                Models.input(Models.dense, context: 4096, change), limit: Models.limit(8 << 30)
            )
            .wholeSet?.allowedBytes
        }
        let plain = MemoryLimit(.live, availableBytes: 8 << 30, source: "").bytes
        #expect(allowed { $0.model.bitsPerWeight = 2 } == plain)
        #expect(allowed { $0.isShared = true } == plain)
        #expect(allowed { $0.model.bitsPerWeight = 2.06 } == plain.scaled(1.11))
    }

    @Test("a 4 GiB model where 1 GiB is free: both numbers")
    func issue() {
        let limit = MemoryLimit(.cgroup, availableBytes: 1 << 30, source: "/sys/fs/cgroup/x")
        let report = FitEstimate.report(Models.input(), limit: limit)
        #expect(report.status == .doesNotFit)
        #expect(report.reason.contains("569 MiB may be taken"))
        #expect(report.reason.contains("1024 MiB available, cgroup"))
        #expect(report.limit?.origin == .cgroup)
    }

    @Test("copies of weights count beside a mapping, and once without")
    func repacked() {
        func terms(_ mode: String, _ repacks: Bool?) -> [FitTerm] {
            FitTerms.of(
                Models.input {
                    $0.model.repackable.bytes = 3 << 30
                    $0.model.repackable.embeddingBytes = 1 << 20
                    $0.parameters.loadMode = mode
                    $0.sizing = repacks.map { FitInput.Sizing(repacks: $0) }
                })
        }
        let mapped = terms("mmap", true).first { $0.name == .repacked }
        #expect(mapped == FitTerm(.repacked, bytes: 3 << 30, .header))
        #expect(terms("none", true).first { $0.name == .repacked }?.bytes == 1 << 20)
        #expect(!terms("mmap", false).contains { $0.name == .repacked })
        // What the engine does not tell is taken for the worse.
        #expect(terms("auto", nil).first { $0.name == .repacked }?.origin == .formula)
    }

    @Test("what is copied passes through a buffer, which is a peak or is kept")
    func staging() {
        func staging(_ mode: String, largest: UInt64, kept: UInt64) -> UInt64 {
            FitTerms.of(
                Models.input(fileBytes: 4 << 30, context: 256) {
                    $0.model.repackable.bytes = 4 << 30
                    $0.model.repackable.largestBytes = largest
                    $0.model.repackable.largestKeptBytes = kept
                    $0.parameters.loadMode = mode
                }
            ).first { $0.name == .staging }?.bytes ?? 0
        }
        // 32 MiB of cache come later, and 256 cells.
        #expect(staging("none", largest: 300 << 20, kept: 10 << 20) == (268 << 20) - 256 * 256)
        #expect(staging("none", largest: 30 << 20, kept: 30 << 20) == 30 << 20)
        #expect(staging("none", largest: 0, kept: 0) == 0)
        #expect(staging("mmap", largest: 300 << 20, kept: 10 << 20) == 0)
    }

    @Test("the engine's dry run comes before the formulas, field by field")
    func sized() {
        let terms = FitTerms.of(
            Models.input { $0.sizing = FitInput.Sizing(kvBytes: 1234, computeBytes: 5678, repacks: false) })
        #expect(terms.contains(FitTerm(.kv, bytes: 1234, .engine)))
        #expect(terms.contains(FitTerm(.compute, bytes: 5678, .engine)))
    }

    @Test("projector and draft model")
    func extras() {
        let terms = FitTerms.of(
            Models.input {
                $0.projectorBytes = 1 << 30
                $0.draft = FitModel(shape: Models.dense, fileBytes: 1 << 30)
            })
        #expect(terms.first { $0.name == .projector }?.bytes == UInt64(1 << 30).scaled(1.05) + (96 << 20))
        let compute = FitTerms.compute(Models.input()).bytes
        #expect(terms.first { $0.name == .draft }?.bytes == (1 << 30) + (512 << 20) + compute)
    }

    @Test("a guess near the limit cannot tell; far from it it can")
    func guess() {
        var shape = Models.dense
        shape.heads = nil
        shape.kvHeads = nil
        let input = Models.input(shape)
        let need = FitEstimate.report(input, limit: Models.limit(64 << 30)).estimateBytes ?? 0
        let near = FitEstimate.report(input, limit: Models.limit(need))
        #expect(near.status == .cannotTell)
        #expect(near.code == .sizingUnavailable)
        #expect(FitEstimate.report(input, limit: Models.limit(64 << 30)).status == .fits)
        #expect(FitEstimate.report(input, limit: Models.limit(1 << 30)).status == .doesNotFit)
    }

    /// An engine that says no to such a load says so however much memory there is.
    @Test func whatTheEngineRefusesDoesNotFit() {
        let refused = Models.input {
            $0.sizingFailure = "K cache type (-ctk): \"foo\" is none of f16"
            $0.isRefused = true
        }
        let report = FitEstimate.report(refused, limit: Models.limit(64 << 30))
        #expect(report.status == .cannotTell && report.code == .sizingFailed)
        #expect(report.reason.contains("the engine refuses such a load: K cache type"))
    }

    @Test("a failed dry run cannot tell near the limit, and warns elsewhere")
    func failedSizing() {
        let input = Models.input { $0.sizingFailure = "SIGABRT" }
        let allocated = FitEstimate.report(input, limit: Models.limit(64 << 30)).newAllocation?.needBytes ?? 0
        let near = FitEstimate.report(input, limit: Models.limit(UInt64(Double(allocated) / 0.6)))
        #expect(near.code == .sizingFailed || near.status == .doesNotFit)
        let tight = FitEstimate.report(
            input, limit: Models.limit(UInt64(Double(5_300 << 20) / 1.11) + (512 << 20)))
        #expect(tight.code == .sizingFailed)
        let roomy = FitEstimate.report(input, limit: Models.limit(64 << 30))
        #expect(roomy.status == .fits)
        #expect(roomy.warnings.contains { $0.contains("SIGABRT") })
    }

    @Test("memory that is not estimated cannot be told of, whatever the numbers")
    func elsewhere() {
        let report = FitEstimate.report(
            Models.input { $0.elsewhere = "part goes to CUDA0" }, limit: Models.limit(1 << 30))
        #expect(report.status == .cannotTell)
        #expect(report.code == .sizingUnavailable)
    }

    @Test("sizes beyond 64 bits are invalid")
    func invalid() {
        var shape = Models.dense
        shape.kvHeads = .same(.max)
        let report = FitEstimate.report(Models.input(shape), limit: Models.limit(64 << 30))
        #expect(report.status == .cannotTell)
        #expect(report.code == .sizingInvalid)
    }

    @Test("under 6 GB left is warned of")
    func comfort() {
        func warns(_ available: UInt64) -> Bool {
            FitEstimate.report(Models.input(), limit: Models.limit(available)).warnings
                .contains { $0.contains("6 GB") }
        }
        let need = FitEstimate.report(Models.input(), limit: Models.limit(64 << 30)).estimateBytes ?? 0
        #expect(warns(need + 5_999_999_999))
        #expect(!warns(need + 6_000_000_000))
    }

    @Test("the report survives its JSON")
    func coding() throws {
        let report = FitEstimate.report(Models.input(), limit: Models.limit(6 << 30))
        let bytes = try CanonicalJSON.line(TraceLine.fit(report))
        #expect(try CanonicalJSON.decode(TraceLine.self, from: bytes) == .fit(report))
    }
}
