import Testing

@testable import Analysis

/// Bytes that decode reads, against what memory can give.
@Suite struct CeilingTests {
    /// 100 steps a second after 128 prompt tokens, 100 steps a cycle.
    private static func ceiling(
        _ reads: DecodeReads?, bandwidth: Double? = nil, change: (inout Trace) -> Void = { _ in }
    ) throws -> (ceiling: Ceiling, record: Record) {
        var run = SyntheticRun()
        run.seconds = 30
        var trace = try Trace.parse(try run.bytes, name: "t")
        trace.artifact?.decodeReads = reads
        if let bandwidth {
            trace.bandwidth = BandwidthLine(
                bytesPerSecond: .known(bandwidth), kernel: "sum", threads: 2, bufferBytes: 1 << 28,
                repetitions: 5)
        }
        change(&trace)
        let record = Analyze.record(from: trace)
        return (try #require(record.metrics.ceiling), record)
    }

    private static let dense = DecodeReads(
        denseBytes: 1_000_000, keyElements: .known(100), valueElements: .known(60))

    /// Step k of 100 has 128 + k positions before it and its own: 178.5 on the mean. 160 elements of two bytes.
    @Test func weightsAndCacheAreRead() throws {
        let (ceiling, record) = try Self.ceiling(Self.dense, bandwidth: 1e9)
        let bytes = 1_000_000 + 178.5 * 320
        expect(ceiling.bytesPerToken, near: bytes)
        expect(ceiling.impliedBytesPerSecond, near: bytes * 100)
        expect(ceiling.measuredBytesPerSecond, near: 1e9)
        expect(ceiling.share, near: bytes * 100 / 1e9)
        #expect(!record.warnings.contains { $0.hasPrefix("decode implies") })
        // The rate has an interval and the measured bandwidth none: that of the ratio is not known.
        guard case .value(_, .unavailable(let why), _) = ceiling.share else {
            return #expect(Bool(false), "\(ceiling.share)")
        }
        #expect(why.reason.contains("measured bandwidth"))
    }

    @Test func aTypeOfTheCacheIsTakenFromTheEngine() throws {
        let (ceiling, _) = try Self.ceiling(Self.dense) {
            $0.engine?.parameters = .object(["type_k": .string("q8_0"), "cache_type_v": .string("f32")])
        }
        expect(ceiling.bytesPerToken, near: 1_000_000 + 178.5 * (100 * 34.0 / 32 + 60 * 4))
        let (unknown, _) = try Self.ceiling(Self.dense) {
            $0.engine?.parameters = .object(["type_k": .string("q7")])
        }
        expect(unknown.bytesPerToken, near: 1_000_000)
        guard case .value(_, _, let method) = unknown.bytesPerToken else { return }
        #expect(method.hasSuffix("without the cache (cache of type q7, f16)"), "\(method)")
    }

    @Test func onlyTheExpertsInUseAreRead() throws {
        var reads = Self.dense
        reads.keyElements = .unavailable("some layers are recurrent")
        reads.expertBytes = 8_000_000
        reads.experts = 64
        reads.expertsUsed = 8
        expect(try Self.ceiling(reads).ceiling.bytesPerToken, near: 2_000_000)
        reads.expertsUsed = nil
        #expect(
            try Self.ceiling(reads).ceiling.bytesPerToken.reason
                == "how many experts a token uses is not known")
        reads.expertsUsed = 65
        #expect(try Self.ceiling(reads).ceiling.bytesPerToken.number == nil)
    }

    @Test func fasterThanMemoryIsSaid() throws {
        let (ceiling, record) = try Self.ceiling(Self.dense, bandwidth: 5e7)
        #expect((ceiling.share.number ?? 0) > 2)
        #expect(
            record.warnings.contains { $0.hasPrefix("decode implies 2.1 x the measured memory bandwidth") })
    }

    @Test func whatIsMissingIsSaid() throws {
        let without = try Self.ceiling(nil).ceiling
        #expect(without.bytesPerToken.reason == "the tensors of the model are not known")
        #expect(without.impliedBytesPerSecond.reason == without.bytesPerToken.reason)
        #expect(without.measuredBytesPerSecond.reason == "no bandwidth was measured in this run")
        #expect(without.share.number == nil)
        let failed = try Self.ceiling(Self.dense) {
            $0.bandwidth = BandwidthLine(
                bytesPerSecond: .unavailable("out of memory"), kernel: "sum", threads: 2, bufferBytes: 0,
                repetitions: 0)
        }.ceiling
        #expect(failed.share.reason == "out of memory")
        let gpu = try Self.ceiling(Self.dense, bandwidth: 1e9) { $0.engine?.devices = ["0000:65:00.0"] }
        #expect(gpu.ceiling.share.reason?.hasPrefix("the probe read the memory of cpu") == true)
        #expect(gpu.ceiling.impliedBytesPerSecond.number != nil)
        let remote = try Self.ceiling(Self.dense, bandwidth: 1e9) { $0.engine?.location = "remote" }
        #expect(remote.ceiling.share.reason == "engine runs elsewhere")
    }

    @Test func theLineIsReadAsItIsWritten() throws {
        let line = BandwidthLine(
            bytesPerSecond: .known(2.5e10), kernel: "sum of 64-bit words", threads: 4, bufferBytes: 1 << 30,
            repetitions: 7)
        var run = SyntheticRun()
        run.seconds = 1
        let bytes = try run.bytes + TraceLine.bandwidth(line).encodedLine()
        #expect(try Trace.parse(bytes, name: "t").bandwidth == line)
    }
}
