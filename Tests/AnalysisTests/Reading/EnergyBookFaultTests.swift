import Testing

@testable import Analysis

@Suite struct EnergyBookFaultTests {
    @Test func aSuspendVoidsTheWindowsItTouches() throws {
        var desk = Desk([package(PowerCourse(50))])
        let windows: [(UInt64, Double, Double)] = [(1, 2, 9), (2, 8, 15), (3, 16, 19)]
        for (id, begin, end) in windows {
            desk.book.begin(id, "w", at: moment(begin))
            desk.book.end(id, at: moment(end))
        }
        for second in 0...20 {
            // The two clocks are read one after the other: some jitter.
            let slept: Int64 = (second < 12 ? 0 : 60_000_000_000) + Int64(second % 3) * 900
            desk.book.note(slept: slept, at: moment(Double(second)))
            desk.run(until: Double(second) + 0.95)
        }
        let before = try desk.reading(1, at: 21)
        let across = try desk.reading(2, at: 21)
        let after = try desk.reading(3, at: 21)
        #expect(before.joules.number != nil)
        #expect(across.joules.reason == "rapl:package-0: void: the machine slept")
        #expect(across.sources[0].source.voidIntervals.map(\.reason) == ["the machine slept"])
        #expect(after.joules.number != nil)
    }

    /// A total without a source would be another total.
    @Test func aSourceThatIsLostWithinAWindowTakesTheTotal() throws {
        let limits = EnergyBook.Limits(history: Seconds(10), stretch: Seconds(30), ticks: 2000)
        var desk = Desk([package(restless(200)), package(restless(200, seed: 9))], limits: limits)
        desk.fail = (1, 60...200)
        desk.run(until: 5)
        desk.book.begin(1, "w", at: moment(5))
        desk.run(until: 190)
        desk.book.end(1, at: moment(190))
        desk.run(until: 195)
        let reading = try desk.reading(1, at: 195)
        #expect(reading.joules.reason != nil)
        let truth = desk.counters[0].course.energy(over: span(5, 190))
        #expect(abs((reading.sources[0].joules.number ?? 0) / truth - 1) < 1e-3)
        #expect(reading.sources[1].joules.reason != nil)
    }

    /// A second after the start a counter that has not moved is not known to be dead: the total waits for it.
    @Test func whatHasNotMovedYetIsNotLeftOutOfTheTotal() throws {
        let still = package(PowerCourse(0))
        var desk = Desk([package(PowerCourse(50)), still])
        desk.book.begin(1, "short", at: moment(0.3))
        desk.run(until: 0.9)
        desk.book.end(1, at: moment(0.9))
        desk.run(until: 1.2)
        let early = try desk.reading(1, at: 1.2)
        #expect(early.joules.reason == "rapl:package-1: the counter never moved")
        #expect(early.sources[0].joules.number != nil)
        desk.book.begin(2, "long", at: moment(1.3))
        desk.run(until: 9)
        desk.book.end(2, at: moment(9))
        desk.run(until: 9.5)
        let late = try desk.reading(2, at: 9.5)
        #expect(late.total.includes == ["rapl:package-0"])
        #expect(late.sources[1].source.status == .dead)
        #expect(abs((late.joules.number ?? 0) / (50 * 7.7) - 1) < 0.01)
    }

    /// Even power does not show that one counter copies another: what was seen before is remembered.
    @Test func aCopyIsCountedOnceForEver() throws {
        var course = restless(40)
        course.change(at: 41, to: 70)
        var copy = package(course)
        copy.start = 77
        let limits = EnergyBook.Limits(history: Seconds(10), stretch: Seconds(600), ticks: 65_536)
        var desk = Desk([package(course), copy], limits: limits)
        for (id, begin, end) in [(UInt64(1), 5.0, 35.0), (2, 80.0, 100.0)] {
            desk.run(until: begin)
            desk.book.begin(id, "w", at: moment(begin))
            desk.run(until: end)
            desk.book.end(id, at: moment(end))
            desk.run(until: end + 2)
            let reading = try desk.reading(id, at: end + 2)
            #expect(reading.total.includes == ["rapl:package-0"])
            #expect(abs((reading.joules.number ?? 0) / course.energy(over: span(begin, end)) - 1) < 0.005)
            #expect(reading.sources[1].source.status == .mirrored)
        }
    }

    @Test func withoutSourcesThereIsAReason() throws {
        var book = EnergyBook(sources: [], whyNone: "no energy source: rapl:package-0: no permission")
        book.begin(1, "w", at: moment(0))
        book.end(1, at: moment(1))
        book.tidy()
        #expect(book.wasRead(since: moment(5)))
        let found = book.reading(of: 1, now: moment(2))
        let reading = try #require(found)
        #expect(reading.seconds == 1)
        for figure in [reading.joules, reading.watts] {
            #expect(figure.reason == "no energy source: rapl:package-0: no permission")
        }
        #expect(reading.sources.isEmpty)
    }

    @Test func senselessEntriesDoNoHarm() throws {
        var desk = Desk([package(PowerCourse(50))])
        desk.book.end(9, at: moment(1))
        desk.book.begin(1, "back", at: moment(5))
        desk.book.end(1, at: moment(3))
        desk.book.begin(2, "far", at: Instant(nanoseconds: .max))
        desk.book.begin(3, "old", at: Instant(nanoseconds: 0))
        desk.run(until: 8)
        let back = try desk.reading(1, at: 8)
        #expect(back.seconds == 0)
        #expect(back.joules.reason != nil)
        let far = try desk.reading(2, at: 8)
        #expect(far.joules.reason != nil)
        let old = try desk.reading(3, at: 8)
        #expect(old.joules.reason?.contains("not read") == true)
    }
}

@Suite struct EnergyReadingTests {
    @Test func readsBackAndHasEveryKey() throws {
        var desk = Desk([package(PowerCourse(50))])
        desk.run(until: 1)
        desk.book.begin(1, "w", at: moment(1))
        desk.run(until: 5)
        desk.book.end(1, at: moment(5))
        desk.run(until: 6)
        let reading = try desk.reading(1, at: 6)
        let bytes = try CanonicalJSON.line(reading)
        #expect(try CanonicalJSON.decode(EnergyReading.self, from: bytes) == reading)
        let value = try CanonicalJSON.decode(JSONValue.self, from: bytes)
        guard case .array(let sources)? = value["sources"], let source = sources.first else {
            Issue.record("no sources")
            return
        }
        for key in ["id", "status", "reason", "joules", "watts", "wraps", "resets", "void_intervals"] {
            #expect(source[key] != nil, "\(key)")
        }
        #expect(source["reason"] == .null)
        #expect(source["status"] == .string("ok"))
    }

    @Test func theWantOfAPermissionIsTheReason() {
        let absent = CapabilitiesLine.Row(id: "hwmon", status: .absent, reason: "no chip")
        let forbidden = CapabilitiesLine.Row(id: "rapl:package-0", status: .noPermission, reason: "EACCES")
        #expect(CapabilitiesLine.whyNoEnergy([]) == "no energy source")
        #expect(CapabilitiesLine.whyNoEnergy([absent]) == "no energy source")
        #expect(
            CapabilitiesLine.whyNoEnergy([absent, forbidden])
                == "no energy source: rapl:package-0: no permission")
        let row = SourceReading(notOpened: forbidden)
        #expect(row.joules.reason == "EACCES" && row.source.status == .noPermission)
    }
}
