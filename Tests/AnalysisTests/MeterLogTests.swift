import Testing

@testable import Analysis

@Suite struct WallClockTests {
    @Test(
        arguments: [
            ("1796015167", 1_796_015_167_000_000_000), ("1796015167.5", 1_796_015_167_500_000_000),
            ("1796015167.123456789", 1_796_015_167_123_456_789),
            ("1796015167.1234567899", 1_796_015_167_123_456_789), ("0", 0),
            ("2026-11-30T05:06:07Z", 1_796_015_167_000_000_000),
            ("2026-11-30T05:06:07.25Z", 1_796_015_167_250_000_000),
            ("2026-11-30 06:06:07,25+01:00", 1_796_015_167_250_000_000),
            ("2026-11-29T23:36:07-0530", 1_796_015_167_000_000_000),
            ("2026-11-30t06:06:07+01", 1_796_015_167_000_000_000),
            ("2000-02-29T23:59:59Z", 951_868_799_000_000_000), ("1970-01-01T00:00:00Z", 0),
            ("1969-12-31T23:59:59Z", -1_000_000_000), ("2100-03-01T00:00:00Z", 4_107_542_400_000_000_000),
        ] as [(String, Int64)])
    func moments(text: String, nanoseconds: Int64) {
        #expect(WallClock.nanoseconds(text) == nanoseconds)
    }

    @Test(arguments: [
        "", "now", "-1", "1e9", "1796015167.", ".5", "1796015167s", "99999999999999", "2026-11-30",
        "2026-11-30T05:06:07", "2026-11-30T05:06:07 UTC", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
        "2100-02-29T00:00:00Z", "2026-11-30T24:00:00Z", "2026-11-30T05:60:07Z", "2026-11-30T05:06:07.Z",
        "2026-11-30T05:06:07+1", "2026-11-30T05:06:07+25:00", "2026-11-30T05:06:07+01:00:00",
        "2026/11/30T05:06:07Z", "9999-12-31T23:59:59Z", "２026-11-30T05:06:07Z",
    ])
    func refusals(text: String) {
        #expect(WallClock.nanoseconds(text) == nil)
    }
}

@Suite struct MeterLogTests {
    private func log(_ text: String, within: ClosedRange<Int64> = 0...Int64.max) throws -> MeterLog {
        try MeterLog(Array(text.utf8), name: "meter.csv", within: within)
    }

    @Test func rows() throws {
        let watts = try log("time,watts\n100,42.5\n101.5,43\n1970-01-01T00:01:43Z,1e1\n")
        #expect(watts.unit == .watts)
        #expect(
            watts.readings == [
                .init(time: 100_000_000_000, micro: 42_500_000),
                .init(time: 101_500_000_000, micro: 43_000_000),
                .init(time: 103_000_000_000, micro: 10_000_000),
            ])
        #expect(watts.skipped == 0)
        #expect(watts.spacing == 1.5)
        // As spreadsheets write it, with more columns in another order.
        let other = try log("\u{FEFF}\"Joules\", note ,\"Time\"\r\n\"7\",a,100\r\n8.000001,,101\r\n\r\n")
        #expect(other.unit == .joules)
        #expect(other.readings.map(\.micro) == [7_000_000, 8_000_001])
    }

    @Test func rowsThatAreLeftOut() throws {
        let text = """
            time,watts
            100,1
            soon,2
            101,much
            101
            101,nan
            101,0x10
            101,1e300
            100,3
            99,4
            102,5
            """
        let log = try log(text)
        #expect(log.readings.map(\.micro) == [1_000_000, 5_000_000])
        #expect(log.skipped == 8)
        #expect(log.firstSkipped == 3)
    }

    @Test func onlyTheTimeOfTheRun() throws {
        let text = "time,watts\n" + (0..<1000).map { "\($0),\($0)\n" }.joined()
        let log = try log(text, within: 100_000_000_000...199_000_000_000)
        #expect(log.readings.count == 100)
        #expect(log.readings.first?.micro == 100_000_000)
        let failure = #expect(throws: Failure.self) {
            try self.log(text, within: 5_000_000_000_000...6_000_000_000_000)
        }
        #expect(
            failure?.cause
                == "0 of its rows are of the time of the run; 1000 earlier, the last by over 4000 s")
        #expect(failure?.remedy?.contains("clock") == true)
    }

    /// A meter whose clock was set after its first row, or between two.
    @Test(arguments: [0, 3, 7])
    func aRowOfTheFarFutureHidesNoOther(position: Int) throws {
        var rows = (0..<7).map { "\(100 + $0),\($0)" }
        rows.insert("4102444800,9", at: position)
        let text = "time,watts\n" + rows.joined(separator: "\n")
        let log = try log(text, within: 0...200_000_000_000)
        #expect(log.readings.map(\.micro) == (0..<7).map { $0 * 1_000_000 })
        #expect(log.later == 1 && log.earlier == 0 && log.skipped == 0)
        let failure = #expect(throws: Failure.self) {
            try self.log("time,watts\n4102444800,1\n4102444801,2\n", within: 0...200_000_000_000)
        }
        #expect(failure?.cause.hasSuffix("; 2 later, the first by over 4100000000 s") == true)
    }

    @Test func aRowOfTheFarPastIsCounted() throws {
        let log = try log(
            "time,watts\n5,1\n1000,2\n1001,3\n", within: 900_000_000_000...2_000_000_000_000)
        #expect(log.readings.count == 2 && log.earlier == 1 && log.later == 0 && log.skipped == 0)
    }

    @Test(arguments: [
        ("", "its first line"), ("\n\n", "its first line"), ("time;watts\n1;2\n", "its first line"),
        ("100,42\n", "its first line"), ("time,volts\n1,2\n", "its first line"), ("time,watts\n", "no row"),
        ("time,watts\na,b\nc,d\n", "no row can be read of 2"), ("time,watts\n1,2\n", "1 of its rows"),
        (String(repeating: "x", count: 100_000), "its first line"),
    ])
    func refusals(text: String, cause: String) {
        let failure = #expect(throws: Failure.self) { try log(text) }
        #expect(failure?.cause.hasPrefix(cause) == true, "\(failure?.cause ?? "")")
    }

    @Test func anyBytes() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<500 {
            let bytes = (0..<200).map { _ in UInt8(truncatingIfNeeded: random.next() % 64 + 10) }
            _ = try? MeterLog(Array("time,watts\n".utf8) + bytes, name: "x", within: Int64.min...Int64.max)
        }
    }
}
