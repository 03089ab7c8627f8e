/// The style sheet of charts: colours that stay apart for the colour-blind, on light and on dark ground.
enum ChartStyle {
    static let colours = 6

    private static let light = ["#0b62a4", "#c2410c", "#0f766e", "#8b3fa0", "#8a6100", "#55606b"]
    private static let dark = ["#6cb6ff", "#ff9d6c", "#4fd1c0", "#d29bf0", "#e3b341", "#9aa4af"]

    /// The custom properties of one scheme.
    static func palette(dark isDark: Bool) -> String {
        let ground =
            isDark
            ? "--ground:#14171a;--raised:#1d2125;--ink:#e8eaed;--soft:#a9b0b8;--grid:#343a41;"
            : "--ground:#fff;--raised:#f5f6f8;--ink:#1a1c1e;--soft:#575d64;--grid:#dde1e5;"
        let named = (isDark ? dark : light).enumerated().map { "--c\($0.offset):\($0.element);" }
        return ground + named.joined()
    }

    /// Every rule that a chart needs, colours included: light, dark where the reader's system is, light on
    /// paper.
    static let sheet: Markup = Markup(stringLiteral: sheetText)

    private static let sheetText: String = {
        var rules = """
            :root{\(palette(dark: false))}
            @media (prefers-color-scheme:dark){:root{\(palette(dark: true))}}
            @media print{:root{\(palette(dark: false))}}
            .chart{max-width:100%;height:auto;font:12px system-ui,sans-serif}
            .chart text{fill:var(--ink)}
            .chart .head{font-size:15px;font-weight:600}
            .chart .end{text-anchor:end}.chart .mid{text-anchor:middle}
            .chart .grid path{stroke:var(--grid);fill:none}.chart .grid .axis{stroke:var(--soft)}
            .chart .grid text{fill:var(--soft)}
            .chart .note{stroke:var(--ground);stroke-width:3px;stroke-linejoin:round;paint-order:stroke}
            .chart .shade{fill:var(--soft);opacity:.06}.chart .shade.dark{opacity:.16}
            .l{fill:none;stroke-width:1.6}.l.thin{stroke-width:1.2}.l.thick{stroke-width:4;opacity:.75}
            .l.dash{stroke-dasharray:6 4}
            .a{stroke:none;opacity:.62}.a.faint{opacity:.22}.a.on{opacity:1}
            .off,.ground{fill:var(--ground)}

            """
        for number in 0..<colours {
            rules += ".l\(number){stroke:var(--c\(number))}.a\(number){fill:var(--c\(number))}\n"
        }
        return rules
    }()
}
