import FoundationEssentials

extension Trace {
    /// Adds what a sidecar holds: its source after the trace's own, its samples, its capability row.
    ///
    /// - Throws: when the bytes are no sidecar, or one of a higher major version; the trace is then unchanged.
    public mutating func add(sidecar bytes: [UInt8], name: String) throws(Failure) {
        var lines = bytes.split(separator: 0x0A).makeIterator()
        let decoder = JSONDecoder()
        guard let first = lines.next(),
            let header = try? decoder.decode(ImportHeader.self, from: Data(first)), header.type == "import"
        else { throw Failure(thing: name, cause: "line 1 is not the header of an import") }
        let current = ImportHeader.currentSchema
        guard header.schema == current || header.schema.hasPrefix(current + ".") else {
            throw Failure(
                thing: name, cause: "schema \"\(header.schema)\", this version reads \(current)",
                remedy: "use the sustain that wrote it, or a later one")
        }
        let (base, overflow) = (sources.map(\.index).max() ?? -1).addingReportingOverflow(1)
        guard !overflow, base <= Int.max - 1024 else {
            throw Failure(thing: name, cause: "the trace's sources leave no index for it")
        }
        while let line = lines.next() {
            if let hot = line.withUnsafeBufferPointer({ HotLine.parse($0) }) {
                add(imported: hot, base: base)
            } else if let cold = try? decoder.decode(TraceLine.self, from: Data(line)) {
                add(imported: cold, base: base)
            } else {
                warnings.append("\(name): a line cannot be read and was left out")
            }
        }
    }

    private mutating func add(imported line: TraceLine, base: Int) {
        switch line {
        case .capabilities(let body): capabilities += body.rows
        case .warning(let body): warnings.append(body.text)
        case .source(var body) where (0..<1024).contains(body.index):
            body.index += base
            if !sources.contains(where: { $0.index == body.index }) { sources.append(body) }
        case .sample(var body):
            let (time, start) = (body.time.nanoseconds, header.start.nanoseconds)
            let distance = time > start ? time - start : start - time
            guard distance <= TraceReader.longestRun, body.sources.allSatisfy({ (0..<1024).contains($0) })
            else {
                return
            }
            for position in body.sources.indices { body.sources[position] += base }
            samples.append(body)
        default: break
        }
    }
}
