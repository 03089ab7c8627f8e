import Analysis
import FoundationEssentials
import Glibc
import Testing

@testable import Reports

/// docs/record.schema.json against records: every key a record has is described there. In order: the first
/// test may write the golden records that the others read.
@Suite(.serialized) struct SchemaTests {
    static let schemaFile = SchemaCheck.file("record.schema.json")
    static let records = ["full", "no-energy", "failed"]

    @Test func goldenRecordsReadBack() throws {
        try golden("full", everyKey())
        try golden("no-energy", RecordBuilder(joulesPerToken: nil, sustained: nil).build())
        var failed = RecordBuilder(label: "crash", status: .engineFailed, failedCheck: "other_load").build()
        failed.engine = .unavailable("the worker died before it said hello")
        failed.overhead = .unavailable("interrupted")
        failed.environment.after = .unavailable("interrupted")
        try golden("failed", failed)
    }

    @Test(arguments: records)
    func everyKeyIsDescribed(name: String) throws {
        let schema = try CanonicalJSON.decode(JSONValue.self, from: Data(contentsOf: Self.schemaFile))
        let record = try CanonicalJSON.decode(JSONValue.self, from: bytes(name))
        #expect(SchemaCheck.unknownKeys(record, schema, root: schema, at: "") == [])
        // A key that is nowhere in the schema is found, so the test can fail.
        guard case .object(var members) = record else {
            Issue.record("not an object")
            return
        }
        members["tool"] = .object(["surprise": .integer(1)])
        #expect(SchemaCheck.unknownKeys(.object(members), schema, root: schema, at: "") == ["tool.surprise"])
    }

    @Test(
        .enabled(if: SchemaCheck.validator != nil, "SUSTAIN_TEST_PYTHON names no python3 with jsonschema"),
        arguments: records)
    func validates(name: String) throws {
        let record = Golden.fixtures.appending(path: "records/\(name).json")
        #expect(
            try SchemaCheck.validate(record, against: Self.schemaFile, figure: ["metrics", "burst"]) == 0)
    }

    private func golden(_ name: String, _ record: Record) throws {
        let text = String(decoding: try CanonicalJSON.document(record), as: UTF8.self)
        try Golden.expect(text, "records/\(name).json")
        #expect(try CanonicalJSON.decode(Record.self, from: bytes(name)) == record)
    }

    /// A record in which every optional key is there.
    private func everyKey() -> Record {
        var record = RecordBuilder(label: "golden").build()
        record.protocol.cycles = 250
        record.protocol.prefillBatchTokens = 1
        record.protocol.fixedPrompt = true
        record.protocol.variedGap = Seconds(1)
        record.sources[0].pace = "every 10 ms: renewed every 100 ms, a read takes 0.02 ms"
        record.generations = [
            GenerationSummary(
                DoneLine(
                    part: .fromIdle, cycle: 0, promptTokens: 128, generatedTokens: 256, stop: "length",
                    tokenHash: "5a4b6c7e6d2bbaeb")),
            GenerationSummary(
                DoneLine(
                    part: .sustained, cycle: 1, promptTokens: 128, generatedTokens: 17, stop: "deadline",
                    tokenHash: nil)),
        ]
        record.metrics.idleDisturbance = "other processes used 80 % of a core in idle_before"
        record.metrics.coldAndWarm = ColdAndWarm(
            cold: .init(prefill: .once(31.1, method: "m"), decode: .once(70.67, method: "m")),
            warm: [.init(prefill: .once(70.38, method: "m"), decode: .unavailable("the generation was cut"))],
            medianWarmDecode: .once(68.41, method: "m"))
        if case .known(var artifact) = record.artifact {
            artifact.weights = "random"
            artifact.tensorBlocks = ["Q4_1": TensorBlock(weights: 32, bitsPerWeight: 5)]
            artifact.quantizationVersion = 2
            artifact.parts = 2
            artifact.source = "https://example.org/model"
            artifact.producer = "example"
            record.artifact = .known(artifact)
        }
        record.metrics.decode.counters = EventFigures(
            instructionsPerToken: .once(4.1e8, method: "instructions / decode steps"),
            cyclesPerToken: .unavailable("no such counter"), cacheMissesPerToken: .unavailable("denied"),
            cpuSecondsPerToken: .once(0.031, method: "task_clock / decode steps"),
            pageFaultsPerToken: .once(0, method: "page_faults / decode steps"),
            contextSwitchesPerToken: .unavailable("denied"))
        record.memory.fit = .known(everyKeyOfAFit())
        record.total.gpuRule = "PCI ids of the worker"
        record.total.unavailable = "a key of records without energy"
        var outcome = OutcomeLine(.completed, part: .sustained, cause: "none")
        outcome.signal = 0
        outcome.exitStatus = 0
        outcome.remedy = "none"
        record.outcome = OutcomeSummary(outcome)
        return record
    }

    private func everyKeyOfAFit() -> FitReport {
        var fit = FitReport(
            status: .cannotTell, code: .sizingFailed, reason: "near the limit",
            parameters: FitParameters(contextTokens: 384))
        fit.terms = FitTerm.Name.allCases.map { FitTerm($0, bytes: 1 << 20, .formula) }
        fit.sizedCompute = FitTerm(.compute, bytes: 1 << 20, .engine)
        fit.limit = MemoryLimit(.live, availableBytes: 8 << 30, source: "MemAvailable")
        fit.newAllocation = FitReport.Gate(needBytes: 1 << 30, allowedBytes: 2 << 30)
        fit.wholeSet = FitReport.Gate(needBytes: 3 << 30, allowedBytes: 2 << 30)
        fit.measuredIn = "20261130T005600Z-q4-0a1b2c"
        fit.learntFrom = 3
        fit.warnings = ["a guess"]
        return fit
    }

    private func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: Golden.fixtures.appending(path: "records/\(name).json"))
    }
}
