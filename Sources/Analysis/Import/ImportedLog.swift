/// The first line of a sidecar `import-N.jsonl`: what was imported, and how its clock was set against ours.
///
/// The lines after it are those of a trace: a capability row, then, where there are readings, a source of index
/// 0 and its samples on CLOCK_MONOTONIC.
public struct ImportHeader: Sendable, Hashable, Codable {
    public static let currentSchema = "sustain.import/1"

    public var type = "import"
    public var schema: String = currentSchema
    /// As the user named it.
    public var file: String
    public var unit: MeterLog.Unit?
    public var readings: Int
    public var skippedRows: Int
    /// "wall clock", or "idle-to-load step" where the clock was shifted by `skew`.
    public var alignment: String
    /// The meter's clock less ours, seconds.
    public var skewSeconds: Figure

    enum CodingKeys: String, CodingKey {
        case type, schema, file, unit, readings, alignment
        case skippedRows = "skipped_rows"
        case skewSeconds = "skew_s"
    }
}

/// From time on the wall, which goes on while the machine sleeps, to CLOCK_MONOTONIC, which does not.
private struct AwakeClock {
    private let start: Instant
    /// Observations of how long the machine had slept since the start, by the time on the wall since then.
    private var observations: [(wall: Int64, slept: Int64)] = []
    private var next = 0

    init(_ trace: Trace) {
        start = trace.header.start
        let before = trace.header.sleptNanoseconds
        for (time, slept) in Suspends.observations(in: trace) {
            let slept = slept &- before
            observations.append(((time - start).value &+ slept, slept))
        }
    }

    /// - Parameter wall: since the start, not before that of the call before.
    mutating func time(after wall: Nanoseconds) -> Instant {
        while next + 1 < observations.count, observations[next + 1].wall <= wall.value { next += 1 }
        var awake = wall.value &- (observations.isEmpty ? 0 : observations[next].slept)
        // While the machine slept its clock stood.
        if next + 1 < observations.count {
            awake = min(awake, observations[next + 1].wall &- observations[next + 1].slept)
        }
        return start + Nanoseconds(awake)
    }
}

/// A meter's log made part of a run.
public enum ImportedLog {
    /// Rows from this long before the run to this long after it are of use: its clock may be off.
    private static let margin = Int64(2 * MeterSkew.furthest * 1e9)

    /// The bytes of the sidecar: the readings on the run's clock, or a row that says why there are none.
    ///
    /// - Parameters:
    ///   - log: the file's bytes, or why they could not be had.
    ///   - id: of the source, "csv:meter".
    public static func sidecar(
        _ log: Result<[UInt8], Failure>, file: String, id: String, of trace: Trace
    ) throws(Failure) -> [UInt8] {
        do throws(Failure) {
            return try write(
                try MeterLog(try log.get(), name: file, within: times(of: trace)), file, id, trace)
        } catch {
            let header = ImportHeader(
                file: file, unit: nil, readings: 0, skippedRows: 0, alignment: "none",
                skewSeconds: .unavailable("\(error.thing): \(error.cause)"))
            let row = CapabilitiesLine.Row(
                id: id, status: .unsupported, reason: "\(error.thing): \(error.cause)", remedy: error.remedy)
            return try encoded(
                header,
                [
                    .capabilities(CapabilitiesLine(rows: [row])),
                    .warning(WarningLine("\(id): \(error.thing): \(error.cause)")),
                ])
        }
    }

    private static func wallAtStart(_ trace: Trace) throws(Failure) -> Int64 {
        if let time = WallClock.nanoseconds(trace.header.wallClock) { return time }
        throw Failure(thing: "wall clock of the run", cause: "cannot be read: \(trace.header.wallClock)")
    }

    private static func times(of trace: Trace) throws(Failure) -> ClosedRange<Int64> {
        let start = try wallAtStart(trace)
        let last = (trace.end?.time ?? trace.marks.map(\.time).max() ?? trace.header.start)
        let length = max(0, (last - trace.header.start).value)
        // Within the years that a text can name.
        return (start - margin)...(start + length + margin)
    }

