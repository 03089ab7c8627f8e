/// Moments of the wall clock as text, in nanoseconds since 1970-01-01T00:00:00Z.
public enum WallClock {
    /// Unix seconds with or without a fraction, or ISO 8601 with a date, a time and a zone; nil for anything
    /// else. A time without zone is refused: what it means depends on the machine that wrote it.
    public static func nanoseconds(_ text: some StringProtocol) -> Int64? {
        let bytes = Array(text.utf8)
        return unixSeconds(bytes) ?? iso8601(bytes)
    }

    private static func unixSeconds(_ bytes: [UInt8]) -> Int64? {
        let parts = bytes.split(separator: 0x2E, maxSplits: 1, omittingEmptySubsequences: false)
        guard let seconds = number(parts[0], digits: 1...12) else { return nil }
        guard let fraction = parts.count == 2 ? nanoseconds(fraction: parts[1]) : 0 else { return nil }
        return sum(seconds, fraction)
    }

    /// `2026-11-30T05:06:07.25Z`, `2026-11-30 06:06:07+01:00`.
    private static func iso8601(_ bytes: [UInt8]) -> Int64? {
        guard bytes.count >= 20, bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[13] == 0x3A, bytes[16] == 0x3A,
            [0x54, 0x74, 0x20].contains(bytes[10]),
            let year = number(bytes[0..<4], digits: 4...4), let month = number(bytes[5..<7], digits: 2...2),
            let day = number(bytes[8..<10], digits: 2...2), let hour = number(bytes[11..<13], digits: 2...2),
            let minute = number(bytes[14..<16], digits: 2...2),
            let second = number(bytes[17..<19], digits: 2...2),
            (1...12).contains(month), (1...days(of: month, year)).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        var rest = bytes[19...]
        var fraction: Int64 = 0
        if let mark = rest.first, mark == 0x2E || mark == 0x2C {
            let digits = rest.dropFirst().prefix { $0 >= 0x30 && $0 <= 0x39 }
            guard let value = nanoseconds(fraction: digits) else { return nil }
            fraction = value
            rest = bytes[digits.endIndex...]
        }
        guard let offset = zone(rest) else { return nil }
        let seconds = daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
        return sum(seconds, fraction)
    }

    /// Seconds east of Greenwich of "Z", "+01:00", "+0100" or "+01".
    private static func zone(_ bytes: ArraySlice<UInt8>) -> Int64? {
        guard let sign = bytes.first else { return nil }
        if bytes.count == 1, sign == 0x5A || sign == 0x7A { return 0 }
        guard sign == 0x2B || sign == 0x2D else { return nil }
        let digits = bytes.dropFirst().filter { $0 != 0x3A }
        guard digits.count == 2 || digits.count == 4, bytes.count - digits.count <= 2,
            let hours = number(digits[0..<2], digits: 2...2), hours < 24,
            let minutes = digits.count == 4 ? number(digits[2..<4], digits: 2...2) : 0, minutes < 60
        else { return nil }
        return (sign == 0x2D ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    private static func number(_ bytes: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int64? {
        guard digits.contains(bytes.count) else { return nil }
        var value: Int64 = 0
        for byte in bytes {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        return value
    }

    /// Digits after the point; what is beyond the ninth is below a nanosecond.
    private static func nanoseconds(fraction bytes: ArraySlice<UInt8>) -> Int64? {
        guard !bytes.isEmpty, bytes.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        var value: Int64 = 0
        for position in 0..<9 {
            let index = bytes.startIndex + position
            value = value * 10 + (index < bytes.endIndex ? Int64(bytes[index] - 0x30) : 0)
        }
        return value
    }

    private static func sum(_ seconds: Int64, _ nanoseconds: Int64) -> Int64? {
        let (scaled, tooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow) = scaled.addingReportingOverflow(nanoseconds)
        return tooLarge || overflow ? nil : sum
    }

    private static func days(of month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Of the Gregorian calendar: years from March, so that the leap day comes last (Hinnant 2013, "chrono-
    /// compatible low-level date algorithms", days_from_civil).
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
