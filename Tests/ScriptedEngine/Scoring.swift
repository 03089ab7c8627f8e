import Glibc
import WorkerProtocol

/// What the engine answers to `tokenize` and `score`: numbers that follow from the seed, the position and the token
/// alone, so that two engines of one script agree to the last bit.
struct ScorePart: Decodable {
    var seed: UInt64 = 0
    /// Half-width of what is added to each logit.
    var noise: Double = 0
    /// Every position gets the same row.
    var flat = false
    /// The position whose row holds a NaN.
    var nanAt: Int?
    /// Bytes that are cut off the end of every file.
    var cut = 0
    /// The position at which it writes half a row and never goes on.
    var hangAt: Int?
    /// Added to each byte of a text: another tokenizer.
    var shift: Int32 = 0
    /// Knows neither command.
    var refuses = false

    enum CodingKeys: String, CodingKey, CaseIterable {
        case seed, noise, flat, shift, refuses, cut
        case nanAt = "nan_at"
        case hangAt = "hang_at"
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try Values<CodingKeys>(decoder)
        try values.read(.seed, into: &seed)
        try values.read(.noise, into: &noise)
        try values.read(.flat, into: &flat)
        try values.read(.nanAt, into: &nanAt)
        try values.read(.cut, into: &cut)
        try values.read(.hangAt, into: &hangAt)
        try values.read(.shift, into: &shift)
        try values.read(.refuses, into: &refuses)
    }

    func tokens(of text: String, vocabulary: UInt32) -> [Int32] {
        text.utf8.map { (Int32($0) + shift) % Int32(truncatingIfNeeded: vocabulary) }
    }

    /// Logits from 0 to 8.
    func row(position: Int, token: Int32, vocabulary: UInt32) -> [Float] {
        let place = flat ? 0 : UInt64(position) &* 0x9E37_79B9 &+ UInt64(UInt32(bitPattern: token))
        var generator = SplitMix64(seed: seed &+ place &* 0x1_0000_0001)
        var disturbance = SplitMix64(seed: place &+ 1)
        var row = (0..<vocabulary).map { _ in
            let clean = Double(generator.next() >> 11) * 0x1p-53 * 8
            return Float(clean + noise * (Double(disturbance.next() >> 11) * 0x1p-52 - 1))
        }
        if position == nanAt { row[row.count / 2] = .nan }
        return row
    }

    /// Writes the rows of a request; nil where it cannot.
    func write(_ request: ScoreRequest, vocabulary: UInt32) -> Scored? {
        guard let file = fopen(request.file, "w") else { return nil }
        defer { fclose(file) }
        for (index, token) in request.tokens.enumerated() {
            let row = row(position: request.first + index, token: token, vocabulary: vocabulary)
            if request.first + index == hangAt {
                fwrite(row, MemoryLayout<Float>.size, row.count / 2, file)
                fflush(file)
                while true { pause() }
            }
            guard fwrite(row, MemoryLayout<Float>.size, row.count, file) == row.count else { return nil }
        }
        if cut > 0 {
            fflush(file)
            guard ftruncate(fileno(file), off_t(max(0, ftell(file) - cut))) == 0 else { return nil }
        }
        return Scored(
            first: request.first, positions: request.tokens.count, vocabularyTokens: Int(vocabulary))
    }
}
