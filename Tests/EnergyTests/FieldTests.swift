import CPower
import Glibc
import Testing

@testable import Energy

/// What a field gives for a text: the value or the code.
private func parse(_ text: String, _ field: SourceField) -> Result<Int64, Code> {
    var value: Int64 = 0
    var raw = field.raw
    let error = text.withCString { cpower_field_parse($0, text.utf8.count, &raw, &value) }
    return error == 0 ? .success(value) : .failure(Code(error))
}

private struct Code: Error, Equatable {
    let code: Int32
    init(_ code: Int32) { self.code = code }
}

@Suite struct FieldTests {
    @Test(arguments: [
        ("0\n", 0), ("262143328850\n", 262_143_328_850), ("  42  \n", 42), ("-1500\n", -1500), ("007", 7),
        ("9223372036854775807\n", Int64.max), ("-9223372036854775808", Int64.min),
    ])
    func wholeFile(text: String, value: Int64) {
        #expect(parse(text, .wholeFile) == .success(value))
    }

    @Test(arguments: [
        ("", ENODATA), (" \n", ENODATA), ("abc\n", EBADMSG), ("12 34\n", EBADMSG), ("1.5\n", EBADMSG),
        ("-\n", EBADMSG), ("--1", EBADMSG), ("+1", EBADMSG), ("0x10", EBADMSG), ("<unknown>\n", EBADMSG),
        ("12\u{0}34", EBADMSG), ("9223372036854775808\n", ERANGE), ("-9223372036854775809", ERANGE),
        ("99999999999999999999999999999999", ERANGE),
    ])
    func wholeFileRefuses(text: String, code: Int32) {
        #expect(parse(text, .wholeFile) == .failure(Code(code)))
    }

    @Test func hexadecimal() {
        #expect(parse("50005\n", .hexadecimal) == .success(0x50005))
        #expect(parse("0x1F\n", .hexadecimal) == .success(31))
        #expect(parse("7fffffffffffffff", .hexadecimal) == .success(.max))
        for (text, code) in [
            ("", ENODATA), ("0x\n", EBADMSG), ("-1", EBADMSG), ("5 5", EBADMSG), ("g", EBADMSG),
            ("8000000000000000", ERANGE),
        ] {
            #expect(parse(text, .hexadecimal) == .failure(Code(code)), "\(text)")
        }
    }

    @Test func states() {
        let field = SourceField.state("Not charging")
        #expect(parse("Not charging\n", field) == .success(1))
        for text in ["Charging\n", "Not charging at all\n", "Not\n"] {
            #expect(parse(text, field) == .success(0))
        }
        #expect(parse("\n", field) == .failure(Code(ENODATA)))
    }

    @Test func lines() {
        let status = "Name:\tVmRSS: 9\nVmHWM:\t  300 kB\nVmRSS:\t    200 kB\nVmSwap:\t0 kB\n"
        #expect(parse(status, .line("VmRSS:")) == .success(200))
        #expect(parse(status, .line("VmSwap:")) == .success(0))
        #expect(parse(status, .line("RssAnon:")) == .failure(Code(ENODATA)))
        #expect(parse("VmRSS:\n", .line("VmRSS:")) == .failure(Code(ENODATA)))
        #expect(parse("VmRSS:\tx kB\n", .line("VmRSS:")) == .failure(Code(EBADMSG)))
    }

    @Test func columnsAreSummed() {
        let stat = "cpu  10 20 30 4000 50 6 7 8 9 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n"
        #expect(parse(stat, .line("cpu ", columns: [0, 1, 2, 5, 6])) == .success(73))
        #expect(parse(stat, .line("cpu ", columns: [7])) == .success(8))
        #expect(parse(stat, .line("cpu ", columns: [10])) == .failure(Code(ENODATA)))
        let large = "x 9223372036854775807 1\n"
        #expect(parse(large, .line("x ", columns: [0, 1])) == .failure(Code(ERANGE)))
    }

    @Test func namedColumns() {
        let pressure = "some avg10=0.00 avg60=0.12 avg300=0.05 total=123456\nfull avg10=0.00 total=9\n"
        #expect(parse(pressure, .line("some ", columns: [3])) == .success(123_456))
        #expect(parse(pressure, .line("some ", columns: [0])) == .failure(Code(EBADMSG)))
    }

    @Test func processNamesMayHoldAnything() {
        let stat = "42 (a) S 1 (b) R 1 2 3 4 5 6 7 8 9 10 500 600 0 0 20\n"
        #expect(parse(stat, .afterName(columns: [11, 12])) == .success(1100))
        #expect(parse("42 S 1", .afterName(columns: [1])) == .failure(Code(ENODATA)))
    }

    @Test func tooLongAPrefixFindsNothing() {
        let field = SourceField.line("a prefix that has more than thirty bytes")
        #expect(parse("a prefix that has more than thirty bytes 1\n", field) == .failure(Code(ENODATA)))
    }

    /// A file that fills the buffer is cut after its last whole line: half a number is a wrong number.
    @Test func longFilesAreCutAtALine() throws {
        let tree = try TemporaryTree()
        let path = try tree.write("12345\n67890\n", to: "file")
        var buffer = [CChar](repeating: 0, count: 9)
        #expect(cpower_read_file(path, &buffer, buffer.count) == 6)
        #expect(cpower_read_file(path, &buffer, 3) == 0)
    }
}

@Suite struct FileTests {
    @Test func onlyRegularFilesAreOpened() throws {
        let tree = try TemporaryTree()
        try tree.makeDirectory("directory")
        try #require(mkfifo(tree.path("pipe"), 0o644) == 0)
        try tree.link("loop", to: "loop")
        #expect(cpower_open(tree.path("directory")) == -EISDIR)
        #expect(cpower_open(tree.path("pipe")) == -ENOTSUP)
        #expect(cpower_open(tree.path("loop")) == -ELOOP)
        #expect(cpower_open(tree.path("absent")) == -ENOENT)
    }

    @Test func listsAreBounded() throws {
        let tree = try TemporaryTree()
        for name in 0..<20 { try tree.write("", to: "zone\(name)") }
        var names = [CChar](repeating: 0, count: 4096)
        var count = 0
        var omitted = 0
        #expect(cpower_list(tree.root, &names, names.count, 5, &count, &omitted) == 0)
        #expect((count, omitted) == (5, 15))
        #expect(cpower_list(tree.root, &names, 14, 100, &count, &omitted) == 0)
        #expect(count + omitted == 20 && count <= 2)
        #expect(cpower_list(tree.path("absent"), &names, names.count, 5, &count, &omitted) == ENOENT)
    }

    @Test func aFailureNamesTheFileAndTheCause() throws {
        let error = #expect(throws: (any Error).self) { try SourceFile.open("/nonexistent/energy_uj") }
        #expect(String(describing: try #require(error)).contains("energy_uj: No such file or directory"))
    }
}
