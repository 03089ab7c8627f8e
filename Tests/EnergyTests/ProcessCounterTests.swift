import Analysis
import Glibc
import Testing

@testable import Energy

/// Whether counters of a process can be opened here at all.
private let canCount: Bool = {
    let descriptor = PerfInterface.system.open(
        PerfEvent(type: 1, config: 1, excludesKernel: true), getpid(), -1)
    if descriptor >= 0 { close(descriptor) }
    return descriptor >= 0
}()

@Suite struct ProcessCounterTests {
    private let hardware = ["instructions", "cycles", "cache_misses"]

    /// Opens the counters of process 7, which has so many threads, on a machine with such kinds of cores.
    private func open(
        threads: Int = 1, kinds: [String: Int] = [:], on machine: PerfMachine
    ) throws -> ProcessCounters.Opened {
        let tree = try TemporaryTree()
        for thread in 0..<threads { try tree.makeDirectory("proc/7/task/\(7 + thread)") }
        for (name, type) in kinds {
            try tree.write("\(type)\n", to: "bus/event_source/devices/\(name)/type")
        }
        let roots = SystemRoots(sysfs: tree.root, procfs: tree.path("proc"))
        return withExtendedLifetime(tree) { ProcessCounters.open(7, roots: roots, perf: machine.interface()) }
    }

