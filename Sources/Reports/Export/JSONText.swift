import Analysis

/// JSON in which what a terminal would obey is written as `\uXXXX`: the same values to a parser.
enum JSONText {
    /// - Parameter lines: an object a line, without an array about them.
    static func rows(_ objects: [JSONValue], lines: Bool) throws(Failure) -> String {
        do {
            return lines
                ? try objects.map { visible(try CanonicalJSON.line($0)) + "\n" }.joined()
                : visible(try CanonicalJSON.document(objects))
        } catch {
            throw Failure(thing: "report", cause: "a value cannot be written as JSON", remedy: nil)
        }
    }

    private static func visible(_ json: [UInt8]) -> String {
        var text = ""
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            // Outside strings JSON is ASCII, and its own escapes leave no C0 control inside them.
            guard scalar.obeyedByTerminals, scalar != "\n" else {
                text.unicodeScalars.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return text
    }
}
