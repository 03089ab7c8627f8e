import Analysis
import WorkerProtocol

/// What was asked of the worker last: what it says is held against it.
struct Asked {
    /// When the command began to be sent.
    var time: Instant
    var cycle: Int?
    var promptTokens: Int?
    var generatedTokens: Int?
    /// Events that have come since.
    var events = 0
    /// What has been objected to since, so that each is said once.
    var objections: Set<ObjectionLine> = []

    /// Events that a command can have beside one for each token.
    private static let spareEvents = 1000

    init(_ command: Command, at time: Instant) {
        self.time = time
        guard case .generate(let request) = command else { return }
        cycle = request.cycle
        promptTokens = request.promptTokens
        generatedTokens = request.generatedTokens
    }

    /// More events than this are a flood.
    var mostEvents: Int { (generatedTokens ?? 0) + Self.spareEvents }
}

/// A worker's word is not taken for what this process knows better: when it was asked, when it was heard, and how
/// much was asked for. What does not agree goes into the trace as it is, with an objection that keeps it out of
/// every figure.
extension RunDriver {
    /// Two reads of one clock on two processors.
    private static let slack = Nanoseconds(1_000_000)

    /// Counts an event.
    ///
    /// - Throws: where there are so many that they would fill the trace and keep this program from all else.
    func countEvent() throws(Stop) {
        guard var asked else { return }
        asked.events += 1
        self.asked = asked
        guard asked.events > asked.mostEvents else { return }
        throw engineStop(
            .protocolBroken, cause: "sent more than \(asked.mostEvents) events after one command",
            remedy: "docs/worker-protocol.md: token stamps go in batches")
    }

    func check(_ mark: Mark) throws(Stop) {
        guard let asked else { return }
        if let cycle = mark.cycle, cycle != asked.cycle {
            try object("its marks came when another generation, or none, was asked for", cycle: cycle)
        }
        try check(stamp: Instant(nanoseconds: mark.nanoseconds), "a mark", cycle: mark.cycle)
    }

    /// - Returns: whether the batch may go into the trace: more stamps than tokens were asked for may not.
    func check(_ batch: TokenBatch) throws(Stop) -> Bool {
        guard let asked else { return true }
        let (end, overflow) = batch.first.addingReportingOverflow(batch.deltaNanoseconds.count + 1)
        if overflow || end > asked.generatedTokens ?? 0 || batch.cycle != asked.cycle {
            try object("it stamped more tokens than were asked for", cycle: batch.cycle)
            return false
        }
        let last = batch.deltaNanoseconds.reduce(batch.startNanoseconds) { sum, delta in
            let (next, overflow) = sum.addingReportingOverflow(delta)
            return overflow ? .max : next
        }
        try check(stamp: Instant(nanoseconds: batch.startNanoseconds), "a token", cycle: batch.cycle)
        try check(stamp: Instant(nanoseconds: last), "a token", cycle: batch.cycle)
        return true
    }

    /// What it says that it made, against what it was asked for. A count by text may be off.
    func check(_ done: Done) throws(Stop) {
        guard let asked, let cycle = done.cycle, cycle == asked.cycle else { return }
        let isExact = answers.hello?.countsTokens ?? true
        for (name, said, most) in [
            ("generated", done.generatedTokens, asked.generatedTokens),
            ("prompt", isExact ? done.promptTokens : nil, asked.promptTokens),
        ] {
            guard let said, let most, said > most else { continue }
            try object("it says \(said) \(name) tokens where \(most) were asked for", cycle: cycle)
        }
    }

    private func check(stamp: Instant, _ thing: String, cycle: Int?) throws(Stop) {
        guard let asked else { return }
        if stamp > Clock.now + Self.slack {
            try object("\(thing) was stamped later than it came", cycle: cycle)
        } else if stamp + Self.slack < asked.time {
            try object("\(thing) was stamped before its command was sent", cycle: cycle)
        }
    }

    private func object(_ reason: String, cycle: Int?) throws(Stop) {
        let line = ObjectionLine(part: part, cycle: cycle, reason: reason)
        guard asked?.objections.insert(line).inserted == true else { return }
        try write(.objection(line))
    }
}
