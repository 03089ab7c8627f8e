import Testing

@testable import Analysis

/// Bytes that no sustain wrote: a record or a failure, never a crash.
@Suite struct FuzzTests {
    private static func good() throws -> [UInt8] {
        var run = SyntheticRun()
        run.seconds = 4
        run.generated = 5
        run.shape.prefill = 0.3
        run.warmupCycles = 1
        run.temperature = { _ in 40 }
        return try run.bytes
    }

    /// A few edits anywhere: bytes changed, put in, taken out, digits made larger, lines moved, ends cut.
    private static func mutate(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var result = bytes
        for _ in 0...random.next(upperBound: UInt64(6)) where !result.isEmpty {
            let position = Int(random.next(upperBound: UInt64(result.count)))
            switch random.next(upperBound: UInt64(7)) {
            case 0: result[position] = UInt8(truncatingIfNeeded: random.next())
            case 1: result.insert(UInt8(truncatingIfNeeded: random.next()), at: position)
            case 2: result.remove(at: position)
            case 3: result.insert(contentsOf: "99999999".utf8, at: position)
            case 4:
                if let digit = result[position...].firstIndex(where: { (0x30...0x39).contains($0) }) {
                    result[digit] = 0x30 + UInt8(random.next(upperBound: UInt64(10)))
                }
            case 5:
                var lines = result.split(separator: 0x0A, omittingEmptySubsequences: false)
                lines.swapAt(Int(random.next(upperBound: UInt64(lines.count))), lines.count / 2)
                result = Array(lines.joined(separator: [0x0A]))
            default: if random.next(upperBound: UInt64(4)) == 0 { result.removeSubrange(position...) }
            }
        }
        return result
    }

    @Test func mutatedTracesNeverCrash() throws {
        let good = try Self.good()
        var random = SeededGenerator(seed: 2_000)
        var records = 0
        for _ in 0..<2_000 {
            guard let trace = try? Trace.parse(Self.mutate(good, &random), name: "fuzz") else { continue }
            let record = Analyze.record(from: trace)
            // Every figure is finite: the encoder has no word for others.
            _ = try CanonicalJSON.line(record)
            #expect(record.windows.allSatisfy { $0.begin <= $0.end })
            records += 1
        }
        // Most edits leave the header alone.
        #expect(records > 1_000, "\(records)")
    }

    @Test func randomBytesAreAFailure() {
        var random = SeededGenerator(seed: 3)
        for length in 0..<300 {
            let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            #expect(throws: Failure.self) { try Trace.parse(bytes, name: "fuzz") }
        }
    }
}
