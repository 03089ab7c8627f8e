import Analysis
import Testing

@testable import Engines

@Suite("What goes onto boards")
struct OffloadTests {
    private typealias Models = FitModels

    private func tensor(_ name: String, mebibytes: UInt64, type: UInt32 = 1) -> GGUFTensor {
        let type = TensorType(code: type)
        return GGUFTensor(
            name: name, dimensions: [mebibytes << 19], type: type, offset: 0, elements: mebibytes << 19,
            bytes: type.block == nil ? nil : mebibytes << 20, describedAt: 0)
    }

    /// 32 layers of 100 MiB, an embedding of 500 and an output of 700.
    private func places(withOutput: Bool = true) throws -> WeightPlaces {
        var tensors = (0..<32).flatMap {
            [
                tensor("blk.\($0).attn_q.weight", mebibytes: 40),
                tensor("blk.\($0).ffn_up.weight", mebibytes: 60),
            ]
        }
        tensors.append(tensor("token_embd.weight", mebibytes: 500))
        if withOutput { tensors.append(tensor("output.weight", mebibytes: 700)) }
        return try #require(WeightPlaces(tensors, layers: 32))
    }

    private func input(
        _ layers: Int?, free: [UInt64], used: Int? = nil, withOutput: Bool = true
    ) throws -> FitInput {
        var input = Models.input()
        input.model.places = try places(withOutput: withOutput)
        input.offload = Offload(
            layers: layers, used: used,
            boards: .known(free.enumerated().map { GPUFit.Board(id: "nvml:\($0)", freeBytes: $1 << 20) }))
        return input
    }

    private func bytes(_ gpu: GPUFit?, _ name: FitTerm.Name) -> UInt64? {
        gpu?.terms.first { $0.name == name }.map { $0.bytes >> 20 }
    }

    @Test(
        "the last layers and the output; the same share of the cache",
        arguments: [
            (nil, 32, 3900, 512), (-1, 32, 3900, 512), (99, 32, 3900, 512), (8, 8, 1500, 128),
        ] as [(Int?, UInt64, UInt64, UInt64)])
    func shares(asked: Int?, layers: UInt64, weights: UInt64, kv: UInt64) throws {
        let gpu = try input(asked, free: [80_000]).gpu?.value
        #expect(gpu?.layers == layers)
        #expect(bytes(gpu, .weights) == weights && bytes(gpu, .kv) == kv)
        #expect(bytes(gpu, .fixed) == 512)
    }

    @Test("an embedding that is the output is there twice")
    func sharedEmbedding() throws {
        #expect(bytes(try input(nil, free: [80_000], withOutput: false).gpu?.value, .weights) == 3700)
    }

    @Test("what lies on a board is not in the machine's memory")
    func hostTerms() throws {
        let there = FitTerms.of(try input(nil, free: [80_000]))
        let all = FitTerms.of(Models.input())
        func mebibytes(_ terms: [FitTerm], _ name: FitTerm.Name) -> UInt64 {
            (terms.first { $0.name == name }?.bytes ?? 0) >> 20
        }
        #expect(mebibytes(there, .weights) == mebibytes(all, .weights) - 3900)
        #expect(mebibytes(there, .kv) == 0)
    }

    @Test("the engine's dry run comes first here too, by the formula's share")
    func sized() throws {
        var input = try input(8, free: [80_000])
        input.sizing = FitInput.Sizing(kvBytes: 400 << 20)
        let term = input.gpu?.value?.terms.first { $0.name == .kv }
        #expect(term?.origin == .engine && (term?.bytes ?? 0) >> 20 == 100)
        #expect(FitTerms.of(input).first { $0.name == .kv }?.bytes ?? 0 == 300 << 20)
    }

    @Test("with fewer boards in use than there are, which ones decides")
    func whichBoards() throws {
        func report(_ free: [UInt64], used: Int?) throws -> FitReport {
            FitEstimate.report(try input(nil, free: free, used: used), limit: Models.limit(64 << 30))
        }
        #expect(try report([80_000, 1_000], used: nil).status == .fits)
        #expect(try report([80_000, 90_000], used: 1).status == .fits)
        #expect(try report([1_000, 2_000], used: 1).status == .doesNotFit)
        let either = try report([80_000, 1_000], used: 1)
        #expect(either.status == .cannotTell && either.code == .sizingUnavailable)
        #expect(either.reason.hasPrefix("it depends on which of 2 boards"))
    }

    @Test("what is not known is unavailable with its reason")
    func unknown() throws {
        var input = try input(nil, free: [80_000])
        input.offload?.boards = .unavailable("no driver")
        #expect(input.gpu?.reason == "no driver")
        let report = FitEstimate.report(input, limit: Models.limit(64 << 30))
        #expect(report.status == .cannotTell && report.reason.hasPrefix("no driver"))
        input = try self.input(nil, free: [])
        #expect(input.gpu?.reason == "the driver shows no GPU")
        input = try self.input(nil, free: [1])
        input.model.places = nil
        #expect(input.gpu?.reason == "the header does not tell how large the layers are")
        #expect(try self.input(0, free: [1]).gpu == nil)
        #expect(WeightPlaces([tensor("blk.0.x", mebibytes: 1, type: 99)], layers: 1) == nil)
    }

    @Test("both numbers are in its JSON")
    func coding() throws {
        let report = FitEstimate.report(try input(8, free: [80_000]), limit: Models.limit(64 << 30))
        let bytes = try CanonicalJSON.line(TraceLine.fit(report))
        #expect(try CanonicalJSON.decode(TraceLine.self, from: bytes) == .fit(report))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(#""allowed_bytes":83886080000"#) && text.contains(#""need_bytes":"#))
    }
}

@Suite("Headers that do not tell")
struct UntoldSizeTests {
    private typealias Models = FitModels

    private func report(_ change: (inout FitInput) -> Void, available: UInt64 = 64 << 30) -> FitReport {
        FitEstimate.report(Models.input(Models.dense, context: 4096, change), limit: Models.limit(available))
    }

    @Test("without layers, width or heads nothing is counted as nothing", arguments: [0, 1, 2])
    func cache(lacking: Int) {
        let report = report {
            if lacking == 0 { $0.model.shape.layers = nil }
            if lacking == 1 { $0.model.shape.hidden = nil }
            if lacking == 2 { $0.model.shape.kvHeads = .same(0) }
        }
        #expect(report.status == .cannotTell && report.code == .sizingUnavailable)
        #expect(report.reason.hasPrefix("the header does not tell the size of the cache"))
    }

    @Test("what is known may be too much already")
    func tooMuchAlready() {
        #expect(report({ $0.model.shape.layers = nil }, available: 1 << 30).status == .doesNotFit)
    }

    @Test("the engine's dry run knows better")
    func sized() {
        let report = report {
            $0.model.shape.layers = nil
            $0.sizing = FitInput.Sizing(kvBytes: 1 << 20, computeBytes: 1 << 20, repacks: false)
        }
        #expect(report.status == .fits)
    }

    @Test("tensors of a type that is not known")
    func types() {
        let unknown = report { $0.model.unknownTypes = ["type 99"] }
        #expect(unknown.status == .cannotTell && unknown.code == .sizingUnavailable)
        #expect(unknown.reason.hasPrefix("tensors of type 99"))
        // The file is as large as it is: its weights count.
        #expect(unknown.bytes(.weights) == 4 << 30)
        let sized = report {
            $0.model.unknownTypes = ["type 99"]
            $0.sizing = FitInput.Sizing(kvBytes: 1 << 20, repacks: false)
        }
        #expect(sized.status == .fits)
    }
}
