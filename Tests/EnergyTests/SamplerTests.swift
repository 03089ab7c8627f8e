import Analysis
import Glibc
import Testing

@testable import Energy

private func source(
    _ id: String, _ path: String, field: SourceField = .wholeFile, interval: Int64? = nil,
    period: Int64? = nil
) throws -> LiveSource {
    LiveSource(
        SourceLine(
            id: id, kind: .counter, quantity: .energy, scale: 1e-6, domain: "package", device: id,
            interface: "test"),
        file: try SourceFile.open(path), field: field, interval: interval.map(Nanoseconds.init),
        updatePeriod: period.map(Nanoseconds.init))
}

private let millisecond: Int64 = 1_000_000
/// Longer than any test here may last.
private let never: Int64 = 3_600_000_000_000

/// Drains until the condition holds; 20 s are the end of patience, not a statement about speed.
private func ticks(of sampler: Sampler, until enough: ([SampleLine]) -> Bool) -> [SampleLine] {
    var lines: [SampleLine] = []
    let deadline = Clock.monotonic() + 20_000_000_000
    while !enough(lines), Clock.monotonic() < deadline {
        sampler.drain { lines.append($0) }
        usleep(1000)
    }
    return lines
}

@Suite struct SamplerTests {
    @Test func readsFixedFiles() throws {
        let tree = try TemporaryTree()
        let sampler = try Sampler(interval: Nanoseconds(5 * millisecond))
        let lines = try sampler.add([
            source("a", tree.write("1000\n", to: "a")), source("b", tree.write("-7\n", to: "b")),
            source("rare", tree.write("3", to: "c"), interval: never),
        ])
        #expect(lines.map(\.index) == [0, 1, 2])
        #expect(lines.map(\.intervalNanoseconds) == [5 * millisecond, 5 * millisecond, never])
        let before = Clock.monotonic()
        try sampler.start()
        var samples = ticks(of: sampler) { $0.count >= 5 }
        let cost = sampler.stop()
        sampler.drain { samples.append($0) }
        let after = Clock.monotonic()

        #expect(samples.first?.sources == [0, 1, 2])
        #expect(samples.first?.values == [1000, -7, 3])
        for sample in samples.dropFirst() {
            #expect(sample.sources == [0, 1])
            #expect(sample.values == [1000, -7])
            #expect(sample.errors.isEmpty)
        }
        // Each read is bracketed: the clock never goes back, and ticks do not overlap.
        var end = before
        for sample in samples {
            #expect(sample.time.nanoseconds >= end)
            end = sample.time.nanoseconds + sample.deltas.reduce(0) { $0 + UInt64($1) }
        }
        #expect(end <= after)
        #expect(cost.overhead.ticks == UInt64(samples.count))
        #expect(cost.overhead.lostTicks == 0)
        #expect(cost.overhead.samplerCPUNanoseconds > 0)
        #expect(cost.overhead.processCPUNanoseconds >= cost.overhead.samplerCPUNanoseconds)
        #expect(!cost.isStalled)
        #expect(try #require(cost.overhead.peakRSSBytes) > 1_000_000)
    }

    @Test func seesAFileChange() throws {
        let tree = try TemporaryTree()
        let path = try tree.write("100", to: "energy")
        let sampler = try Sampler(interval: Nanoseconds(millisecond))
        _ = try sampler.add([source("a", path)])
        try sampler.start()
        _ = ticks(of: sampler) { $0.contains { $0.values == [100] } }
        try tree.write("205", to: "energy")
        let samples = ticks(of: sampler) { $0.contains { $0.values == [205] } }
        _ = sampler.stop()
        #expect(samples.contains { $0.values == [205] })
    }

