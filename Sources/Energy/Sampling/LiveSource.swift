import Analysis
import CPower

/// Where the number of a source stands in its file's text.
///
/// Parsing fails with a code in place of errno: ENODATA (empty file; line or column missing), EBADMSG (not a
/// decimal number), ERANGE (beyond 64 signed bits).
public struct SourceField: Sendable {
    let raw: cpower_field

    /// The whole file is one decimal number (`energy_uj`, `temp`, `scaling_cur_freq`).
    public static let wholeFile = SourceField(raw: cpower_field_whole())

    /// The sum of the chosen columns (0 = first) of the first line that begins with `prefix`, e.g.
    /// `.line("VmRSS:")` of proc_pid_status(5). A column `name=number` counts as its number.
    ///
    /// A prefix of over 30 bytes, or a column above 31, finds nothing: ENODATA at each read.
    public static func line(_ prefix: StaticString, columns: [UInt32] = [0]) -> SourceField {
        var raw = cpower_field()
        let error = prefix.description.withCString { cpower_field_line($0, mask(columns), &raw) }
        return SourceField(raw: error == 0 ? raw : cpower_field_after_name(1 << 31))
    }

    /// The sum of the chosen columns (0 = the process state) after the command name of proc_pid_stat(5).
    static func afterName(columns: [UInt32]) -> SourceField {
        SourceField(raw: cpower_field_after_name(mask(columns)))
    }

    /// A 64-bit word of a perf_event counter's read: 0 the value, 1 and 2 the times enabled and running.
    static func word(_ index: UInt32) -> SourceField { SourceField(raw: cpower_field_word(index)) }

    /// The whole file is one hexadecimal number, with or without "0x".
    static let hexadecimal = SourceField(raw: cpower_field_hexadecimal())

    /// 1 while the whole file is this text (at most 30 bytes), else 0.
    static func state(_ text: StaticString) -> SourceField {
        var raw = cpower_field()
        let error = text.description.withCString { cpower_field_is($0, &raw) }
        return SourceField(raw: error == 0 ? raw : cpower_field_after_name(1 << 31))
    }

    private static func mask(_ columns: [UInt32]) -> UInt32 {
        columns.reduce(0) { $0 | (1 << min($1, 31)) }
    }
}

/// A read through a vendor's library: called on the sampler's thread, which then depends on how that library
/// reads; a file is preferred where there is one.
///
/// Unchecked Sendable: `device` points to what the library keeps until the process ends, and never changes.
struct DeviceCall: @unchecked Sendable {
    /// Returns 0 and sets the raw value, or errno.
    let function: @convention(c) (UnsafeRawPointer?, Int32, UnsafeMutablePointer<Int64>?) -> Int32
    let device: UnsafeRawPointer?
    let item: Int32
}

/// How a source is read.
enum Reading: Sendable {
    case file(SourceFile, SourceField)
    case call(DeviceCall)
    /// Not at all: a program tells its readings when it has them.
    case helper(HelperProgram)
}

/// A source that is open and can be read: what the probe found, ready for the sampler.
public struct LiveSource: Sendable {
    /// How the trace describes it. `index` is -1 and `intervalNanoseconds` 0 until the sampler sets them.
    public var line: SourceLine
    var reading: Reading
    /// How often to read it; nil for the sampler's own interval. At least 0.1 ms.
    public var interval: Nanoseconds?
    /// Read at least so often, however long the sampler's own interval; nil for no such need.
    public var longestInterval: Nanoseconds?
    /// How often the device renews the value, nil where unknown. Up to 10 ms it is also read at marks.
    public var updatePeriod: Nanoseconds?
    /// How often `ReadPace.look` saw the value move; nil where it did not look, or could not tell.
    public internal(set) var seenPeriod: Nanoseconds?
    /// What a call reads from, where that is ours to keep.
    var owner: (any AnyObject & Sendable)?

    public init(
        _ line: SourceLine, file: SourceFile, field: SourceField = .wholeFile,
        interval: Nanoseconds? = nil, updatePeriod: Nanoseconds? = nil
    ) {
        self.line = line
        self.reading = .file(file, field)
        self.interval = interval
        self.updatePeriod = updatePeriod
        // The analysis needs it where few reads at marks leave the rhythm unseen.
        self.line.updatePeriodNanoseconds = updatePeriod?.value
    }

    init(
        _ line: SourceLine, call: DeviceCall, interval: Nanoseconds? = nil, updatePeriod: Nanoseconds? = nil
    ) {
        self.line = line
        self.reading = .call(call)
        self.interval = interval
        self.updatePeriod = updatePeriod
        self.line.updatePeriodNanoseconds = updatePeriod?.value
    }

    /// What a program of the user's tells; at its own pace.
    init(_ helper: HelperProgram) {
        line = helper.line
        reading = .helper(helper)
    }

    /// The value now, read outside the sampler.
    func value() throws(Failure) -> Int64 {
        switch reading {
        case .helper(let helper): return helper.value
        case .file(let file, let field): return try file.value(of: field)
        case .call(let call):
            var value: Int64 = 0
            let error = call.function(call.device, call.item, &value)
            guard error == 0 else { throw Failure(thing: line.id, cause: errnoText(error), errno: error) }
            return value
        }
    }

    /// How long one read takes now, seconds: the median of three. 0 for what tells its readings itself.
    public var secondsToRead: Double {
        if case .helper = reading { return 0 }
        let times = (0..<3).map { _ in
            let start = Clock.monotonic()
            // A failed read takes its time too.
            _ = try? value()
            return Clock.monotonic() &- start
        }
        return Double(times.sorted()[1]) / 1e9
    }

    /// A source whose value is renewed more seldom is not read at marks.
    public static let longestReadAtMarks = Nanoseconds(10_000_000)

    /// Whether a mark makes the sampler read it (docs/metrics.md, "Time and tokens").
    var readAtMarks: Bool {
        guard let updatePeriod else { return false }
        return updatePeriod <= Self.longestReadAtMarks
    }
}

extension SourceLine {
    /// A line for a source that has no index yet.
    init(
        id: String, kind: Kind, quantity: Quantity, scale: Double, domain: String, device: String,
        interface: String
    ) {
        self.init(
            index: -1, id: id, kind: kind, quantity: quantity, scale: scale,
            scope: Scope(domain: domain, device: device), interface: interface, intervalNanoseconds: 0)
    }
}
