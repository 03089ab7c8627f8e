/// Colour by ANSI SGR codes (ECMA-48, 8.3.117), or none: the text reads the same without.
struct Ink {
    var colour: Bool

    func bold(_ text: String) -> String { wrap(text, "1") }
    func good(_ text: String) -> String { wrap(text, "1;32") }

    func toned(_ text: String, _ tone: Fact.Tone) -> String {
        switch tone {
        case .plain: text
        case .bad: wrap(text, "31")
        case .warning: wrap(text, "33")
        }
    }

    private func wrap(_ text: String, _ code: String) -> String {
        colour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
