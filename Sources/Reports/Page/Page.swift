import Analysis

/// The parts that every page shares.
///
/// A page is one file: no script, no picture, no font and no address of another place, and its own policy says
/// so to the browser.
enum Page {
    /// - Parameters:
    ///   - isWide: for tables of many columns.
    ///   - title: from outside as it is.
    static func document(
        isWide: Bool = false, title: String, header: Markup, main: Markup, tool: String
    ) -> String {
        let page: Markup = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <title>\(CellText.terminal(title, limit: 120))</title>
            <style>
            \(ChartStyle.sheet)\(PageStyle.sheet)
            </style>
            </head>
            <body\(isWide ? " class=\"broad\"" as Markup : .empty)>
            <a class="skip" href="#figures">Skip to the figures</a>
            <header>
            \(header)</header>
            <main>
            \(main)</main>
            <footer>
            <p>\(tool) The 95 % intervals are the repeatability within a run; the sensors' accuracy is not in them. \
            A value that could not be measured is “unavailable”, with its reason, never 0.</p>
            </footer>
            </body>
            </html>

            """
        return page.text
    }

    /// A section with its heading.
    static func section(_ id: Markup, _ title: String, _ body: Markup) -> Markup {
        """
        <section aria-labelledby="\(id)">
        <h2 id="\(id)">\(title)</h2>
        \(body)</section>

        """
    }

    /// A chart at both widths beside what has to be known of it; where there is none, why.
    static func figure(
        _ chart: Result<Chart, Unavailable>, named name: String, id: Markup, beside notes: Markup
    ) -> Markup {
        let picture: Markup
        switch chart {
        case .failure(let why):
            picture = "<p class=\"absent\"><strong>\(name): unavailable:</strong> \(why.reason)</p>\n"
        case .success(let chart):
            let wide = ChartDrawing(chart, width: ChartDrawing.wide).svg(id: id.text + "w")
            let narrow = ChartDrawing(chart, width: ChartDrawing.narrow).svg(id: id.text + "n")
            picture = """
                <figure>
                <h3>\(chart.title)</h3>
                <div class="wide">\(wide)</div>
                <div class="narrow">\(narrow)</div>
                </figure>

                """
        }
        return """
            <div class="pair">
            \(picture)<aside aria-label="\(name): figures and conditions">
            \(notes)</aside>
            </div>

            """
    }

    static func list(_ lines: [String]) -> Markup {
        lines.isEmpty
            ? .empty : "<ul>\n\(lines.map { line -> Markup in "<li>\(line)</li>\n" }.joined())</ul>\n"
    }

    static func details(_ summary: String, _ body: Markup) -> Markup {
        "<details>\n<summary>\(summary)</summary>\n\(body)</details>\n"
    }
}
