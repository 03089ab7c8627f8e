// Tool of the tests and benches: what the library does, in a process of its own.
//
//     energy-check probe [SYSFS]                   the capability table: one row a line, tabs between
//     energy-check read [SYSFS]                    every source once: id, interface, scope, scale, value,
//                                                averaging time, limit
//     energy-check sample MICROSECONDS SECONDS FILE...
//         samples files of one number each; prints "CPU_NS TICKS MISSED LOST PEAK_RSS_BYTES"
//     energy-check threads|threads-first SECONDS   works on two threads that are made after or before it says
//                                                "ready", once a byte has come; prints its CPU seconds
//     energy-check looks COUNT                     looks at memory as the governor does, four times a second, then as
//                                                at a named point; prints "LOOKS CPU_NS LONGER WALL_NS RESIDENT"
//     energy-check windows TRACE                   reads "BEGIN_NS END_NS" a line; prints the energy of the total's
//                                                scopes in each window: "JOULES LOW HIGH", or "- REASON"
import Analysis
import Energy
import Glibc

func probe(_ arguments: [String]) -> ProbeResult {
    Probe.run(roots: SystemRoots(sysfs: arguments.first ?? "/sys"), power: .auto)
}

func printRows(_ result: ProbeResult) {
    for row in result.rows {
        let columns = [row.id, row.status.rawValue, row.reason ?? "", row.remedy ?? ""]
        print(columns.map(\.escapedForDisplay).joined(separator: "\t"))
    }
}

func readOnce(_ result: ProbeResult) throws {
    let sampler = try Sampler(interval: Nanoseconds(1_000_000_000))
    let lines = try sampler.add(result.sources)
    try sampler.start()
    var poller = pollfd(fd: sampler.eventDescriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&poller, 1, 10_000)
    _ = sampler.stop()
    sampler.drain { sample in
        for (source, value) in zip(sample.sources, sample.values) {
            let line = lines[source]
            let text = value.map { String($0) } ?? "-"
            let columns = [
                line.id, line.interface, line.scope.domain, line.scope.device, String(line.scale), text,
                line.averagingNanoseconds.map { "averages \($0) ns" } ?? "",
                line.limitWatts.map { "limit \($0) W" } ?? "",
            ]
            print(columns.map(\.escapedForDisplay).joined(separator: "\t"))
        }
    }
}

func sample(microseconds: Int64, seconds: UInt32, files: [String]) throws {
    let sampler = try Sampler(interval: Nanoseconds(microseconds * 1000))
    let sources = try files.map { path in
        LiveSource(
            SourceLine(
                index: -1, id: path, kind: .counter, quantity: .energy, scale: 1e-6,
                scope: SourceLine.Scope(domain: "package", device: path), interface: "test",
                intervalNanoseconds: 0),
            file: try SourceFile.open(path))
    }
    _ = try sampler.add(sources)
    try sampler.start()
    for _ in 0..<(seconds * 5) {
        usleep(200_000)
        sampler.drain { _ in }
    }
    let cost = sampler.stop().overhead
    print(
        cost.samplerCPUNanoseconds, cost.ticks, cost.missedDeadlines, cost.lostTicks, cost.peakRSSBytes ?? 0)
}

/// The whole of a file.
func contents(of path: String) throws(Failure) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Failure(thing: path, cause: String(cString: strerror(errno)), errno: errno) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 20)
    while true {
        let count = read(file, &chunk, chunk.count)
        guard count >= 0 else {
            throw Failure(thing: path, cause: String(cString: strerror(errno)), errno: errno)
        }
        if count == 0 { return bytes }
        bytes += chunk[..<count]
    }
}

/// The record sums up phases; their single windows are had here, by the ledger that the record is made from.
func printWindows(trace path: String) throws(Failure) {
    let ledger = EnergyLedger(trace: try Trace.parse(contents(of: path), name: path))
    while let line = readLine() {
        let edges = line.split(separator: " ").compactMap { UInt64($0) }
        guard edges.count == 2 else { throw Failure(thing: line, cause: "not two stamps", exit: .usage) }
        let span = Span(begin: Instant(nanoseconds: edges[0]), end: Instant(nanoseconds: edges[1]))
        switch ledger.energy(over: PhaseSpans(spans: [span])) {
        case .success(let energy): print(energy.joules, energy.low, energy.high)
        case .failure(let why): print("-", why.reason.escapedForDisplay)
        }
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch (arguments.first, arguments.count) {
case ("probe", 1...2): printRows(probe(Array(arguments.dropFirst())))
case ("read", 1...2): try readOnce(probe(Array(arguments.dropFirst())))
case ("sample", 4...):
    guard let microseconds = Int64(arguments[1]), let seconds = UInt32(arguments[2]) else { exit(2) }
    try sample(microseconds: microseconds, seconds: seconds, files: Array(arguments.dropFirst(3)))
case ("threads", 2), ("threads-first", 2):
    guard let seconds = Double(arguments[1]) else { exit(2) }
    TwoThreads(seconds: seconds).run(early: arguments[0] == "threads-first")
case ("looks", 2):
    guard let count = Int(arguments[1]), count > 0 else { exit(2) }
    Looks.run(count: count)
case ("windows", 2): try printWindows(trace: arguments[1])
default: exit(2)
}
