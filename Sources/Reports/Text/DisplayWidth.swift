extension Unicode.Scalar {
    /// Columns the scalar takes in a terminal: 0 for marks that join the one before, 2 for East Asian wide
    /// characters and pictographs (the ranges of UAX #11 that matter in names), else 1.
    var columns: Int {
        // Nearly all text is; the properties of others are looked up in tables.
        if value < 0x300 { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: break
        }
        return switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
            0x20000...0x3FFFD:
            2
        default: 1
        }
    }
}

extension StringProtocol {
    /// Columns the text takes in a terminal; the text is already free of controls.
    var displayWidth: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

    func padded(to width: Int, right: Bool) -> String {
        let fill = String(repeating: " ", count: Swift.max(0, width - displayWidth))
        return right ? fill + String(self) : String(self) + fill
    }
}
