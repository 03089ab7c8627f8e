/// The log of a meter: lines of a time and a reading under a header that names the unit.
///
/// `time,watts` or `time,joules`; further columns are ignored. Rows that cannot be read, or whose time does not
/// follow the row before, are left out and counted.
public struct MeterLog: Sendable, Hashable {
    public enum Unit: String, Sendable, Hashable, Codable {
        /// Power at that time.
        case watts
        /// Energy counted until that time.
        case joules
    }

    public struct Reading: Sendable, Hashable {
        /// Nanoseconds since 1970 by the meter's clock.
        public var time: Int64
        /// Millionths of the unit.
        public var micro: Int64
    }

    public let unit: Unit
    public private(set) var readings: [Reading] = []
    /// Rows left out.
    public private(set) var skipped = 0
    /// The first of them, by its line number.
    public private(set) var firstSkipped: Int?

    /// Rows of other times: before the time asked for, and after it.
    public private(set) var earlier = 0
    public private(set) var later = 0

    /// A meter that tells more is not read.
    static let mostReadings = 1_000_000
    private static let longestLine = 4096

    /// - Parameter within: rows of other times are counted and passed over: a log may hold days. One of a later
    ///   time says nothing of the rows after it: a meter's clock may be set after its first reading.
    /// - Throws: when the header is another one, or nothing under it can be read.
    public init(_ bytes: [UInt8], name: String, within: ClosedRange<Int64>) throws(Failure) {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).makeIterator()
        let header = (lines.next() ?? []).prefix(Self.longestLine)
        let names = Self.fields(header.starts(with: [0xEF, 0xBB, 0xBF]) ? header.dropFirst(3) : header)
            .map { $0.lowercased() }
        guard let timeColumn = names.firstIndex(of: "time"),
            let column = names.firstIndex(where: { Unit(rawValue: $0) != nil }),
            let unit = Unit(rawValue: names[column])
        else {
            throw Failure(
                thing: name, cause: "its first line is not the header `time,watts` or `time,joules`",
                remedy: "name the columns; times are Unix seconds or ISO 8601 with a zone")
        }
        self.unit = unit
        var number = 1
        while let line = lines.next() {
            number += 1
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
            let reading = Self.reading(line, timeColumn, column)
            if let reading, reading.time > within.upperBound {
                later += 1
                nearestAfter = min(nearestAfter ?? .max, reading.time)
                continue
            }
            guard let reading, reading.time > lastTime else {
                skipped += 1
                firstSkipped = firstSkipped ?? number
                continue
            }
            lastTime = reading.time
            guard within.contains(reading.time) else {
                earlier += 1
                nearestBefore = reading.time
                continue
            }
            guard readings.count < Self.mostReadings else {
                throw Failure(thing: name, cause: "over \(Self.mostReadings) rows in the time of the run")
            }
            readings.append(reading)
        }
        guard earlier + later + readings.count > 0 else {
            throw Failure(
                thing: name, cause: "no row can be read" + (skipped > 0 ? " of \(skipped)" : ""),
                remedy: "times are Unix seconds or ISO 8601 with a zone, readings decimal numbers")
        }
        guard readings.count > 1 else { throw ofOtherTimes(name, within) }
    }

    private func ofOtherTimes(_ name: String, _ within: ClosedRange<Int64>) -> Failure {
        var cause = "\(readings.count) of its rows are of the time of the run"
        func seconds(_ from: Int64, _ to: Int64) -> String { short((Double(to) - Double(from)) / 1e9) }
        if let last = nearestBefore {
            cause += "; \(earlier) earlier, the last by over \(seconds(last, within.lowerBound)) s"
        }
        if let first = nearestAfter {
            cause += "; \(later) later, the first by over \(seconds(within.upperBound, first)) s"
        }
        return Failure(
            thing: name, cause: cause,
            remedy: "set the meter's clock; times are Unix seconds or ISO 8601 with a zone")
    }

    /// Of the last row that could be read, and is not later than the time asked for.
    private var lastTime = Int64.min
    /// The times nearest to the one asked for.
    private var nearestBefore: Int64?
    private var nearestAfter: Int64?

    private static func fields(_ line: ArraySlice<UInt8>) -> [String] {
        line.split(separator: 0x2C, omittingEmptySubsequences: false).map { field in
            let blank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x22 }
            let head = field.drop(while: blank)
            let end = head.lastIndex { !blank($0) }.map { $0 + 1 } ?? head.startIndex
            return String(decoding: head[..<end], as: UTF8.self)
        }
    }

    private static func reading(_ line: ArraySlice<UInt8>, _ timeColumn: Int, _ column: Int) -> Reading? {
        guard line.count <= longestLine else { return nil }
        let fields = fields(line)
        guard fields.indices.contains(timeColumn), fields.indices.contains(column),
            let time = WallClock.nanoseconds(fields[timeColumn]), let value = decimal(fields[column])
        else { return nil }
        let micro = (value * 1e6).rounded()
        guard abs(micro) <= 9e15 else { return nil }
        return Reading(time: time, micro: Int64(micro))
    }

    private static func decimal(_ text: String) -> Double? {
        guard text.utf8.allSatisfy({ ($0 >= 0x30 && $0 <= 0x39) || "+-.eE".utf8.contains($0) }) else {
            return nil
        }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Median time from reading to reading, seconds.
    public var spacing: Double {
        let gaps = zip(readings, readings.dropFirst()).map { $1.time - $0.time }.sorted()
        return (Quantile.median(ofSorted: gaps) ?? 0) / 1e9
    }
}
