/// HTML or SVG text in which everything that came from outside is escaped.
///
/// Written as an interpolated string: what stands in the literal is markup, a `String` that is interpolated is
/// text and goes through `CellText.markup`, another `Markup` stays as it is. So escaping cannot be forgotten.
struct Markup: Sendable, Hashable, ExpressibleByStringInterpolation {
    var text: String

    init(stringLiteral text: String) { self.text = text }
    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 8 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ outside: String) { text += CellText.markup(outside) }
        mutating func appendInterpolation(_ markup: Markup) { text += markup.text }
        mutating func appendInterpolation(_ number: Int) { text += String(number) }
        /// A coordinate, to a tenth of a pixel and without a needless ".0".
        mutating func appendInterpolation(_ number: Double) {
            let shown = fixed(number, decimals: 1)
            text += shown.hasSuffix(".0") ? String(shown.dropLast(2)) : shown
        }
    }

    static func + (left: Markup, right: Markup) -> Markup { Markup(stringLiteral: left.text + right.text) }
    static func += (left: inout Markup, right: Markup) { left.text += right.text }

    static let empty = Markup(stringLiteral: "")
}

extension Sequence<Markup> {
    func joined(_ separator: Markup = .empty) -> Markup {
        Markup(stringLiteral: map(\.text).joined(separator: separator.text))
    }
}
