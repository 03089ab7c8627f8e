import Analysis

/// Reads the key and value pairs of a header (ggml/docs/gguf.md, "gguf_metadata_kv_t").
extension GGUFReader {
    /// The largest key that the format allows.
    private static let keyLimit = 65_535
    /// Strings up to this are kept: names and versions are, chat templates are not.
    private static let stringLimit = 4_096
    /// Numeric arrays up to this are kept: values by layer are, token scores are not.
    private static let arrayLimit: UInt64 = 4_096
    /// Arrays within arrays are legal in the format; nobody writes them, and llama.cpp refuses them.
    private static let depthLimit = 4

    func metadata(count: UInt64) throws(Failure) -> [String: GGUFEntry] {
        var entries: [String: GGUFEntry] = [:]
        for index in 0..<count {
            subject = "key \(index)"
            let start = offset
            let invalidBefore = invalidStrings
            let (text, bytes) = try string("its name", keepingUpTo: Self.keyLimit)
            guard let key = text else {
                throw refusal(
                    "its name has \(bytes) bytes, more than the \(Self.keyLimit) allowed", at: start)
            }
            guard !key.isEmpty else { throw refusal("its name is empty", at: start) }
            guard invalidStrings == invalidBefore else { throw refusal("its name is not UTF-8", at: start) }
            subject = "key \"\(key.prefix(64))\""
            guard entries[key] == nil else { throw refusal("it is there twice", at: start) }
            try keep(key.utf8.count + 128)
            entries[key] = try entry()
        }
        return entries
    }

    private func entry() throws(Failure) -> GGUFEntry {
        let type = try valueType("the type of its value")
        let start = offset
        let value: GGUFValue
        switch type {
        case .string:
            let (text, bytes) = try string("its value", keepingUpTo: Self.stringLimit)
            try keep(text?.utf8.count ?? 0)
            value = text.map(GGUFValue.string) ?? .longString(bytes: bytes)
        case .array:
            value = .array(try array(depth: 1))
        default:
            value = try scalar(type)
        }
        return GGUFEntry(value: value, type: type, offset: start)
    }

    private func valueType(_ what: String) throws(Failure) -> GGUFValueType {
        let start = offset
        let code = try integer(UInt32.self, what)
        guard let type = GGUFValueType(rawValue: code) else {
            throw refusal("\(what) is \(code), which is no GGUF type", at: start)
        }
        return type
    }

    private func scalar(_ type: GGUFValueType) throws(Failure) -> GGUFValue {
        let what = "its value"
        switch type {
        case .uint8: return .unsigned(UInt64(try integer(UInt8.self, what)))
        case .int8: return .signed(Int64(try integer(Int8.self, what)))
        case .uint16: return .unsigned(UInt64(try integer(UInt16.self, what)))
        case .int16: return .signed(Int64(try integer(Int16.self, what)))
        case .uint32: return .unsigned(UInt64(try integer(UInt32.self, what)))
        case .int32: return .signed(Int64(try integer(Int32.self, what)))
        case .uint64: return .unsigned(try integer(UInt64.self, what))
        case .int64: return .signed(try integer(Int64.self, what))
        case .float32: return .real(Double(Float(bitPattern: try integer(UInt32.self, what))))
        case .float64: return .real(Double(bitPattern: try integer(UInt64.self, what)))
        case .bool: return .bool(try integer(UInt8.self, what) != 0)
        case .string, .array: throw refusal("a value of this type is not a number", at: offset)
        }
    }

    private func array(depth: Int) throws(Failure) -> GGUFArray {
        let start = offset
        guard depth <= Self.depthLimit else {
            throw refusal("arrays are nested more than \(Self.depthLimit) deep", at: start)
        }
        let type = try valueType("the type of its elements")
        let count = try integer(UInt64.self, "the number of its elements")
        // The least an element takes in the file: a string its length, an array its type and count.
        let leastBytes: UInt64 = type.fixedBytes ?? (type == .string ? 8 : 12)
        guard count <= remaining / leastBytes else {
            throw refusal(
                "it claims \(count) elements, more than the file has room for (it ends at byte \(sizeBytes))",
                at: start)
        }
        switch type {
        case .string:
            return try strings(count)
        case .array:
            try walk(count)
            for _ in 0..<count { _ = try array(depth: depth + 1) }
            return GGUFArray(elementType: type, count: count)
        default:
            guard depth == 1, count <= Self.arrayLimit else {
                try skip(count * leastBytes, "its elements")
                return GGUFArray(elementType: type, count: count)
            }
            try keep(Int(count) * MemoryLayout<GGUFValue>.stride)
            var values: [GGUFValue] = []
            values.reserveCapacity(Int(count))
            for _ in 0..<count { values.append(try scalar(type)) }
            return GGUFArray(elementType: type, count: count, values: values)
        }
    }

    private func strings(_ count: UInt64) throws(Failure) -> GGUFArray {
        try walk(count)
        var empty: UInt64 = 0
        var first: UInt64?
        for index in 0..<count where try skipString("one of its strings") == 0 {
            if first == nil { first = index }
            empty += 1
        }
        return GGUFArray(elementType: .string, count: count, emptyStrings: empty, firstEmptyString: first)
    }
}
