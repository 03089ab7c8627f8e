import Analysis
import Engines
import Foundation
import TestSupport
import Testing

@testable import Session

/// The model that `SUSTAIN_TEST_MODEL` names; nil without one, and the suite is skipped.
private enum RealModel {
    static let path = ProcessInfo.processInfo.environment["SUSTAIN_TEST_MODEL"]
    /// A directory with another build of the same libllama, where the tests are given one.
    static let otherBuild = ProcessInfo.processInfo.environment["SUSTAIN_TEST_LLAMA_LIB"]
}

/// Parity of a real model.
@Suite(.enabled(if: RealModel.path != nil, "SUSTAIN_TEST_MODEL names no model"), .serialized)
struct LlamaParityTests {
    private func arm(_ path: String, sha256: String? = nil) throws -> ParityArm {
        var arm = ParityArm(
            engine: .exec([Program.path("sustain-llama")]), model: try ModelFile.inspect(path: path))
        arm.sha256 = sha256
        arm.load.threads = 1
        arm.load.flashAttention = "on"
        return arm
    }

    /// A copy of the model with the data of one tensor overwritten by zeros: its header is the same to the last byte.
    private func damagedCopy(of model: ModelFile, in workplace: Workplace) throws -> String {
        let path = workplace.url.appending(path: "damaged.gguf").path
        try FileManager.default.copyItem(atPath: model.path, toPath: path)
        let tensor = try #require(model.tensors.first { $0.name == "blk.4.ffn_down.weight" })
        let bytes = try #require(tensor.bytes)
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: model.header.dataOffset + tensor.offset)
        try file.write(contentsOf: Data(count: Int(bytes)))
        try file.close()
        return path
    }

    @Test func aModelAgreesWithItselfAndNotWithADamagedCopy() throws {
        let workplace = try Workplace()
        let own = try arm(try #require(RealModel.path))
        let file = try #require(own.model)
        let scores = try Parity.reference(own, in: workplace.url.path)

        let relation = try ParityRelation.of(own, own)
        #expect(relation == .sameFile)
        let same = try Parity.check(own, against: scores, relation: relation)
        #expect(same.verdict == .passed, "\(same)")
        #expect(same.positions > 300)
        #expect(same.top1Agreement.number ?? 0 >= 0.99)
        #expect(same.meanKL.number ?? 1 <= 0.01)
        #expect(same.control.value?.isRefused == true)
        // A trained model finds the text likelier than chance and less likely than certain.
        #expect((2..<200).contains(same.perplexity.reference.number ?? 0), "\(same.perplexity)")

        // Other kernels round otherwise, and no more than that.
        var other = own
        other.load.flashAttention = "off"
        let rounded = try Parity.check(other, against: scores, relation: relation)
        #expect(rounded.verdict == .passed, "\(rounded)")
        #expect(rounded.meanKL.number ?? 0 > 0)

        let damaged = try arm(try damagedCopy(of: file, in: workplace))
        let copied = try ParityRelation.of(own, damaged)
        #expect(copied == .identicalHeader)
        let wrong = try Parity.check(damaged, against: scores, relation: copied)
        #expect(wrong.verdict == .wrong, "\(wrong)")
        #expect(wrong.meanKL.number ?? 1 > 0.01)
    }

    @Test(.enabled(if: RealModel.otherBuild != nil, "SUSTAIN_TEST_LLAMA_LIB names no other build"))
    func anotherBuildOfTheEngineSaysTheSame() throws {
        let workplace = try Workplace()
        let own = try arm(try #require(RealModel.path))
        var other = own
        other.engine = .llama(libraries: RealModel.otherBuild)
        let scores = try Parity.reference(own, in: workplace.url.path)
        let result = try Parity.check(other, against: scores, relation: try ParityRelation.of(own, other))
        #expect(result.verdict == .passed, "\(result.sentence)")
        #expect(result.meanKL.number ?? 0 > 0, "it is the same build")
    }

    @Test func anotherModelsFileIsNoCopy() throws {
        let workplace = try Workplace()
        let own = try arm(try #require(RealModel.path))
        let tiny = workplace.url.appending(path: "tiny.gguf")
        try TinyModel.bytes().write(to: tiny)
        #expect(try ParityRelation.of(own, try arm(tiny.path)) == .other)
        #expect(
            try ParityRelation.of(try arm(tiny.path, sha256: "a"), try arm(tiny.path, sha256: "a"))
                == .sameFile)
    }
}