    /// One source that fails is a gap of its own; EIO comes from reading /proc/self/mem at address 0.
    @Test func failingSourcesDoNotStopTheOthers() throws {
        let tree = try TemporaryTree()
        let sampler = try Sampler(interval: Nanoseconds(millisecond))
        _ = try sampler.add([
            source("eio", "/proc/self/mem"), source("empty", tree.write("", to: "empty")),
            source("garbage", tree.write("12 J\n", to: "garbage")),
            source("huge", tree.write("18446744073709551615\n", to: "huge")),
            source("good", tree.write("5\n", to: "good")),
        ])
        try sampler.start()
        let samples = ticks(of: sampler) { $0.count >= 3 }
        _ = sampler.stop()
        #expect(samples.count >= 3)
        for sample in samples {
            #expect(sample.values == [nil, nil, nil, nil, 5])
            #expect(sample.errors == [0: EIO, 1: ENODATA, 2: EBADMSG, 3: ERANGE])
        }
    }

    /// C13: a gap, not an end.
    @Test func aSourceComesBack() throws {
        let tree = try TemporaryTree()
        let path = try tree.write("1", to: "energy")
        let sampler = try Sampler(interval: Nanoseconds(millisecond))
        _ = try sampler.add([source("a", path)])
        try sampler.start()
        var samples = ticks(of: sampler) { $0.contains { $0.values == [1] } }
        try tree.write("", to: "energy")
        samples += ticks(of: sampler) { $0.contains { $0.values == [nil] } }
        try tree.write("9", to: "energy")
        samples += ticks(of: sampler) { $0.contains { $0.values == [9] } }
        _ = sampler.stop()
        let changes = samples.reduce(into: [Int64?]()) { seen, sample in
            if seen.last != sample.values[0] { seen.append(sample.values[0]) }
        }
        #expect(changes.first == 1 && changes.contains(nil) && changes.last == 9)
    }

    @Test func sourcesOfOneFileShareARead() throws {
        let tree = try TemporaryTree()
        let file = try SourceFile.open(tree.write("VmRSS: 20 kB\nVmSwap: 3 kB\n", to: "status"))
        func line(_ id: String) -> SourceLine {
            SourceLine(
                id: id, kind: .gauge, quantity: .memory, scale: 1024, domain: "process", device: "p",
                interface: "test")
        }
        let sampler = try Sampler(interval: Nanoseconds(never))
        _ = try sampler.add([
            LiveSource(line("rss"), file: file, field: .line("VmRSS:")),
            LiveSource(line("anonymous"), file: file, field: .line("RssAnon:")),
            LiveSource(line("swap"), file: file, field: .line("VmSwap:")),
        ])
        try sampler.start()
        let samples = ticks(of: sampler) { !$0.isEmpty }
        _ = sampler.stop()
        #expect(samples.first?.values == [20, nil, 3])
        #expect(samples.first?.errors == [1: ENODATA])
        #expect(samples.first?.deltas.dropFirst() == [0, 0])
        #expect(samples.first.map { $0.deltas[0] > 0 } == true)
    }

    @Test func addsAndRetiresWhileRunning() throws {
        let tree = try TemporaryTree()
        let sampler = try Sampler(interval: Nanoseconds(millisecond))
        try sampler.start()
        let first = try sampler.add([source("a", tree.write("1", to: "a"))])
        _ = ticks(of: sampler) { $0.contains { $0.values == [1] } }
        let second = try sampler.add([source("b", tree.write("2", to: "b"))])
        #expect(second.map(\.index) == [1])
        #expect(ticks(of: sampler) { $0.contains { $0.values == [1, 2] } }.contains { $0.values == [1, 2] })
        sampler.retire(first)
        let samples = ticks(of: sampler) { $0.contains { $0.values == [2] } }
        _ = sampler.stop()
        #expect(samples.last?.sources == [1])
    }

    @Test func aMarkReadsTheFastSourcesOnly() throws {
        let tree = try TemporaryTree()
        let sampler = try Sampler(interval: Nanoseconds(never))
        _ = try sampler.add([
            source("slow", tree.write("1", to: "a"), period: 100 * millisecond),
            source("fast", tree.write("2", to: "b"), period: millisecond),
            source("unknown", tree.write("3", to: "c")),
        ])
        try sampler.start()
        #expect(ticks(of: sampler) { !$0.isEmpty }.map(\.sources) == [[0, 1, 2]])
        let asked = Clock.monotonic()
        sampler.readNow()
        let marked = ticks(of: sampler) { !$0.isEmpty }
        _ = sampler.stop()
        #expect(marked.map(\.sources) == [[1]])
        #expect(try #require(marked.first).time.nanoseconds >= asked)
    }

