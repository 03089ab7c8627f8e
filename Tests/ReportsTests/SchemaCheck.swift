import Analysis
import FoundationEssentials
import Glibc
import Testing

/// Checks of JSON documents against the schemas in docs/.
enum SchemaCheck {
    static func file(_ name: String) -> URL {
        Golden.fixtures.deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "docs/\(name)")
    }

    /// A python3 with the jsonschema package, named by SUSTAIN_TEST_PYTHON; nil skips the validation.
    static let validator: String? = {
        guard let python = ProcessInfo.processInfo.environment["SUSTAIN_TEST_PYTHON"] else { return nil }
        return run("\(python) -c 'import jsonschema'") == 0 ? python : nil
    }()

    /// 0 when the document is valid, and is not once the figure at a path lacks its method and interval.
    static func validate(_ document: URL, against schema: URL, figure path: [String]) throws -> Int32 {
        let python = try #require(validator)
        let keys = path.map { "[\"\($0)\"]" }.joined()
        let program = """
            import json, sys, jsonschema
            schema = json.load(open(sys.argv[1]))
            jsonschema.Draft202012Validator.check_schema(schema)
            validator = jsonschema.Draft202012Validator(schema)
            record = json.load(open(sys.argv[2]))
            bad = [error.json_path for error in validator.iter_errors(record)]
            record\(keys) = {"value": 1}
            assert list(validator.iter_errors(record)), "a figure without method and interval passed"
            sys.exit("\\n".join(bad) or 0)
            """
        return run("\(python) -c '\(program)' '\(schema.path)' '\(document.path)'")
    }

    /// Key paths of `value` that no alternative of `schema` describes.
    static func unknownKeys(
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
    private static func alternatives(_ schema: JSONValue, root: JSONValue) -> [JSONValue] {
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
    static func run(_ command: String) -> Int32 {
        guard let pipe = popen(command, "r") else { return -1 }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while fread(&buffer, 1, buffer.count, pipe) > 0 {}
        return pclose(pipe)
    }
}
