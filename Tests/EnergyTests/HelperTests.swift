import Analysis
import Glibc
import Testing

@testable import Energy

@Suite struct ReadingLinesTests {
    @Test(arguments: [
        ("watts 42.5", ReadingLines.Unit.watts, 42_500_000), ("joules 1", .joules, 1_000_000),
        ("  watts\t1e-3\r", .watts, 1000), ("watts -7", .watts, -7_000_000), ("watts 0", .watts, 0),
    ])
    func readings(line: String, unit: ReadingLines.Unit, micro: Int64) {
        #expect(ReadingLines.parse(Array(line.utf8)) == ReadingLines.Reading(unit: unit, micro: micro))
    }

    @Test(arguments: [
        "", "watts", "42", "watts nan", "watts inf", "watts 0x10", "watts 1 2", "Watts 1", "watts 1e300",
        "watts 1,5", "volts 1", "watts\u{0}1",
    ])
    func garbage(line: String) {
        #expect(ReadingLines.parse(Array(line.utf8)) == nil)
    }

    @Test func piecesOfLines() {
        var lines = ReadingLines()
        #expect(lines.take("wat".utf8) == [])
        #expect(lines.isTorn)
        #expect(lines.take("ts 1\nwatts 2\nnoise\njou".utf8).map(\.micro) == [1_000_000, 2_000_000])
        #expect(lines.garbage == 1)
        #expect(lines.firstGarbage == "noise")
        #expect(lines.take("les 3\n".utf8) == [ReadingLines.Reading(unit: .joules, micro: 3_000_000)])
        #expect(!lines.isTorn)
        // A line without end takes no memory, and does not spoil the next.
        _ = lines.take(String(repeating: "watts 9 ", count: 100_000).utf8)
        #expect(lines.take("\nwatts 4\n".utf8).map(\.micro) == [4_000_000])
        #expect(lines.lines == 6)
    }
}

@Suite struct HelperTests {
    /// A shell script of its own, as the words of a command.
    private func program(_ script: String, in tree: TemporaryTree) throws -> [String] {
        ["/bin/sh", try tree.write(script + "\n", to: "meter.sh")]
    }

    private func failure(_ script: String) throws -> String? {
        let tree = try TemporaryTree()
        let words = try program(script, in: tree)
        return #expect(throws: Failure.self) { try HelperProgram.start(words) }?.cause
    }

    @Test func powerOnItsOwnClock() throws {
        let tree = try TemporaryTree()
        let helper = try HelperProgram.start(
            try program("while :; do echo watts 42.5; sleep 0.02; done", in: tree))
        #expect(helper.line.kind == .gauge)
        #expect(helper.line.interface == "exec:watts")
        #expect(helper.line.scope.domain == "wall")
        #expect((helper.line.updatePeriodNanoseconds ?? 0) >= 20_000_000)
        let sampler = try Sampler(interval: Nanoseconds(10_000_000))
        let file = try tree.write("1\n", to: "value")
        let shared = try SourceFile.open(file)
        let other = SourceLine(
            id: "other", kind: .counter, quantity: .energy, scale: 1, domain: "package", device: "x",
            interface: "test")
        let lines = try sampler.add([
            LiveSource(other, file: shared), LiveSource(helper), LiveSource(other, file: shared),
        ])
        #expect(lines.map(\.index) == [0, 1, 2])
        #expect(lines[1].intervalNanoseconds == 0)
        try sampler.start()
        var samples: [SampleLine] = []
        for _ in 0..<500 {
            usleep(10_000)
            sampler.drain { samples.append($0) }
            if samples.count(where: { $0.sources == [1] }) >= 5 { break }
        }
        _ = sampler.stop()
        let own = samples.filter { $0.sources.contains(1) }
        #expect(own.count >= 5)
        #expect(own.allSatisfy { $0.sources == [1] && $0.values == [42_500_000] && $0.deltas[0] > 0 })
        #expect(zip(own, own.dropFirst()).allSatisfy { $0.time < $1.time })
        // The others are read as ever, and under their own numbers.
        #expect(samples.contains { $0.sources.contains(0) && $0.sources.contains(2) })
        #expect(sampler.helperRows.map(\.status) == [.ok])
        #expect(sampler.takeHelperFailures().isEmpty)
    }

