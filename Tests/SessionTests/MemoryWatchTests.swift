import Analysis
import Engines
import Testing

@testable import Session

@Suite struct MemoryWatchTests {
    /// A machine of 1000 MiB whose readings a test sets.
    private final class Machine {
        var available: UInt64? = 1000
        var held: UInt64 = 0
        var reads = 0

        func read(_ engine: [Int32]) -> MemoryGovernor.Reading? {
            reads += 1
            return available.map { MemoryGovernor.Reading(available: $0 << 20, footprint: held << 20) }
        }
    }

    private func moment(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: UInt64(1_000_000_000 + milliseconds * 1_000_000))
    }

    @Test func fourTimesASecond() throws {
        let machine = Machine()
        var watch = try #require(MemoryWatch(now: moment(0), read: machine.read))
        machine.reads = 0
        for milliseconds in stride(from: 0, to: 1000, by: 10) as StrideTo<Int64> {
            #expect(watch.poll(now: moment(milliseconds), engine: [1]) == nil)
        }
        #expect(machine.reads == 4)
        // Where no process is known nothing is read, and the next look is no sooner.
        #expect(watch.poll(now: moment(2000), engine: []) == nil)
        #expect(machine.reads == 4)
        #expect(watch.due == moment(2250))
    }

    @Test func warningsAndTheEndWithTheirNumbers() throws {
        let machine = Machine()
        var watch = try #require(MemoryWatch(now: moment(0), read: machine.read))
        func poll(_ milliseconds: Int64, available: UInt64?, held: UInt64) -> MemoryWatch.Finding? {
            machine.available = available
            machine.held = held
            return watch.poll(now: moment(milliseconds), engine: [1])
        }
        #expect(poll(0, available: 130, held: 870) == nil)
        #expect(
            poll(250, available: 100, held: 700)
                == .warning(
                    "10.0 % of the budget of 1000 MiB is left: 100 MiB available, the engine holds 700 MiB"))
        #expect(poll(500, available: 99, held: 700) == nil)
        // Two levels at once are told of once.
        guard case .warning(let text) = poll(750, available: 45, held: 900) else {
            Issue.record("no warning")
            return
        }
        #expect(text.hasPrefix("4.5 % "))
        #expect(poll(1000, available: nil, held: 900) == nil)
        // The engine holds the budget, whatever the kernel calls available.
        #expect(
            poll(1250, available: 60, held: 980)
                == .stop(
                    "2.0 % of the budget of 1000 MiB is left: 60 MiB available, the engine holds 980 MiB"))
        #expect(watch.lowest?.time == moment(750))
        #expect(watch.lowest?.reading.available == 45 << 20)
    }

    @Test func whatCannotBeReadIsNotWatched() {
        let machine = Machine()
        machine.available = nil
        #expect(MemoryWatch(now: moment(0), read: machine.read) == nil)
        machine.available = 0
        #expect(MemoryWatch(now: moment(0), read: machine.read) == nil)
    }
}
