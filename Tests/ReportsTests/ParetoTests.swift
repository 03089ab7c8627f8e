import Analysis
import Testing

@testable import Reports

@Suite struct ParetoTests {
    typealias Point = ParetoFrontier.Point

    @Test func knownAnswers() {
        let points = [Point(cost: 1, benefit: 10), Point(cost: 2, benefit: 20), Point(cost: 3, benefit: 15)]
        #expect(ParetoFrontier.indices(of: points) == [0, 1])
        #expect(ParetoFrontier.indices(of: []) == [])
        #expect(ParetoFrontier.indices(of: [Point(cost: 1, benefit: 1)]) == [0])
    }

    @Test func ties() {
        // Equal in both: both stand. Equal in one: the better of the other stands.
        let points = [
            Point(cost: 1, benefit: 5), Point(cost: 1, benefit: 5), Point(cost: 1, benefit: 4),
            Point(cost: 2, benefit: 5),
        ]
        #expect(ParetoFrontier.indices(of: points) == [0, 1])
    }

    @Test func whatIsNotFiniteIsNeverOnIt() {
        let points = [
            Point(cost: .nan, benefit: 100), Point(cost: -.infinity, benefit: 1),
            Point(cost: 1, benefit: .infinity),
            Point(cost: 2, benefit: 3),
        ]
        #expect(ParetoFrontier.indices(of: points) == [3])
    }

    @Test func agreesWithTheDefinition() {
        var generator = SplitMix(state: 3)
        for _ in 0..<300 {
            let points = (0..<Int(generator.next() % 12)).map { _ in
                Point(cost: Double(generator.next() % 6), benefit: Double(generator.next() % 6))
            }
            let expected = points.indices.filter { index in
                !points.contains { other in
                    other.cost <= points[index].cost && other.benefit >= points[index].benefit
                        && other != points[index]
                }
            }
            #expect(ParetoFrontier.indices(of: points).sorted() == expected)
        }
    }

    @Test func runsThatDoNotCountAreOffIt() {
        let cheap = RecordBuilder(id: "cheap", joulesPerToken: 0.1, sustained: 300, failedCheck: "other_load")
        let cut = RecordBuilder(id: "cut", joulesPerToken: 0.1, sustained: 300, status: .interrupted)
        let good = RecordBuilder(id: "good")
        #expect(table([cheap, cut, good]).frontier == ["good"])
    }

    @Test func anotherProtocolOrDeviceIsAnotherSection() {
        let short = RecordBuilder(id: "short", joulesPerToken: 0.9, seconds: 60)
        let other = RecordBuilder(id: "other", joulesPerToken: 0.9, identity: ["cpu_model": .known("Other")])
        let estimated = RecordBuilder(id: "estimated", joulesPerToken: 0.9, tokenCounts: "estimated")
        let table = table([RecordBuilder(id: "good"), short, other, estimated])
        #expect(table.sections.count == 4)
        // Tokens that nobody counted rank nothing.
        #expect(table.frontier == ["good", "short", "other"])
        #expect(table.axes.reason(Run(estimated.build(), path: "")) == Setting.notRanked)
        // A newer kernel is the same device.
        let updated = RecordBuilder(
            id: "updated", joulesPerToken: 0.9,
            identity: ["cpu_model": .known("Example 9000"), "kernel": .known("7.0")])
        #expect(self.table([RecordBuilder(id: "good"), updated]).frontier == ["good"])
    }

    @Test func joulesOfOtherScopesHaveAFrontierOfTheirOwn() {
        let package = RecordBuilder(id: "package", joulesPerToken: 0.2, includes: ["rapl:package-0"])
        let all = RecordBuilder(id: "all", joulesPerToken: 0.3)
        let table = table([package, all])
        #expect(table.sections.count == 1)
        #expect(table.frontier == ["package", "all"])
        #expect(text(table).contains("a frontier of its own"))
    }

    @Test func withoutEnergyThereIsNoFrontierAndOneReason() {
        let text = text(
            table([
                RecordBuilder(id: "a", joulesPerToken: nil), RecordBuilder(id: "b", joulesPerToken: nil),
            ]))
        #expect(text.split(separator: "\n").count { $0.hasPrefix("no frontier") } == 1)
        #expect(text.split(separator: "\n").count { $0.contains("tg256") } == 2)
    }

    @Test func plotKeepsItsMarksInside() {
        func lines(_ plot: ScatterPlot) -> [Substring] {
            plot.text.split(separator: "\n", omittingEmptySubsequences: false)
        }
        let marks = [ScatterPlot.Mark(x: 1, y: 1), .init(x: 1, y: 1, symbol: "3"), .init(x: 1, y: 1)]
        let plot = lines(ScatterPlot(marks: marks, xTitle: "x", yTitle: "y"))
        #expect(plot.count == 12 + 5)
        // Of marks in one place that on the frontier is seen.
        let inside = plot[1...12].joined()
        #expect(inside.count { $0 == "3" } == 1 && !inside.contains("o"))
        let far = ScatterPlot(
            marks: [.init(x: -1e308, y: 0), .init(x: 1e308, y: 1)], xTitle: "x", yTitle: "y")
        #expect(lines(far)[1...12].joined().count { $0 == "o" } == 2)
        // As wide as the terminal, and no narrower than what can be read.
        for (width, expected) in [(40, 40), (60, 60), (5, 23), (500, 72)] {
            let terminal = Terminal(width: width, isUnicode: true)
            let plot = lines(ScatterPlot(marks: marks, xTitle: "x", yTitle: "y", terminal: terminal))
            #expect(plot[13].count <= expected, "\(width)")
            #expect(plot[1].contains("│") && plot[13].contains("└"))
        }
    }

    private func table(_ builders: [RecordBuilder]) -> ParetoTable {
        ParetoTable(
            builders.map { Run($0.build(), path: "") },
            axes: ParetoAxes(x: ParetoMeasure.all[0], y: ParetoMeasure.all[8]))
    }

    private func text(_ table: ParetoTable) -> String {
        SectionText(table: table, pareto: true, place: .terminal, terminal: Terminal(isUnicode: false)).text
    }
}
