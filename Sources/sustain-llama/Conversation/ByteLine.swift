/// A line put together in memory that was allocated once: no allocation and no encoder on the token path.
///
/// The caller knows the longest line it makes and gives the capacity for it; what does not fit is left out.
struct ByteLine {
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    /// - Parameter capacity: bytes, allocated for the life of the process and touched here.
    init(capacity: Int) {
        bytes = .allocate(capacity: capacity)
        bytes.initialize(repeating: 0)
    }

    var contents: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(UnsafeMutableBufferPointer(rebasing: bytes[..<count]))
    }
    private var room: Int { bytes.count - count }

    mutating func clear() { count = 0 }

    mutating func append(_ text: StaticString) {
        guard text.utf8CodeUnitCount <= room else { return }
        for offset in 0..<text.utf8CodeUnitCount {
            bytes[count + offset] = text.utf8Start[offset]
        }
        count += text.utf8CodeUnitCount
    }

    /// Decimal digits, without leading zeros.
    mutating func append(_ number: UInt64) {
        var digits = 1
        var bound = number / 10
        while bound > 0 {
            digits += 1
            bound /= 10
        }
        guard digits <= room else { return }
        var rest = number
        for position in stride(from: count + digits - 1, through: count, by: -1) {
            let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
            bytes[position] = UInt8(truncatingIfNeeded: 0x30 + remainder)
            rest = quotient
        }
        count += digits
    }

    /// Decimal digits with a minus sign where needed.
    mutating func append(_ number: Int) {
        if number < 0 { append("-") }
        append(UInt64(number.magnitude))
    }
}
