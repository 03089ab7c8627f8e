import Analysis

/// `-o svg`: charts, one below the other, as a picture that stands alone.
enum Picture {
    private static let margin = 12.0

    static func svg(_ charts: [Chart], title: String) -> String {
        var bottom = 0.0
        let body = charts.enumerated().map { number, chart -> Markup in
            let drawing = ChartDrawing(chart, width: ChartDrawing.wide, titled: true)
            let top = bottom
            bottom += drawing.height + 2 * margin
            return "<g transform=\"translate(0 \(top))\">\(drawing.svg(id: "p\(number)"))</g>\n"
        }.joined()
        return document(title, height: bottom, body)
    }

    /// A picture that says why there is no chart.
    static func svg(missing reason: String, title: String) -> String {
        let lines = "\(title): unavailable: \(reason)".wrapped(width: 90, indent: 0).split(separator: "\n")
        let body = lines.enumerated().map { number, line -> Markup in
            "<text x=\"0\" y=\"\(16 + Double(number) * TextMetrics.lineHeight)\">\(String(line))</text>\n"
        }.joined()
        return document(
            title, height: 16 + Double(lines.count) * TextMetrics.lineHeight, "<g class=\"chart\">\(body)</g>"
        )
    }

    private static func document(_ title: String, height: Double, _ body: Markup) -> String {
        let (width, height) = (ChartDrawing.wide + 2 * margin, height + 2 * margin)
        let picture: Markup = """
            <svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="\(title)" viewBox="\(-margin) \(-margin) \
            \(width) \(height)" width="\(width)" height="\(height)">
            <style>\(ChartStyle.sheet)</style>
            <rect class="ground" x="\(-margin)" y="\(-margin)" width="\(width)" height="\(height)"/>
            \(body)</svg>

            """
        return picture.text
    }
}
