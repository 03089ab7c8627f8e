import Testing

@testable import Reports

@Suite struct ChartTests {
    @Test func roundTicks() {
        func labels(_ range: ClosedRange<Double>, _ most: Int = 6, unit: Double = 1) -> [String] {
            Axis(title: "", range: range, unit: unit).ticks(most: most).map(\.label)
        }
        #expect(labels(0...600) == ["0", "100", "200", "300", "400", "500", "600"])
        #expect(labels(0...1) == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"])
        #expect(labels(0.013...0.021) == ["0.014", "0.016", "0.018", "0.020"])
        #expect(labels(0...3600, 4, unit: 60) == ["0", "20", "40", "60"])
        #expect(labels(-5...5, 3) == ["-5", "0", "5"])
        #expect(labels(7...7) == [])
        #expect(labels(0 ... .infinity) == [])
    }

    @Test func logarithmicAxis() {
        let axis = Axis(title: "", range: 0.001...0.1, unit: 1e-3, isLogarithmic: true)
        #expect(abs(axis.position(0.01) - 0.5) < 1e-6)
        #expect(axis.position(0.001) == 0 && axis.position(0.1) == 1 && axis.position(0) == 0)
        let ticks = axis.ticks(most: 7)
        #expect(ticks.map(\.label) == ["1", "2", "5", "10", "20", "50", "100"])
        #expect(
            Axis(title: "", range: 1e-4...10, isLogarithmic: true).ticks(most: 9).map(\.label).first
                == "0.0001")
    }

    @Test func positionsAreHeldAtTheEnds() {
        let axis = Axis(title: "", range: 10...20)
        #expect(axis.position(5) == 0 && axis.position(25) == 1 && axis.position(15) == 0.5)
        #expect(Axis(title: "", range: 3...3).position(3) == 0.5)
        #expect((0...1).contains(axis.position(.nan)))
    }

    /// The axis of close values says that it does not start at 0, and a change of 1 % stays small on it.
    @Test func closeValuesAreNotBlownUp() {
        let axis = Axis.values("t/s", 99...100)
        #expect(axis.title.contains("not from 0"))
        #expect(axis.position(100) - axis.position(99) < 0.15)
        #expect(Axis.values("W", 3...100).range.lowerBound == 0)
        #expect(Axis.values("W", 99...100, fromZero: true).range.lowerBound == 0)
        #expect(Axis.values("W", 0...0).range.upperBound > 0)
        #expect(Axis.values("W", -5...10).range.lowerBound == -5)
    }

    @Test func labelsNeverTouch() {
        var placer = LabelPlacer(bounds: Box(left: 0, top: 0, right: 300, bottom: 100))
        var generator = SplitMix(state: 5)
        var boxes: [Box] = []
        for number in 0..<60 {
            let text = "label \(number)"
            let place = LabelPlacer.Place(
                x: Double(generator.next() % 300), y: Double(generator.next() % 100), anchor: .middle)
            guard let found = placer.place(text, at: [place]) else { continue }
            let width = TextMetrics.width(text)
            let box = Box(
                left: found.x - width / 2, top: found.y - 12, right: found.x + width / 2, bottom: found.y + 4)
            #expect(!boxes.contains(where: box.meets))
            #expect(box.left >= 0 && box.right <= 300 && box.top >= 0 && box.bottom <= 100)
            boxes.append(box)
        }
        #expect(boxes.count > 3 && boxes.count < 60)
    }

    @Test func aLabelMovesOnToItsNextPlace() {
        var placer = LabelPlacer(bounds: Box(left: 0, top: 0, right: 300, bottom: 100))
        let places = [50.0, 70].map { LabelPlacer.Place(x: 10, y: $0, anchor: .start) }
        #expect(placer.place("one", at: places)?.y == 50)
        #expect(placer.place("two", at: places)?.y == 70)
        #expect(placer.place("three", at: places) == nil)
    }

    @Test func textIsEscapedAndMarkupIsNot() {
        let outside = "<b a=\"1\" c='2'>&amp;\u{1B}\u{202E}\u{FFFF}"
        let text: Markup = "<p title=\"\(outside)\">\(outside)</p>"
        let safe = "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;\\u{1b}\\u{202e}\\u{ffff}"
        #expect(text.text == "<p title=\"\(safe)\">\(safe)</p>")
        let again: Markup = "<div>\(text)</div>"
        #expect(again.text == "<div>" + text.text + "</div>")
        let numbers: Markup = "\(1.0) \(2.25) \(-0.04) \(7)"
        #expect(numbers.text == "1 2.2 0 7")
    }
}
