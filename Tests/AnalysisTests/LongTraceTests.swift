import SyntheticTraces
import Testing

@testable import Analysis

/// The generator of scripts/benches/analyze makes a trace that is a run: nothing of it is set aside.
@Suite struct LongTraceTests {
    @Test func aShortLongTraceIsAWholeRun() throws {
        var long = LongTrace()
        long.seconds = 60
        long.domains = 4
        long.tokens = 20_000
        long.generated = 100
        var bytes: [UInt8] = []
        try long.write { bytes += $0 }
        let trace = try Trace.parse(bytes, name: "long")
        #expect(trace.notes == TraceNotes())
        #expect(trace.samples.count == 900)
        #expect(trace.tokens.reduce(0) { $0 + $1.deltas.count + 1 } == 20_000)
        let record = Analyze.record(from: trace)
        #expect(record.outcome.status == .completed)
        #expect(record.warnings.count == 1 && record.warnings[0].hasPrefix("short run"), "\(record.warnings)")
        #expect(record.metrics.wholeCycles == 200)
        #expect(record.metrics.decode.tokens == .known(19_800))
        #expect(record.total.includes.count == 4)
        // 50 W and more by day, 10 W and more idle: 10 + 11 + 12 + 13 tenths of a microjoule a tick.
        expect(record.metrics.idle.gross.watts, near: 46, within: 0.02)
        #expect(record.metrics.droopOnsetSeconds.number == nil)
    }
}
