extension StringProtocol {
    /// The text with everything that a terminal would obey replaced by a visible escape.
    ///
    /// Model names, sysfs contents and server answers are untrusted: an ESC in a model's name must not
    /// recolour, clear or retitle somebody's terminal. C0 and C1 controls, DEL, the bidirectional overrides
    /// (U+202A to U+202E, U+2066 to U+2069) and line separators become `\u{..}`.
    public var escapedForDisplay: String {
        var result = ""
        result.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            if scalar.obeyedByTerminals {
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension Unicode.Scalar {
    /// Whether `escapedForDisplay` writes it as an escape; all of these have four hexadecimal digits at most.
    public var obeyedByTerminals: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
