import CHost
import Glibc
import WorkerProtocol

/// Something that goes wrong at a named point.
struct Fault: Decodable {
    enum Point: String, Decodable { case hello, load, prefill, decode, unload }

    enum Kind: String, Decodable {
        case crash, abort, allocate, exit, hang, garbage, oom, error, truncated
        case halfLine = "half_line"
        case longLine = "long_line"
        case floodStdout = "flood_stdout"
        case floodEvents = "flood_events"
        case badAllocation = "bad_alloc"
        case ignoreQuit = "ignore_quit"
        case ignoreTerminate = "ignore_terminate"
        case leaveChild = "leave_child"
        case closeEvents = "close_events"
        case floodMarks = "flood_marks"
        case shiftStamps = "shift_stamps"
        case moreTokens = "more_tokens"
    }

    var at = Point.hello
    var kind = Kind.crash
    /// The generation it strikes in, or the load counted from 0; nil for every one.
    var cycle: Int?
    /// At `load`: only where so many threads are asked for; nil for any number.
    var threads: Int?
    /// The decode step it strikes before; step 1 ends with token 1.
    var step = 1
    /// The exit status of `exit`.
    var status: Int32 = 1
    /// How much `flood_stdout` and `flood_events` write and `allocate` takes.
    var megabytes = 100
    /// How long `allocate` rests after each mebibyte.
    var restNanoseconds: UInt64 = 0
    /// By how much `shift_stamps` shifts.
    var nanoseconds: Int64 = 0
    /// How many more `more_tokens` claims.
    var tokens = 1
    /// What `error` reports.
    var thing = "scripted engine"
    var cause = "the script says so"
    var code: String?
    var fatal = false

    enum CodingKeys: String, CodingKey, CaseIterable {
        case at, kind, cycle, threads, step, status, thing, cause, code, fatal, tokens
        case nanoseconds = "ns"
        case megabytes = "mb"
        case restNanoseconds = "rest_ns"
    }

    init(from decoder: any Decoder) throws {
        let values = try Values<CodingKeys>(decoder)
        try values.read(.at, into: &at)
        try values.read(.kind, into: &kind)
        try values.read(.cycle, into: &cycle)
        try values.read(.threads, into: &threads)
        try values.read(.step, into: &step)
        try values.read(.status, into: &status)
        try values.read(.megabytes, into: &megabytes)
        try values.read(.restNanoseconds, into: &restNanoseconds)
        try values.read(.nanoseconds, into: &nanoseconds)
        try values.read(.tokens, into: &tokens)
        try values.read(.thing, into: &thing)
        try values.read(.cause, into: &cause)
        try values.read(.code, into: &code)
        try values.read(.fatal, into: &fatal)
    }

    var error: WorkerError { WorkerError(thing: thing, cause: cause, code: code, fatal: fatal) }

    /// True at the fault's point; `cycle` and `step` are those of the generation, where there is one.
    func strikes(_ point: Point, cycle: Int?, step: Int?, threads: Int? = nil) -> Bool {
        at == point && (self.cycle == nil || self.cycle == cycle) && (step == nil || step == self.step)
            && (self.threads == nil || self.threads == threads)
    }
}

/// What a fault does to the command that was running.
enum Consequence {
    case goOn
    /// The command is over: its error event has been sent.
    case abandon
    /// The generation ends here with stop `truncated`.
    case truncate
}

extension Fault {
    /// Does what the fault says; many kinds do not return.
    func strike(events: EventWriter, commands: CommandReader) -> Consequence {
        switch kind {
        case .crash: die(by: SIGSEGV)
        case .abort: die(by: SIGABRT)
        case .oom: die(by: SIGKILL)
        case .badAllocation:
            say("terminate called after throwing an instance of 'std::bad_alloc'", on: STDERR_FILENO)
            die(by: SIGABRT)
        case .exit: _exit(status)
        case .hang:
            commands.ignoresQuit = true
            say("hanging", on: STDOUT_FILENO)
            while true { pause() }
        case .halfLine:
            events.write(Array(#"{"event":"mark","mark":"last_to"#.utf8))
            _exit(1)
        case .longLine: events.write([UInt8](repeating: 0x78, count: LineCodec.longestLine + 1))
        case .garbage: events.write(Array("llama_print_timings: load time = 12 ms\n".utf8))
        case .allocate: allocate()
        case .floodStdout: flood(STDOUT_FILENO)
        case .floodEvents: flood(events.descriptor)
        case .error:
            events.send(.error(error))
            if fatal { _exit(1) }
            return .abandon
        case .truncated: return .truncate
        case .ignoreQuit: commands.ignoresQuit = true
        case .ignoreTerminate:
            commands.ignoresQuit = true
            signal(SIGTERM, SIG_IGN)
        case .leaveChild: leaveChild()
        case .closeEvents: close(events.descriptor)
        case .floodMarks: floodMarks(events)
        // They change what is said, not what is done.
        case .shiftStamps, .moreTokens: break
        }
        return .goOn
    }

    private func die(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        raise(number)
        _exit(99)
    }

    /// Real memory that is never given back.
    private func allocate() {
        for _ in 0..<megabytes {
            let mapping = mmap(nil, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            guard let mapping, mapping != MAP_FAILED else { return }
            memset(mapping, 1, 1 << 20)
            if restNanoseconds > 0 { chost_sleep_until(now() + restNanoseconds) }
        }
    }

    private func flood(_ descriptor: Int32) {
        let line = Array((String(repeating: "flood ", count: 170) + "\n").utf8)
        let block = (0..<64).flatMap { _ in line }
        var left = megabytes << 20
        while left > 0 {
            let written = block.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written <= 0 { return }
            left -= written
        }
    }

    /// Marks without end, each a line as it should be.
    private func floodMarks(_ events: EventWriter) {
        var left = megabytes << 20
        while left > 0 {
            let line = LineCodec.encode(Event.mark(Mark(.lastToken, nanoseconds: now(), cycle: cycle)))
            events.write(line)
            left -= line.count
        }
    }

    /// A child in this process's group that outlives it, with every descriptor of this process.
    private func leaveChild() {
        var child: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("1000"), nil]
        let result = posix_spawn(&child, "/bin/sleep", nil, nil, &arguments, environ)
        for argument in arguments { free(argument) }
        say(result == 0 ? "child \(child)" : "no child: errno \(result)", on: STDOUT_FILENO)
    }
}
