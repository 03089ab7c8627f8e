/// What the place where text is shown can do.
public struct Terminal: Sendable {
    /// Columns; nil where lines may be as long as they are (a file, a pipe).
    public var width: Int?
    /// Whether it shows characters beyond ASCII.
    public var isUnicode: Bool
    /// ANSI colours: a terminal, and no NO_COLOR (no-color.org).
    public var hasColour: Bool

    public init(width: Int? = nil, isUnicode: Bool = true, hasColour: Bool = false) {
        self.width = width
        self.isUnicode = isUnicode
        self.hasColour = hasColour
    }

    var ink: Ink { Ink(colour: hasColour) }
}

/// A course of values in one line of characters.
enum Sparkline {
    private static let blocks = Array("▁▂▃▄▅▆▇█")
    private static let plain = Array("_.-~=+*#")

    /// Heights from 0 up to the greatest value, so that a rate that is kept looks flat; "" for no value.
    static func text(_ values: [Float], unicode: Bool) -> String {
        let signs = unicode ? blocks : plain
        guard let top = values.filter(\.isFinite).max(), top > 0 else { return "" }
        return String(
            values.map { value in
                let share = value.isFinite ? min(max(value / top, 0), 1) : 0
                return signs[Int((share * Float(signs.count - 1)).rounded())]
            })
    }
}
