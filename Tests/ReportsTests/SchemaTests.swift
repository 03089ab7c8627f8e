import Analysis
import FoundationEssentials
import Glibc
import Testing

@testable import Reports

/// docs/record.schema.json against records: every key a record has is described there. In order: the first
/// test may write the golden records that the others read.
@Suite(.serialized) struct SchemaTests {
    static let schemaFile = Golden.fixtures.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/record.schema.json")
    static let records = ["full", "no-energy", "failed"]

    /// A python3 with the jsonschema package, named by SUSTAIN_TEST_PYTHON; nil skips the validation.
    static let validator: String? = {
        guard let python = ProcessInfo.processInfo.environment["SUSTAIN_TEST_PYTHON"] else { return nil }
        return run("\(python) -c 'import jsonschema'") == 0 ? python : nil
    }()

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
        #expect(unknownKeys(record, schema, root: schema, at: "") == [])
        // A key that is nowhere in the schema is found, so the test can fail.
        guard case .object(var members) = record else {
            Issue.record("not an object")
            return
        }
        members["tool"] = .object(["surprise": .integer(1)])
        #expect(unknownKeys(.object(members), schema, root: schema, at: "") == ["tool.surprise"])
    }

    @Test(
        .enabled(if: validator != nil, "SUSTAIN_TEST_PYTHON names no python3 with jsonschema"),
        arguments: records)
    func validates(name: String) throws {
        let python = try #require(Self.validator)
        let record = Golden.fixtures.appending(path: "records/\(name).json").path
        let program = """
            import json, sys, jsonschema
            schema = json.load(open(sys.argv[1]))
            jsonschema.Draft202012Validator.check_schema(schema)
            validator = jsonschema.Draft202012Validator(schema)
            record = json.load(open(sys.argv[2]))
            bad = [error.json_path for error in validator.iter_errors(record)]
            record["metrics"]["burst"] = {"value": 1}
            assert list(validator.iter_errors(record)), "a figure without method and interval passed"
            sys.exit("\\n".join(bad) or 0)
            """
        let command = "\(python) -c '\(program)' '\(Self.schemaFile.path)' '\(record)'"
        #expect(Self.run(command) == 0)
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
        record.total.gpuRule = "PCI ids of the worker"
        record.total.unavailable = "a key of records without energy"
        var outcome = OutcomeLine(.completed, part: .sustained, cause: "none")
        outcome.signal = 0
        outcome.exitStatus = 0
        outcome.remedy = "none"
        record.outcome = OutcomeSummary(outcome)
        return record
    }

    private func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: Golden.fixtures.appending(path: "records/\(name).json"))
    }

    /// Key paths of `value` that no alternative of `schema` describes.
    private func unknownKeys(
        _ value: JSONValue, _ schema: JSONValue, root: JSONValue, at path: String
    ) -> [String] {
        let choices = alternatives(schema, root: root)
        switch value {
        case .object(let members):
            // A schema without properties or values leaves the shape open.
            if choices.contains(where: {
                $0["properties"] == nil && $0["additionalProperties"] == nil && $0["type"] == nil
            }) {
                return []
            }
            return members.sorted { $0.key < $1.key }.flatMap { key, member -> [String] in
                let described = choices.compactMap { $0["properties"]?[key] ?? $0["additionalProperties"] }
                let name = path.isEmpty ? key : path + "." + key
                if described.isEmpty { return [name] }
                let found = described.map { unknownKeys(member, $0, root: root, at: name) }
                return found.min { $0.count < $1.count } ?? []
            }
        case .array(let items):
            return items.flatMap { item in
                let found = choices.compactMap { $0["items"] }.map {
                    unknownKeys(item, $0, root: root, at: path + "[]")
                }
                return found.min { $0.count < $1.count } ?? []
            }
        default: return []
        }
    }

    /// A schema with its references followed and its alternatives side by side.
    private func alternatives(_ schema: JSONValue, root: JSONValue) -> [JSONValue] {
        if let name = schema["$ref"]?.string?.split(separator: "/").last,
            let target = root["$defs"]?[String(name)]
        {
            return alternatives(target, root: root)
        }
        for key in ["anyOf", "oneOf"] {
            if case .array(let options)? = schema[key] {
                return options.flatMap { alternatives($0, root: root) }
            }
        }
        return [schema]
    }

    /// The exit status of a shell command; its output is left to the test's own.
    private static func run(_ command: String) -> Int32 {
        guard let pipe = popen(command, "r") else { return -1 }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while fread(&buffer, 1, buffer.count, pipe) > 0 {}
        return pclose(pipe)
    }
}
