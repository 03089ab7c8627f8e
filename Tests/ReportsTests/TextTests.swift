import Analysis
import Testing

@testable import Reports

@Suite struct TextTests {
    @Test(arguments: [
        ("plain", "plain"), ("a|b", "a\\|b"), ("<script>", "\\<script\\>"), ("a\nb", "a\\u{a}b"),
        ("\u{1B}[2Jx", "\\u{1b}\\[2Jx"), ("a\\|b", "a\\\\\\|b"), ("`x`", "\\`x\\`"), ("*b*", "\\*b\\*"),
        ("&lt;", "\\&lt;"), ("", ""), ("\u{202E}evil", "\\u{202e}evil"),
    ])
    func markdownCell(text: String, expected: String) {
        #expect(CellText.markdown(text) == expected)
    }

    @Test(arguments: [
        ("plain", "plain"), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""), ("=1+1", "'=1+1"),
        ("+1", "'+1"), ("-1", "'-1"), ("@SUM(A1)", "'@SUM(A1)"), ("\t=1", "'\\u{9}=1"), ("\r=1", "'\\u{d}=1"),
        ("=\"a\",1", "\"'=\"\"a\"\",1\""), ("a=b", "a=b"), ("", ""), ("\u{FF1D}1", "'\u{FF1D}1"),
    ])
    func csvField(text: String, expected: String) {
        #expect(CellText.csv(text) == expected)
    }

    @Test func longNamesAreCutOutsideExports() {
        let long = String(repeating: "x", count: 300)
        #expect(CellText.terminal(long) == String(repeating: "x", count: 48) + "…")
        #expect(CellText.csv(long) == long)
        let escapes = String(repeating: "|", count: 300)
        // Each "\|" is two columns: cut between two of them, never inside one.
        #expect(CellText.markdown(escapes) == String(repeating: "\\|", count: 24) + "…")
        let accents = "e" + String(repeating: "\u{301}", count: 5000)
        #expect(CellText.terminal(accents).unicodeScalars.count < 200)
    }

    @Test func widths() {
        #expect("abc".displayWidth == 3)
        #expect("模型".displayWidth == 4)
        #expect("e\u{301}".displayWidth == 1)
        #expect("模".padded(to: 4, right: true) == "  模")
    }

    @Test func wrapping() {
        #expect("one two three".wrapped(width: 7, indent: 2) == "one two\n  three")
        #expect("unbreakable".wrapped(width: 4, indent: 2) == "unbreakable")
        #expect("".wrapped(width: 4, indent: 2) == "")
    }

    @Test(arguments: [
        (0.0, "0.00 MiB"), (1000.0, "0.98 KiB"), (10_486.0, "0.01 MiB"), (96_551_424.0, "92.08 MiB"),
        (1_073_741_823.0, "1024.00 MiB"),
        (1_073_741_824.0, "1.00 GiB"), (-1_048_576.0, "-1.00 MiB"),
    ])
    func bytes(value: Double, expected: String) { #expect(Notation.bytes(value) == expected) }

    @Test(
        arguments: [
            (134_515_008, "134.52 M"), (999_999_999, "1000.00 M"), (1_000_000_000, "1.00 B"), (0, "0.00 M"),
        ] as [(UInt64, String)])
    func parameters(value: UInt64, expected: String) { #expect(Notation.parameters(value) == expected) }

    @Test(arguments: [
        (129.3412, 0.8, "129.3 ± 0.8"), (129.3412, 0.12, "129.34 ± 0.12"), (0.37311, 0.003, "0.373 ± 0.003"),
        (23785.4, 143, "23785 ± 143"), (1.0, 30, "1 ± 30"), (-0.25, 0.04, "-0.25 ± 0.04"),
        (5, 1e-9, "5.000000 ± 0.000001"),
    ])
    func spread(value: Double, half: Double, expected: String) {
        let figure = Figure(value, .bounds(low: value - half, high: value + half), method: "test")
        #expect(Notation.figure(figure) == expected)
    }

    @Test func figuresWithoutSpread() {
        #expect(Notation.figure(.once(129.3456, method: "test")) == "129.3")
        #expect(Notation.figure(.once(129.3456, method: "test"), decimals: 2) == "129.35")
        #expect(Notation.figure(.once(0, method: "test")) == "0")
        #expect(Notation.figure(.unavailable("none")) == nil)
        // An interval of no width says nothing about digits.
        #expect(Notation.figure(Figure(2, .bounds(low: 2, high: 2), method: "test")) == "2.000")
        // The longer side of a lopsided interval.
        #expect(Notation.figure(Figure(10, .bounds(low: 9.9, high: 10.5), method: "test")) == "10.0 ± 0.5")
    }

    @Test func countsAndSeconds() {
        #expect(Notation.count(0) == "0")
        #expect(Notation.count(999) == "999")
        #expect(Notation.count(1000) == "1,000")
        #expect(Notation.count(18_446_744_073_709_551_615) == "18,446,744,073,709,551,615")
        #expect(Notation.seconds(0.00771) == "7.71 ms")
        #expect(Notation.seconds(600) == "600 s")
        #expect(Notation.seconds(0) == "0 ms")
    }
}
