import Analysis

/// Text from outside, made safe for one place and held to a length there.
public enum CellText {
    /// The longest text of a table cell, in columns; exports have no limit.
    public static let limit = 48

    /// Fit for a terminal: controls visible, at most `limit` columns and a "…".
    public static func terminal(_ text: some StringProtocol, limit: Int = limit) -> String {
        cropped(text, limit: limit) { String($0).escapedForDisplay }
    }

    /// Fit for a cell of a Markdown table: as for a terminal, and nothing starts markup, HTML or a new cell.
    public static func markdown(_ text: some StringProtocol, limit: Int = limit) -> String {
        cropped(text, limit: limit) { scalar in
            switch scalar {
            case "|", "<", ">", "`", "[", "]", "*", "\\", "&": "\\" + String(scalar)
            default: String(scalar).escapedForDisplay
            }
        }
    }

    /// Fit for HTML and SVG, between tags and in a quoted attribute: controls visible, and nothing starts a tag,
    /// ends an attribute or is a reference to a character.
    public static func markup(_ text: some StringProtocol) -> String {
        var safe = ""
        safe.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": safe += "&amp;"
            case "<": safe += "&lt;"
            case ">": safe += "&gt;"
            case "\"": safe += "&quot;"
            case "'": safe += "&#39;"
            // No characters of XML: a picture with one of them would not be drawn at all.
            case "\u{FFFE}", "\u{FFFF}": safe += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: safe += String(scalar).escapedForDisplay
            }
        }
        return safe
    }

    /// One field of a CSV file (RFC 4180): quoted where it must be, controls visible, and a text that a
    /// spreadsheet would take for a formula starts with an apostrophe.
    public static func csv(_ text: String) -> String {
        var safe = ""
        if let first = text.unicodeScalars.first, formulaStarts.contains(first) { safe = "'" }
        safe += text.escapedForDisplay
        return csvQuoted(safe)
    }

    /// The text in double quotes if RFC 4180 asks for them.
    static func csvQuoted(_ text: String) -> String {
        let special: Set<Unicode.Scalar> = [",", "\"", "\r", "\n"]
        guard text.unicodeScalars.contains(where: special.contains) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
            + "\""
    }

    /// Spreadsheets evaluate cells that begin so; the wide forms in East Asian locales.
    private static let formulaStarts: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]

    /// Escapes scalar by scalar and stops before an escape would be cut in two.
    ///
    /// Marks take no column, so their number is bounded too: a name of a thousand accents stays short.
    private static func cropped(
        _ text: some StringProtocol, limit: Int, _ escape: (Unicode.Scalar) -> String
    ) -> String {
        var result = ""
        var width = 0
        var scalars = 0
        for scalar in text.unicodeScalars {
            let piece = escape(scalar)
            width += piece.displayWidth
            scalars += 1
            if width > limit || scalars > 4 * limit { return result + "…" }
            result += piece
        }
        return result
    }
}
