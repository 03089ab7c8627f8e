import Energy
import Glibc
import Testing

/// The example of the README, as a program that imports the library would have it.
@Suite struct MeterExampleTests {
    @Test func theReadmesExampleWorks() throws {
        func prefill() {}
        func decode() {}

        // README: from here
        let meter = try EnergyMeter()
        let request = meter.begin("request")
        let prefillReading = meter.measure("prefill") { prefill() }
        decode()
        meter.end(request)
        for reading in [prefillReading, meter.reading(of: request)] {
            switch reading.joules {
            case .value(let joules, _, let method): print(reading.name, joules, "J", method)
            case .unavailable(let why): print(reading.name, "unavailable:", why.reason)
            }
        }
        meter.finish()
        // README: to here

        #expect(prefillReading.seconds <= meter.reading(of: request).seconds)
        // On a machine without counters there is a reason, never a 0.
        if meter.sources.isEmpty { #expect(prefillReading.joules.reason != nil) }
    }

    @Test func theReadmeShowsWhatIsCompiledHere() throws {
        let here = try text(#filePath).between("// README: from here\n", "// README: to here")
        let readme = try text(#filePath.parent.parent.parent + "/README.md")
            .between("    import Energy\n\n", "\n`begin` and `end` cost")
        func lines(_ text: String) -> [String] {
            text.split(separator: "\n").map { $0.drop { $0 == " " } }.map(String.init).filter { !$0.isEmpty }
        }
        #expect(lines(here).count > 10)
        #expect(lines(readme) == lines(here))
    }

    private func text(_ path: String) throws -> String {
        let file = try #require(fopen(path, "r"), "\(path)")
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 17)
        return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
    }
}

extension String {
    /// The directory of a path.
    fileprivate var parent: String {
        lastIndex(of: "/").map { String(self[..<$0]) } ?? ""
    }

    /// What stands between two texts.
    fileprivate func between(_ begin: String, _ end: String) throws -> String {
        let from = try #require(firstRange(of: begin)).upperBound
        let to = try #require(self[from...].firstRange(of: end)).lowerBound
        return String(self[from..<to])
    }
}
