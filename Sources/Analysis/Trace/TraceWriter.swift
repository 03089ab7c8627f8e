extension TraceLine {
    /// The line as it stands in a trace, with its line feed.
    ///
    /// - Throws: when the line holds a number that JSON has no word for (NaN, an infinity).
    public func encodedLine() throws(Failure) -> [UInt8] {
        var buffer: [UInt8] = []
        try append(to: &buffer)
        return buffer
    }

    /// Adds the line with its line feed to `buffer`; `buffer` is unchanged when it throws.
    public func append(to buffer: inout [UInt8]) throws(Failure) {
        switch self {
        case .sample(let body): body.append(to: &buffer)
        case .tokens(let body): body.append(to: &buffer)
        default:
            guard let line = try? CanonicalJSON.line(self) else {
                throw Failure(thing: "trace line \"\(type)\"", cause: "holds a number that is not finite")
            }
            buffer += line
            buffer.append(0x0A)
        }
    }
}

extension SampleLine {
    /// Adds the `sample` line with its line feed: the bytes of `CanonicalJSON.line`, without an encoder.
    public func append(to buffer: inout [UInt8]) {
        buffer.append("{\"d_ns\":")
        buffer.appendList(deltas) { $0.appendDecimal($1) }
        if !errors.isEmpty {
            buffer.append(",\"e\":")
            buffer.append("{")
            // The encoder sorts keys as text: "10" comes before "2".
            let sorted = errors.map { (key: String($0.key), number: $0.value) }.sorted { $0.key < $1.key }
            for (index, entry) in sorted.enumerated() {
                buffer.append(index == 0 ? "\"" : ",\"")
                buffer += entry.key.utf8
                buffer.append("\":")
                buffer.appendDecimal(entry.number)
            }
            buffer.append("}")
        }
        buffer.append(",\"s\":")
        buffer.appendList(sources) { $0.appendDecimal($1) }
        buffer.append(",\"t_ns\":")
        buffer.appendDecimal(time.nanoseconds)
        buffer.append(",\"type\":\"sample\",\"v\":")
        buffer.appendList(values) { buffer, value in
            if let value { buffer.appendDecimal(value) } else { buffer.append("null") }
        }
        buffer.append("}\n")
    }
}

extension TokensLine {
    /// Adds the `tokens` line with its line feed: the bytes of `CanonicalJSON.line`, without an encoder.
    public func append(to buffer: inout [UInt8]) {
        buffer.append("{\"cycle\":")
        buffer.appendDecimal(cycle)
        buffer.append(",\"delta_ns\":")
        buffer.appendList(deltas) { $0.appendDecimal($1) }
        buffer.append(",\"first\":")
        buffer.appendDecimal(first)
        buffer.append(",\"start_ns\":")
        buffer.appendDecimal(start.nanoseconds)
        buffer.append(",\"stream\":")
        buffer.appendDecimal(stream)
        buffer.append(",\"type\":\"tokens\"}\n")
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ literal: StaticString) {
        literal.withUTF8Buffer { append(contentsOf: $0) }
    }

    fileprivate mutating func appendDecimal(_ value: some FixedWidthInteger) {
        if value < 0 { append(0x2D) }
        let begin = count
        var rest = UInt64(value.magnitude)
        repeat {
            append(UInt8(truncatingIfNeeded: 0x30 + rest % 10))
            rest /= 10
        } while rest > 0
        self[begin...].reverse()
    }

    fileprivate mutating func appendList<Item>(_ items: [Item], _ body: (inout [UInt8], Item) -> Void) {
        append(0x5B)
        for (index, item) in items.enumerated() {
            if index > 0 { append(0x2C) }
            body(&self, item)
        }
        append(0x5D)
    }
}
