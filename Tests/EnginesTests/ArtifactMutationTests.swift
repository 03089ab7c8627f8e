import Analysis
import Testing
import WorkerProtocol

@testable import Engines

@Suite("GGUF header, damaged at random")
struct ArtifactMutationTests {
    /// Takes or refuses, and what it takes is inside the file.
    func isSound(_ bytes: [UInt8]) -> Bool {
        do throws(Failure) {
            let header = try GGUFHeader.parse(MemoryBytes(bytes: bytes), thing: "m.gguf")
            _ = ModelShape(header)
            let summary = TensorSummary(header.tensors)
            let ends = header.tensors.map { header.dataOffset + $0.offset + ($0.bytes ?? 0) }
            return header.dataOffset <= bytes.count && ends.allSatisfy { $0 <= bytes.count }
                && summary.bytes ?? 0 <= UInt64(bytes.count)
        } catch {
            return error.thing == "m.gguf" && error.cause.contains("at byte ") && error.remedy != nil
        }
    }

    @Test("2,000 mutations and truncations give a header or a failure")
    func mutations() {
        var writer = GGUFWriter.model
        writer.entries.append(("nested", .array(type: 9, [.array(type: 4, [.u32(1), .u32(2)])])))
        let whole = writer.bytes
        let headerBytes = UInt32(writer.header.count)
        var random = SplitMix64(seed: 20_261_130)
        var taken = 0
        for _ in 0..<2_000 {
            var bytes = whole
            for _ in 0...random.next(below: 3) {
                let place = Int(random.next(below: headerBytes))
                switch random.next(below: 4) {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes[place] ^= 1 << UInt8(random.next(below: 8))
                case 2:
                    for (index, byte) in little(extremes[Int(random.next(below: 6))]).enumerated()
                    where place + index < bytes.count {
                        bytes[place + index] = byte
                    }
                default: bytes.removeSubrange(place..<min(bytes.count, place + Int(random.next(below: 9))))
                }
            }
            if random.next(below: 4) == 0 { bytes.removeLast(Int(random.next(below: UInt32(bytes.count)))) }
            if (try? GGUFHeader.parse(MemoryBytes(bytes: bytes), thing: "m")) != nil { taken += 1 }
            #expect(isSound(bytes))
        }
        // Neither everything nor nothing: the mutations reach behind the first check.
        #expect(taken > 100 && taken < 1_900)
    }

    let extremes: [UInt64] = [.max, 1 << 63, (1 << 63) - 1, UInt64(UInt32.max), 1 << 32, 0]
}