    @Test func afterAFullRingTicksAreCountedAsLost() throws {
        let tree = try TemporaryTree()
        let sampler = try Sampler(interval: Nanoseconds(millisecond / 10), ringCapacity: 1)
        _ = try sampler.add([source("a", tree.write("1", to: "a"))])
        try sampler.start()
        let deadline = Clock.monotonic() + 20_000_000_000
        while sampler.cost.overhead.lostTicks < 50, Clock.monotonic() < deadline { usleep(1000) }
        // The reader wakes up: what waited is whole, and new ticks come through again.
        let samples = ticks(of: sampler) { $0.count > 100 }
        let cost = sampler.stop()
        #expect(cost.overhead.lostTicks >= 50)
        #expect(samples.count > 100)
        #expect(samples.allSatisfy { $0.values == [1] && $0.sources == [0] })
        #expect(zip(samples, samples.dropFirst()).allSatisfy { $0.time < $1.time })
    }

    @Test func theEventDescriptorTellsOfTicks() throws {
        let tree = try TemporaryTree()
        let sampler = try Sampler(interval: Nanoseconds(never))
        var poller = pollfd(fd: sampler.eventDescriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&poller, 1, 0) == 0)
        _ = try sampler.add([source("a", tree.write("1", to: "a"))])
        try sampler.start()
        #expect(poll(&poller, 1, 20_000) == 1)
        var count = 0
        sampler.drain { _ in count += 1 }
        #expect(count == 1)
        #expect(poll(&poller, 1, 0) == 0)
        _ = sampler.stop()
    }

    /// In processes of their own, since other tests allocate: four times as many ticks, the same memory.
    @Test func memoryDoesNotGrow() throws {
        let tree = try TemporaryTree()
        let files = try (0..<16).map { try tree.write("1", to: "zone\($0)") }.joined(separator: " ")
        func sample(seconds: Int) throws -> (ticks: Int, peak: Int) {
            // The quarantine of an address sanitizer is memory that grows, but not ours.
            let sanitizer = "ASAN_OPTIONS=quarantine_size_mb=0:thread_local_quarantine_size_kb=0"
            let command = "\(sanitizer) '\(try toolPath())' sample 100 \(seconds) \(files)"
            let columns = try output(of: command).split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
            try #require(columns.count == 5)
            return (columns[1], columns[4])
        }
        let short = try sample(seconds: 1)
        let long = try sample(seconds: 4)
        // One word kept a read would be 128 bytes a tick, some 2 MB; a sanitizer warms up for half a megabyte.
        #expect(long.peak - short.peak < 768 * 1024 + 32 * (long.ticks - short.ticks))
        #expect(long.ticks > short.ticks)
    }

    @Test func misuseIsAnError() throws {
        #expect(throws: Failure.self) { try Sampler(interval: Nanoseconds(0)) }
        let sampler = try Sampler(interval: Nanoseconds(never))
        let file = try source("a", "/proc/self/stat")
        #expect(throws: Failure.self) { try sampler.add(Array(repeating: file, count: 1025)) }
        #expect(try sampler.add(Array(repeating: file, count: 1024)).count == 1024)
        #expect(throws: Failure.self) { try sampler.add([file]) }
        sampler.retire([
            SourceLine(
                id: "never added", kind: .gauge, quantity: .state, scale: 1, domain: "cpu", device: "x",
                interface: "test")
        ])
        try sampler.start()
        #expect(throws: Failure.self) { try sampler.start() }
        _ = sampler.stop()
        #expect(sampler.stop().overhead.samplerCPUNanoseconds > 0)
    }
}
