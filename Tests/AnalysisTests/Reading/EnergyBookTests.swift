import Testing

@testable import Analysis

@Suite struct EnergyBookTests {
    @Test func windowsNestAndOverlap() throws {
        var desk = Desk([package(restless(30)), package(restless(30, seed: 6))])
        let spans: [(id: UInt64, name: String, begin: Double, end: Double)] = [
            (1, "request", 5.03, 21.47), (2, "prefill", 6.21, 8.05), (3, "decode", 8.05, 20.1),
            (4, "other", 19.33, 25.9),
        ]
        let edges = spans.flatMap { [($0.begin, $0, true), ($0.end, $0, false)] }.sorted { $0.0 < $1.0 }
        for (time, window, opens) in edges {
            desk.run(until: time, mark: true)
            if opens {
                desk.book.begin(window.id, window.name, at: moment(time))
            } else {
                desk.book.end(window.id, at: moment(time))
            }
        }
        desk.run(until: 30)
        for window in spans {
            let reading = try desk.reading(window.id, at: 30)
            let truths = desk.counters.map { $0.course.energy(over: span(window.begin, window.end)) }
            #expect(reading.name == window.name)
            #expect(abs(reading.seconds - (window.end - window.begin)) < 1e-9)
            for (source, truth) in zip(reading.sources, truths) {
                let interval = try #require(bounds(source.joules))
                #expect(interval.low <= truth && truth <= interval.high)
                #expect(abs((source.joules.number ?? 0) / truth - 1) < 0.002)
            }
            let truth = truths.reduce(0, +)
            let interval = try #require(bounds(reading.joules))
            #expect(interval.low <= truth && truth <= interval.high)
            #expect(abs((reading.watts.number ?? 0) / (truth / reading.seconds) - 1) < 0.002)
            #expect(reading.total.includes == ["rapl:package-0", "rapl:package-1"])
        }
    }

    /// An hour in one window, with a counter that wraps again and again: memory stays, nothing is lost.
    @Test func aLongWindowIsAddedUpAndItsSamplesAreDropped() throws {
        let limits = EnergyBook.Limits(history: Seconds(10), stretch: Seconds(60), ticks: 2000)
        let seconds = 3600
        // 8 kJ: at 65 W a wrap about every two minutes.
        var desk = Desk([package(restless(seconds), range: 8_000_000_000)], limits: limits)
        desk.run(until: 4.2, mark: true)
        desk.book.begin(1, "hour", at: moment(4.2))
        let end = Double(seconds) - 5
        desk.run(until: end, mark: true)
        desk.book.end(1, at: moment(end))
        desk.run(until: end + 2)
        // A minute, ten seconds before it, and what comes between two looks.
        #expect(desk.mostTicks < 10 * (60 + 10 + 10))
        let reading = try desk.reading(1, at: end + 2)
        let truth = desk.counters[0].course.energy(over: span(4.2, end))
        let interval = try #require(bounds(reading.joules))
        #expect(interval.low <= truth && truth <= interval.high)
        #expect(abs((reading.joules.number ?? 0) / truth - 1) < 1e-4)
        #expect((interval.high - interval.low) / truth < 0.01)
        let first = (1000 + desk.counters[0].course.energy(4.2)) / 8000
        let last = (1000 + desk.counters[0].course.energy(end)) / 8000
        #expect(reading.sources[0].source.wraps == Int(last) - Int(first))
        #expect(reading.sources[0].source.resets == 0)
    }

    @Test func aReadingIsTheSameWheneverItIsAskedFor() throws {
        let limits = EnergyBook.Limits(history: Seconds(10), stretch: Seconds(60), ticks: 2000)
        var desk = Desk([package(restless(400))], limits: limits)
        desk.run(until: 20, mark: true)
        desk.book.begin(1, "early", at: moment(20))
        desk.run(until: 27.5, mark: true)
        desk.book.end(1, at: moment(27.5))
        desk.run(until: 30)
        var other = desk
        let early = try desk.reading(1, at: 30)
        other.run(until: 400)
        let late = try other.reading(1, at: 400)
        #expect(early == late)
        #expect(early.joules.number != nil)
        // What has been read needs no samples any more.
        desk.run(until: 400)
        #expect(desk.book.tickCount < 10 * 12)
    }

    @Test func whileNothingIsOpenOnlyTheHistoryIsKept() {
        var desk = Desk([package(restless(200))])
        desk.run(until: 200)
        #expect(desk.book.tickCount <= 10 * 62)
        #expect(desk.book.tickCount >= 10 * 59)
        desk.book.begin(1, "a", at: moment(200))
        desk.book.end(1, at: moment(200.5))
        desk.book.begin(2, "b", at: moment(201))
        #expect(desk.book.windowCount == 2)
        desk.book.forget(1)
        desk.book.forget(2)
        desk.book.forget(7)
        #expect(desk.book.windowCount == 0)
        let gone = desk.book.reading(of: 1, now: moment(202))
        #expect(gone == nil)
    }

    @Test func theNumberOfTicksIsLimitedAtAnyRate() throws {
        let limits = EnergyBook.Limits(history: Seconds(60), stretch: Seconds(600), ticks: 5000)
        var desk = Desk([package(PowerCourse(80))], limits: limits)
        desk.run(until: 3, interval: 0.001, mark: true)
        desk.book.begin(1, "fast", at: moment(3))
        desk.run(until: 20, interval: 0.001)
        desk.book.end(1, at: moment(20))
        desk.run(until: 22, interval: 0.001)
        // A second of margin about the seam and one between two looks stay above the limit for a moment.
        #expect(desk.mostTicks <= 5000 + 2000)
        let reading = try desk.reading(1, at: 22)
        #expect(abs((reading.joules.number ?? 0) / (80 * 17) - 1) < 1e-3)
    }

    @Test func anOpenWindowIsReadUpToNow() throws {
        var desk = Desk([package(PowerCourse(50))])
        desk.run(until: 2)
        desk.book.begin(1, "open", at: moment(2))
        desk.run(until: 12)
        let soFar = try desk.reading(1, at: 12)
        #expect(abs(soFar.seconds - 10) < 1e-9)
        #expect(abs((soFar.joules.number ?? 0) / 500 - 1) < 0.01)
        desk.run(until: 22)
        desk.book.endAll(at: moment(22))
        desk.book.end(1, at: moment(23))
        desk.run(until: 24)
        let whole = try desk.reading(1, at: 24)
        #expect(abs((whole.joules.number ?? 0) / 1000 - 1) < 0.01)
        #expect(desk.book.end(of: 1) == moment(22))
    }
}
