import Analysis
import FoundationEssentials
import Testing

@testable import Reports

/// The table of `sustain measure`, and docs/measure.schema.json against its records.
@Suite(.serialized) struct MeasureTableTests {
    private static let schemaFile = SchemaCheck.file("measure.schema.json")
    private static let names = ["measure", "measure-no-energy"]

    private static func record(_ name: String) -> MeasureRecord {
        name == "measure"
            ? MeasureRecordBuilder().build()
            : MeasureRecordBuilder(command: ["false"], joules: [0], exitCode: 1, hasEnergy: false).build()
    }

    @Test(arguments: names) func tables(name: String) throws {
        try Golden.expect(MeasureTable.text(Self.record(name)), "tables/\(name).txt")
    }

    @Test(arguments: names) func recordsReadBack(name: String) throws {
        let record = Self.record(name)
        let text = String(decoding: try CanonicalJSON.document(record), as: UTF8.self)
        try Golden.expect(text, "records/\(name).json")
        #expect(try CanonicalJSON.decode(MeasureRecord.self, from: Array(text.utf8)) == record)
    }

    @Test(arguments: names) func everyKeyIsDescribed(name: String) throws {
        let schema = try CanonicalJSON.decode(JSONValue.self, from: Data(contentsOf: Self.schemaFile))
        var record = Self.record(name)
        record.idle.disturbance = "other programs"
        let bytes = try CanonicalJSON.line(record)
        let value = try CanonicalJSON.decode(JSONValue.self, from: bytes)
        #expect(SchemaCheck.unknownKeys(value, schema, root: schema, at: "") == [])
        guard case .object(var members) = value else {
            Issue.record("not an object")
            return
        }
        members["idle"] = .object(["surprise": .integer(1)])
        #expect(SchemaCheck.unknownKeys(.object(members), schema, root: schema, at: "") == ["idle.surprise"])
    }

    @Test(
        .enabled(if: SchemaCheck.validator != nil, "SUSTAIN_TEST_PYTHON names no python3 with jsonschema"),
        arguments: names)
    func validates(name: String) throws {
        let record = Golden.fixtures.appending(path: "records/\(name).json")
        #expect(
            try SchemaCheck.validate(record, against: Self.schemaFile, figure: ["total", "gross", "joules"])
                == 0)
    }

    @Test func whatComesFromOutsideIsEscaped() {
        var builder = MeasureRecordBuilder(command: ["\u{1B}[2Jrm", "-rf\n"])
        builder.exitCode = 3
        var record = builder.build()
        record.warnings = ["odd\u{7}"]
        record.total.scopes.excludes = [.init(id: "x\u{202E}y", reason: "\r")]
        let text = MeasureTable.text(record)
        #expect(text.contains("\\u{1b}[2Jrm") && text.contains("odd\\u{7}") && text.contains("x\\u{202e}y"))
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    }

    /// It stands beside the number, and the notes say why.
    @Test func anUnreliableNetIsCalledSo() throws {
        var record = MeasureRecordBuilder().build()
        record.idle.disturbance = "other programs used 1.02 cores in idle_before"
        let lines = MeasureTable.text(record).split(separator: "\n")
        let net = try #require(lines.first { $0.hasPrefix("total, net") })
        #expect(net.hasSuffix("W, unreliable"))
        #expect(lines.contains("- net is unreliable: other programs used 1.02 cores in idle_before"))
        let well = MeasureTable.text(MeasureRecordBuilder().build())
        #expect(!well.contains("unreliable"))
    }

    @Test func twoRunsAreCalledProvisional() {
        let text = MeasureTable.text(MeasureRecordBuilder(joules: [850, 851]).build())
        #expect(text.contains("mean of 2 runs") && text.contains("provisional"))
        #expect(!MeasureTable.text(MeasureRecordBuilder().build()).contains("provisional"))
    }
}