    @Test func asksForWhatItNames() throws {
        let machine = PerfMachine { _ in .reads([[5, 7, 6]]) }
        let opened = try open(on: machine)
        #expect(opened.rows.isEmpty)
        let events: [(UInt32, UInt64)] = [(0, 1), (0, 0), (0, 3), (1, 1), (1, 2), (1, 3)]
        #expect(
            machine.asked
                == events.map {
                    .init(
                        event: PerfEvent(type: $0.0, config: $0.1, inherits: true, tellsTimes: true), pid: 7,
                        cpu: -1)
                })
        let names = hardware + ["task_clock", "page_faults", "context_switches"]
        #expect(
            opened.sources.map(\.line.id)
                == names.flatMap { name in ["", "/enabled", "/running"].map { "process:\(name)\($0)" } })
        let lines = opened.sources.map(\.line)
        #expect(lines.allSatisfy { $0.scope == .init(domain: "process", device: "pid-7") })
        #expect(lines.allSatisfy { $0.excludesKernel == nil && $0.kind == .counter })
        #expect(lines.filter { $0.quantity == .time }.allSatisfy { $0.scale == 1e-9 })
        #expect(lines.filter { $0.quantity == .count }.allSatisfy { $0.scale == 1 })
        #expect(opened.sources.allSatisfy { $0.readAtMarks && $0.interval == Nanoseconds(1_000_000_000) })
        // One read gives all three.
        let sampler = try Sampler(interval: Nanoseconds(1_000_000_000))
        _ = try sampler.add(opened.sources)
        try sampler.start()
        var sample: SampleLine?
        let deadline = Clock.monotonic() + 20_000_000_000
        while sample == nil, Clock.monotonic() < deadline {
            usleep(1000)
            sampler.drain { sample = sample ?? $0 }
        }
        _ = sampler.stop()
        #expect(sample?.values == Array(repeating: [5, 7, 6], count: 6).flatMap { $0 })
    }

    /// perf_event_paranoid 2: user mode alone. What that cannot tell is not opened, and never 0.
    @Test func userModeOnlyIsSaid() throws {
        let machine = PerfMachine { $0.event.excludesKernel ? .reads([[5, 7, 6]]) : .refused(EACCES) }
        let opened = try open(on: machine)
        let lines = opened.sources.map(\.line)
        #expect(!lines.contains { $0.id.hasPrefix("process:context_switches") })
        for line in lines {
            #expect(
                line.excludesKernel == (line.id.hasPrefix("process:task_clock") ? nil : true), "\(line.id)")
        }
        let rows = Dictionary(uniqueKeysWithValues: opened.rows.map { ($0.id, $0) })
        #expect(
            Set(rows.keys) == Set((hardware + ["page_faults", "context_switches"]).map { "process:\($0)" }))
        #expect(rows["process:context_switches"]?.status == .noPermission)
        #expect(rows["process:cycles"]?.status == .ok)
        #expect(rows["process:cycles"]?.reason?.hasPrefix("user mode only") == true)
        #expect(Set(opened.rows.map(\.remedy)).count == 1)
        #expect(opened.rows.first?.remedy?.hasPrefix("sudo setcap cap_perfmon+ep /") == true)
    }

    /// A guest without PMU.
    @Test func withoutHardwareCountersTheyAreAbsent() throws {
        let machine = PerfMachine { $0.event.type == 0 ? .refused(ENOENT) : .reads([[5, 7, 6]]) }
        let opened = try open(on: machine)
        #expect(opened.rows.map(\.id) == hardware.map { "process:\($0)" })
        #expect(opened.rows.allSatisfy { $0.status == .absent && $0.remedy == nil })
        #expect(opened.sources.count == 9)
    }

    @Test func refusedAltogether() throws {
        let machine = PerfMachine { _ in .refused(EACCES) }
        let opened = try open(on: machine)
        #expect(opened.sources.isEmpty)
        #expect(opened.rows.map(\.status) == Array(repeating: .noPermission, count: 6))
        let gone = PerfMachine { _ in .refused(ESRCH) }
        let rows = try open(on: gone).rows
        #expect(rows.allSatisfy { $0.status == .absent })
    }

    /// inherit=1 does not count threads that are there already.
    @Test func threadsThatAreThereAlreadyRefuse() throws {
        let machine = PerfMachine { _ in .reads([[5, 7, 6]]) }
        for threads in [0, 2, 300] {
            let opened = try open(threads: threads, on: machine)
            #expect(opened.sources.isEmpty)
            #expect(opened.rows.map(\.id) == ["process:counters"])
            #expect(opened.rows.first?.status == .unsupported)
        }
    }

    /// Two kinds of cores: a hardware counter for each, named by its PMU's type in the upper half.
    @Test func eachKindOfCoresIsCounted() throws {
        let machine = PerfMachine { _ in .reads([[5, 7, 6]]) }
        let opened = try open(kinds: ["cpu_core": 4, "cpu_atom": 10], on: machine)
        let cycles = machine.asked.filter { $0.event.type == 0 && $0.event.config & 0xFF == 0 }
        #expect(cycles.map(\.event.config) == [10 << 32, 4 << 32])
        #expect(opened.sources.map(\.line.id).contains("process:cycles@cpu_atom/running"))
        #expect(machine.asked.count { $0.event.type == 1 } == 3)
        let one = PerfMachine { _ in .reads([[5, 7, 6]]) }
        _ = try open(kinds: ["cpu_core": 4], on: one)
        #expect(one.asked.allSatisfy { $0.event.config < 8 })
    }

    /// The real kernel: a child whose two threads are made after the counters were attached. What the counter
    /// says is what the kernel accounts to the process, which is over twice the main thread's share.
    @Test(.enabled(if: canCount, "perf_event_open is refused here"))
    func countsThreadsThatComeLater() throws {
        let child = try Child("threads", "0.3")
        let opened = ProcessCounters.open(child.pid, roots: SystemRoots())
        let clock = try #require(opened.sources.first { $0.line.id == "process:task_clock" })
        let running = try #require(opened.sources.first { $0.line.id == "process:task_clock/running" })
        #expect(try clock.value() < 100_000_000)
        let used = try child.goAndFinish()
        // The descriptor outlives the process.
        let counted = Double(try clock.value()) * clock.line.scale
        #expect(used > 0.55)
        #expect(abs(counted - used) < 0.1 * used, "\(counted) s counted, \(used) s accounted")
        #expect(try running.value() > 0)
        if let switches = opened.sources.first(where: { $0.line.id == "process:context_switches" }) {
            #expect(try switches.value() > 0)
        }
    }

    /// Attached when the threads are there, counters would miss them: nothing is opened.
    @Test(.enabled(if: canCount, "perf_event_open is refused here"))
    func refusesAProcessWithThreads() throws {
        let child = try Child("threads-first", "0.1")
        let opened = ProcessCounters.open(child.pid, roots: SystemRoots())
        _ = try child.goAndFinish()
        #expect(opened.sources.isEmpty)
        #expect(opened.rows.first?.reason?.contains("has threads already") == true)
    }

    /// A processor's clock through the path of the energy counters: what a counter of 1 ns steps would show.
    @Test(.enabled(if: getuid() == 0, "counters of a processor need root")) func aRealCounterOfAProcessor()
        throws
    {
        let power = try PowerTree(type: "1\n")
        try power.add("energy-pkg", number: "event=0x00\n", scale: "1e-9\n")
        try power.place(cpu: 0, package: 0)
        let findings = power.find(.system)
        guard let source = findings.sources.first else {
            // A sandbox may refuse it all the same; then the state says why.
            #expect(findings.rows.first?.status == .noPermission)
            return
        }
        let before = (Clock.monotonic(), try source.value())
        usleep(50_000)
        let value = try source.value() - before.1
        let wall = Int64(Clock.monotonic() - before.0)
        #expect(value >= 50_000_000 && value <= wall)
    }
}

/// The tool `energy-check` as a process that waits for a line before it works.
private final class Child {
    let pid: pid_t
    /// Our end of its standard input and output.
    private let socket: Int32

    init(_ arguments: String...) throws {
        let path = try toolPath()
        var pair: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &pair) == 0)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, pair[1], 0)
        posix_spawn_file_actions_adddup2(&actions, pair[1], 1)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var pid = pid_t()
        try #require(posix_spawn(&pid, path, &actions, nil, &words, nil) == 0)
        self.pid = pid
        close(pair[1])
        socket = pair[0]
        var byte: UInt8 = 0
        try #require(read(socket, &byte, 1) == 1, "the child said nothing")
    }

    deinit { close(socket) }

    /// Lets it work and waits for its end: the CPU seconds that the kernel accounts to it since it was ready.
    func goAndFinish() throws -> Double {
        try #require(write(socket, "\n", 1) == 1)
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64)
        while case let count = read(socket, &buffer, buffer.count), count > 0 { text += buffer[..<count] }
        var status: Int32 = 0
        try #require(waitpid(pid, &status, 0) == pid && status == 0)
        let words = String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { Double($0) }
        return try #require(words.last)
    }
}
