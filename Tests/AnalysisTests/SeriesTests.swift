import Testing

@testable import Analysis

/// What charts are drawn from: nothing is lost that an eye would look for.
@Suite struct SeriesTests {
    private func random(_ count: Int, seed: UInt64) -> [Course.Point] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { Course.Point(Double($0), generator.unit() * 100) }
    }

    @Test(arguments: [3, 100, 401, 10_000])
    func thinningKeepsExtremesEndsAndOrder(count: Int) throws {
        var points = random(count, seed: UInt64(count))
        points[count / 3].value = -5
        points[count / 2].value = 1_000
        let course = Course(id: "x", points)
        let thinned = course.thinned(buckets: 50)
        let kept = Array(thinned.points)
        #expect(kept.count <= max(4 * 51, 3))
        #expect(thinned.range == course.range)
        #expect(kept.first == points.first && kept.last == points.last)
        #expect(zip(kept, kept.dropFirst()).allSatisfy { $0.seconds < $1.seconds })
        #expect(Set(kept).isSubset(of: Set(points)))
        // Each length of time keeps its own extremes, not only the whole.
        let length = Double(count - 1) / 50
        for bucket in 0..<50 where count > 200 {
            let own = points.filter { Int($0.seconds / length) == bucket }.map(\.value)
            let left = kept.filter { Int($0.seconds / length) == bucket }.map(\.value)
            #expect(own.min() == left.min() && own.max() == left.max())
        }
    }

    @Test func gapsStayOpen() {
        let points = random(20, seed: 1).filter { !(8...14).contains($0.seconds) }
        #expect(Course(id: "x", points).stretches.map(\.count) == [8, 5])
        #expect(
            Course(id: "x", [.init(0, 1), .init(1, .nan), .init(2, 3)]).stretches.map(\.count) == [1, 1])
        #expect(Course(id: "x", []).isEmpty)
        #expect(Course(id: "x", []).range == nil)
    }

    private func run(_ change: (inout SyntheticRun) -> Void = { _ in }) throws -> Trace {
        var run = SyntheticRun()
        run.seconds = 100
        run.watts = 50
        change(&run)
        return try Trace.parse(try run.bytes, name: "synthetic")
    }

    @Test func powerOfAConstantSourceIsConstant() throws {
        let trace = try run()
        let power = try RunSeries(trace).power.get()
        #expect(power.sources == ["rapl:package-0"])
        #expect(power.step == 1)
        #expect(power.stretches.count == 1)
        let cells = Array(power.cells)
        #expect(cells.count > 130)
        #expect(cells.allSatisfy { abs($0.total - 50) < 0.1 })
        #expect(zip(cells, cells.dropFirst()).allSatisfy { abs($0.end - $1.begin) < 1e-6 })
    }

    @Test func gatheredPowerKeepsEnergyAndExtremes() {
        var cells: [PowerSeries.Cell] = []
        for number in 0..<1000 {
            let watts: [Double] = [number == 500 ? 900 : 10, Double(number % 7)]
            cells.append(PowerSeries.Cell(begin: Double(number), end: Double(number + 1), watts: watts))
        }
        let whole = PowerSeries(
            sources: ["a", "b"], step: 1, stretches: [Array(cells[..<300]), Array(cells[300...])])
        let gathered = whole.gathered(most: 90)
        #expect(Array(gathered.cells).count <= 93)
        func joules(_ series: PowerSeries) -> Double {
            series.cells.reduce(0) { $0 + $1.total * ($1.end - $1.begin) }
        }
        #expect(abs(joules(gathered) - joules(whole)) < 1e-6)
        let left = Array(gathered.cells)
        #expect(left.map(\.high).max() == cells.map(\.high).max())
        #expect(left.map(\.low).min() == cells.map(\.low).min())
        #expect(gathered.stretches.count == 2)
        #expect(whole.gathered(most: 2000) == whole)
    }

    @Test func withoutASourceThereIsAReasonAndNoZero() throws {
        let series = RunSeries(try run { $0.watts = nil })
        guard case .failure(let why) = series.power, case .failure = series.joulesPerToken else {
            Issue.record("power without a source")
            return
        }
        #expect(why.reason.contains("no energy source"))
        #expect(series.temperatures.isEmpty && series.clocks.isEmpty)
    }

    @Test func aFailedStretchIsAGapAndNotALowPower() throws {
        var trace = try run()
        // The counter starts anew: what lies between the reads about it is not known.
        let index = try #require(trace.sources.first { $0.id == "rapl:package-0" }?.index)
        let reads = trace.samples.indices.filter { trace.samples[$0].sources == [index] }
        let reset = reads[reads.count / 2]
        let before = try #require(trace.samples[reset].values[0])
        for sample in reads where sample >= reset {
            trace.samples[sample].values[0] = trace.samples[sample].values[0].map { $0 - before }
        }
        let power = try RunSeries(trace).power.get()
        #expect(power.stretches.count == 2)
        #expect(power.cells.allSatisfy { abs($0.total - 50) < 0.1 })
    }

    @Test func joulesPerTokenAreThoseOfTheTokens() throws {
        let run = try run()
        let series = try RunSeries(run).joulesPerToken.get()
        // 101 tokens in 0.5 s + 100 x 0.01 s + 0.01 s at 50 W.
        let expected = 50 * 1.51 / 101
        #expect(series.step == 10)
        #expect(series.cells.count == 10)
        for cell in series.cells {
            #expect(abs(cell.value - expected) < 0.1 * expected)
            #expect(cell.bounds.map { $0.contains(cell.value) } == true)
        }
        let tokens = series.cells.reduce(0) { $0 + 50 * ($1.end - $1.begin) / $1.value }
        #expect(abs(tokens - 100 / 1.51 * 101) < 110)
    }

    @Test func everyStepIsInOneBin() throws {
        let lengths: [Int64] = [3_000_000, 3_000_000, 3_500_000, 9_000_000, 250_000_000]
        let histogram = try #require(LatencyHistogram(lengths))
        #expect(histogram.total == lengths.count)
        #expect(histogram.edges.count == histogram.counts.count + 1)
        #expect(zip(histogram.edges, histogram.edges.dropFirst()).allSatisfy { $0 < $1 })
        #expect(abs((histogram.edges.first ?? 0) - 0.003) < 1e-12)
        #expect(abs((histogram.edges.last ?? 0) - 0.25) < 1e-9)
        #expect(histogram.counts.first == 2 && histogram.counts.last == 1)
        let equal = try #require(LatencyHistogram([0, 0] as [Int64]))
        #expect(equal.total == 2 && equal.counts[0] == 2)
        #expect(LatencyHistogram([] as [Int64]) == nil)
    }

    @Test func namedPointsAreThoseOfTheRecord() throws {
        let trace = try run()
        let points = RunSeries(trace).memoryPoints
        let record = Analyze.record(from: trace).memory.points
        #expect(points.map(\.name).sorted() == record.keys.sorted())
        #expect(points.allSatisfy { record[$0.name]?["rss"] == $0.bytes })
        #expect(zip(points, points.dropFirst()).allSatisfy { $0.seconds <= $1.seconds })
    }

    @Test func theSustainedPartHasItsPlace() throws {
        let trace = try run { $0.temperature = { 40 + $0 / 10 } }
        let series = RunSeries(trace)
        #expect(series.sustainedStart == trace.zero)
        #expect(series.burst?.lowerBound == 10)
        #expect(series.temperatures.map(\.id) == ["hwmon:cpu/temp1"])
        #expect(series.temperatures.first?.range.map { $0.lowerBound < 41 && $0.upperBound > 50 } == true)
    }
}