    private static func write(
        _ log: MeterLog, _ file: String, _ id: String, _ trace: Trace
    ) throws(Failure) -> [UInt8] {
        let wall = try wallAtStart(trace)
        let timeline = Timeline(trace)
        let skew = MeterSkew.find(
            log, wallAtStart: wall, start: trace.header.start,
            idle: [.idleBefore, .loadedIdle, .idleAfter].flatMap(timeline.spans),
            work: timeline.work)
        // A shift within the meter's own spacing is none that can be told.
        let shift = (try? skew.get()).map { abs($0.seconds) > $0.half ? $0.seconds : 0 } ?? 0
        let header = ImportHeader(
            file: file, unit: log.unit, readings: log.readings.count, skippedRows: log.skipped,
            alignment: shift == 0 ? "wall clock" : "idle-to-load step", skewSeconds: figure(skew))
        var lines: [TraceLine] = [
            .capabilities(CapabilitiesLine(rows: [row(id, header, log)])), .source(source(log, id)),
        ]
        if log.later + log.skipped > 0 {
            lines.append(.warning(WarningLine("\(id): " + leftOut(log).joined(separator: "; "))))
        }
        var clock = AwakeClock(trace)
        for reading in log.readings {
            let time = clock.time(after: Nanoseconds(reading.time - wall) - Nanoseconds(Seconds(shift)))
            lines.append(.sample(SampleLine(time: time, sources: [0], deltas: [1], values: [reading.micro])))
        }
        return try encoded(header, lines)
    }

    private static func figure(_ skew: Result<MeterSkew, Unavailable>) -> Figure {
        switch skew {
        case .failure(let why): .unavailable(why)
        case .success(let skew):
            Figure(
                skew.seconds, .bounds(low: skew.seconds - skew.half, high: skew.seconds + skew.half),
                method: "idle-to-load step, which explains \(short(skew.explained * 100)) % of the variance")
        }
    }

    private static func row(_ id: String, _ header: ImportHeader, _ log: MeterLog) -> CapabilitiesLine.Row {
        var text = "aligned by the wall clock"
        switch header.skewSeconds {
        case .unavailable(let why): text += "; skew not known: \(why.reason)"
        case .value(let seconds, _, _):
            let direction = seconds < 0 ? "behind" : "ahead"
            if header.alignment != "wall clock" { text = "aligned by the \(header.alignment)" }
            text += "; its clock is \(short(abs(seconds))) s \(direction) (+-\(short(log.spacing)) s)"
        }
        let reason = ([text] + leftOut(log)).joined(separator: "; ")
        return CapabilitiesLine.Row(id: id, status: .ok, reason: reason)
    }

    /// What of the log is in no figure, in words.
    private static func leftOut(_ log: MeterLog) -> [String] {
        var words: [String] = []
        if let first = log.firstSkipped {
            words.append("\(log.skipped) rows left out, the first in line \(first)")
        }
        if log.earlier + log.later > 0 {
            words.append("rows of other times: \(log.earlier) earlier, \(log.later) later than the run")
        }
        return words
    }

    private static func source(_ log: MeterLog, _ id: String) -> SourceLine {
        let isPower = log.unit == .watts
        var line = SourceLine(
            index: 0, id: id, kind: isPower ? .gauge : .counter, quantity: isPower ? .power : .energy,
            scale: 1e-6, scope: SourceLine.Scope(domain: "wall", device: id),
            interface: "csv:\(log.unit.rawValue)", intervalNanoseconds: 0)
        line.updatePeriodNanoseconds = Nanoseconds(Seconds(log.spacing)).value
        return line
    }

    private static func encoded(_ header: ImportHeader, _ lines: [TraceLine]) throws(Failure) -> [UInt8] {
        guard var bytes = try? CanonicalJSON.line(header) else {
            throw Failure(thing: "import", cause: "its header cannot be encoded")
        }
        bytes.append(0x0A)
        for line in lines { try line.append(to: &bytes) }
        return bytes
    }
}
