import Analysis
import FoundationEssentials
import Testing

@testable import Reports

/// docs/parity.schema.json against results: every key is described, and what is described is there.
@Suite struct ParitySchemaTests {
    private static let schemaFile = SchemaCheck.file("parity.schema.json")

    private func passed() -> ParityResult {
        let rows = (0..<64).flatMap { position in (0..<4).map { Float($0 == position % 4 ? 5 : 0) } }
        var tally = ParityTally(vocabulary: 4, tokens: (0..<64).map { Int32($0 % 4) })
        rows.withUnsafeBufferPointer { tally.add(reference: $0, variant: $0, first: 0) }
        return tally.result(relation: .sameFile, thresholds: nil, greedyDivergence: .known(12))
    }

    private var results: [ParityResult] { [passed(), .cannotTell("another tokenizer", relation: .other)] }

    @Test func everyKeyIsDescribed() throws {
        let schema = try CanonicalJSON.decode(JSONValue.self, from: Data(contentsOf: Self.schemaFile))
        for result in results {
            let document = try CanonicalJSON.decode(JSONValue.self, from: try CanonicalJSON.document(result))
            #expect(SchemaCheck.unknownKeys(document, schema, root: schema, at: "") == [])
        }
    }

    @Test(.enabled(if: SchemaCheck.validator != nil, "SUSTAIN_TEST_PYTHON names no python3 with jsonschema"))
    func validates() throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "parity-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: place) }
        for result in results {
            try Data(try CanonicalJSON.document(result)).write(to: place)
            #expect(try SchemaCheck.validate(place, against: Self.schemaFile, figure: ["mean_kl"]) == 0)
        }
    }
}