    @Test func energyIsACounter() throws {
        let tree = try TemporaryTree()
        let helper = try HelperProgram.start(
            try program("i=0; while :; do echo joules $i; i=$((i+1)); sleep 0.02; done", in: tree))
        #expect(helper.line.kind == .counter)
        #expect(helper.line.quantity == .energy)
        helper.stop()
        #expect(helper.failure == nil)
    }

    @Test func programsThatTellNothing() throws {
        #expect(try failure("exit 3") == "ended with exit status 3")
        #expect(try failure("kill -9 $$") == "ended by signal 9")
        #expect(try failure("printf 'watts 5'")?.contains("its last line was torn") == true)
        #expect(try failure("yes nonsense")?.hasPrefix("writes garbage") == true)
        #expect(try failure("cat /dev/zero")?.hasPrefix("floods") == true)
        let missing = #expect(throws: Failure.self) { try HelperProgram.start(["/nonexistent/meter"]) }
        #expect(missing?.cause.contains("No such file") == true)
        let directory = #expect(throws: Failure.self) { try HelperProgram.start(["/tmp"]) }
        #expect(directory?.cause.contains("Permission denied") == true)
    }

    /// What goes wrong later is a state of the source with its reason, told once.
    @Test(arguments: [
        ("echo watts 5; sleep 0.05; exit 7", "ended with exit status 7"),
        ("echo watts 5; sleep 0.05; yes watts 5", "floods"),
        ("echo watts 5; sleep 0.05; yes nonsense", "writes garbage"),
    ])
    func laterFaults(script: String, reason: String) throws {
        let tree = try TemporaryTree()
        let sampler = try Sampler(interval: Nanoseconds(100_000_000))
        _ = try sampler.add([LiveSource(try HelperProgram.start(try program(script, in: tree)))])
        try sampler.start()
        var told: [String] = []
        for _ in 0..<500 {
            usleep(10_000)
            sampler.drain { _ in }
            told += sampler.takeHelperFailures()
            if !told.isEmpty { break }
        }
        _ = sampler.stop()
        told += sampler.takeHelperFailures()
        #expect(told.count == 1)
        #expect(told.first?.contains(reason) == true, "\(told)")
        let row = try #require(sampler.helperRows.first)
        #expect(row.status == .dead)
        #expect(row.reason?.contains(reason) == true)
    }

    @Test func noiseBetweenReadingsIsCounted() throws {
        let tree = try TemporaryTree()
        let helper = try HelperProgram.start(
            try program("echo hello; echo watts 5; echo joules 7; sleep 0.05; exec sleep 60", in: tree))
        helper.stop()
        #expect(helper.failure == nil)
        #expect(helper.row.reason == "1 lines were no readings, the first: hello")
    }

    /// A decimal comma, a unit behind the number: the user is shown the line, not only that none was right.
    @Test func aMeterOfAnotherFormIsQuoted() throws {
        let tree = try TemporaryTree()
        let words = try program("echo watts 50,5; echo watts nan; exit 3", in: tree)
        let failure = try #require(
            #expect(throws: Failure.self) { _ = try HelperProgram.start(words) })
        #expect(failure.cause == "ended with exit status 3; 2 lines were no readings, the first: watts 50,5")
        #expect(failure.remedy?.contains("for each reading") == true)
    }

    /// It ends with what it started, also when it ignores the request.
    @Test func nothingIsLeft() throws {
        let tree = try TemporaryTree()
        var helper: HelperProgram? = try HelperProgram.start(
            try program(
                "trap '' TERM; sleep 1234 & echo watts 5; echo watts 6; while :; do sleep 1; done", in: tree))
        #expect(helper != nil)
        helper = nil
        #expect(
            try output(of: "ps -eo args | grep -F -e '\(tree.root)' -e 'sleep 1234' | grep -v grep || true")
                == "")
    }
}
