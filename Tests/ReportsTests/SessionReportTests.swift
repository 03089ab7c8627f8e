import Analysis
import FoundationEssentials
import Replay
import Testing

@testable import Reports

/// How a comparison is printed, and docs/session.schema.json against its documents. In order: the first test may write
/// the golden documents that the others read.
@Suite(.serialized) struct SessionReportTests {
    private static let schemaFile = SchemaCheck.file("session.schema.json")
    private static let names = ["session", "session-no-energy"]

    private static func document(_ name: String) -> SessionDocument {
        var plan = SimulatedSession.Plan([
            .init("a"), .init("b", energy: 0.9, speed: 1.06, peakRSS: 500 << 20), .init("c"),
        ])
        plan.gates = ["decode.gross.joules_per_token > +3%", "decode.tokens_per_second < -1%"]
        plan.hasEnergy = name == "session"
        var trace = SimulatedSession(plan, seed: 7).trace
        trace.variants[1].engine?.version = "b2"
        if name != "session" { trace.variants[2].outcome = OutcomeLine(.engineFailed, cause: "SIGSEGV") }
        return SessionDocument(trace)
    }

    private static func render(_ name: String, _ format: SessionFormat) throws -> String {
        let document = document(name)
        var earlier = document
        earlier.id = "20261129T005600Z-compare-7"
        return try SessionReport.render(
            document, format, drift: ControlDrift.of(document, among: [earlier]),
            bytes: try CanonicalJSON.document(document))
    }

    @Test(arguments: names) func documentsReadBack(name: String) throws {
        let text = try Self.render(name, .json)
        try Golden.expect(text, "records/\(name).json")
        #expect(try CanonicalJSON.decode(SessionDocument.self, from: Array(text.utf8)) == Self.document(name))
    }

    @Test(arguments: names) func tables(name: String) throws {
        for format in [SessionFormat.text, .markdown, .csv, .jsonl, .junit] {
            try Golden.expect(try Self.render(name, format), "tables/\(name).\(format.rawValue)")
        }
    }

    @Test(arguments: names) func everyKeyIsDescribed(name: String) throws {
        let schema = try CanonicalJSON.decode(JSONValue.self, from: Data(contentsOf: Self.schemaFile))
        let value = try CanonicalJSON.decode(
            JSONValue.self, from: try CanonicalJSON.line(Self.document(name)))
        #expect(SchemaCheck.unknownKeys(value, schema, root: schema, at: "") == [])
        guard case .object(var members) = value else {
            Issue.record("not an object")
            return
        }
        members["residency"] = .object(["surprise": .integer(1)])
        let found = SchemaCheck.unknownKeys(.object(members), schema, root: schema, at: "")
        #expect(found == ["residency.surprise"])
    }

    @Test(
        .enabled(if: SchemaCheck.validator != nil, "SUSTAIN_TEST_PYTHON names no python3 with jsonschema"),
        arguments: names)
    func validates(name: String) throws {
        let document = Golden.fixtures.appending(path: "records/\(name).json")
        #expect(try SchemaCheck.validate(document, against: Self.schemaFile, figure: ["idle_watts"]) == 0)
    }

    /// A failed condition is no failure of a build: it stands in the output of each case that compares.
    @Test func failedConditionsAreInEveryFormatForReading() throws {
        var document = Self.document("session")
        document.environment.filter.verdicts.append(Condition("governor", .fail, seen: "<powersave>"))
        for format in [SessionFormat.text, .markdown, .junit] {
            let text = try SessionReport.render(document, format, drift: nil, bytes: [])
            #expect(text.contains("condition failed, for all variants alike: governor"), "\(format)")
        }
        let junit = try SessionReport.render(document, .junit, drift: nil, bytes: [])
        let cases = junit.split(separator: "<testcase").filter { $0.contains("name=\"compared\"") }
        #expect(cases.count == 2)
        for one in cases {
            let output = one.split(separator: "<system-out>").last?.split(separator: "</system-out>").first
            #expect(
                output?.contains("\ncondition failed, for all variants alike: governor: &lt;powersave&gt;")
                    == true)
        }
        #expect(
            junit.contains("failures=\"0\"")
                == (try Self.render("session", .junit)).contains("failures=\"0\""))
    }

    @Test func whatComesFromOutsideIsEscaped() throws {
        var document = Self.document("session")
        let hostile = "\u{1B}[2J<b>|x\u{202E}\n=1"
        document.variants[1].name = hostile
        document.comparisons[0].variant = hostile
        document.comparisons[0].sentence = hostile
        document.gates[0].variant = hostile
        document.warnings = [hostile]
        func render(_ format: SessionFormat) throws -> String {
            try SessionReport.render(document, format, drift: nil, bytes: [])
        }
        for format in [SessionFormat.text, .markdown, .csv, .junit] {
            let text = try render(format)
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" }, "\(format)")
            #expect(!text.contains("\u{202E}"), "\(format)")
        }
        #expect(try !render(.junit).contains("<b>") && !render(.markdown).contains("<b>"))
        #expect(try render(.markdown).contains("\\|x"))
    }
}
