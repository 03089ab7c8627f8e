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
        #expect(table.frontier == ["good", "short", "other", "estimated"])
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
        #expect(table.text(.terminal).contains("a frontier of its own"))
    }

    @Test func withoutEnergyThereIsNoFrontierAndOneReason() {
        let text = table([
            RecordBuilder(id: "a", joulesPerToken: nil), RecordBuilder(id: "b", joulesPerToken: nil),
        ])
        .text(.terminal)
        #expect(text.split(separator: "\n").count { $0.hasPrefix("no frontier") } == 1)
        #expect(text.split(separator: "\n").count { $0.contains("tg256") } == 2)
    }

    @Test func plotKeepsItsMarksInside() {
        let marks = [ScatterPlot.Mark(x: 1, y: 1, symbol: "o"), .init(x: 1, y: 1, symbol: "*")]
        let text = ScatterPlot(marks: marks, xTitle: "x", yTitle: "y").text
        #expect(text.count { $0 == "*" } == 1)
        #expect(!text.contains("o"))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 12 + 4)
        let far = ScatterPlot(
            marks: [.init(x: -1e308, y: 0, symbol: "o"), .init(x: 1e308, y: 1, symbol: "o")], xTitle: "x",
            yTitle: "y")
        #expect(far.text.count { $0 == "o" } == 2)
    }

    private func table(_ builders: [RecordBuilder]) -> ParetoTable {
        ParetoTable(builders.map { ($0.build(), "") })
    }
}
