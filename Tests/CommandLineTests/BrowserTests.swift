import Foundation
import TestSupport
import Testing

enum Browser {
    static let isThere: Bool = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").contains { directory in
            ["chromium", "google-chrome"].contains {
                FileManager.default.isExecutableFile(atPath: "\(directory)/\($0)")
            }
        }
    }()
}

/// Pages in a real headless Chromium: nothing cut, nothing over something else, no console message, no request,
/// everything reached by keyboard and named for a screen reader (Tests/Browser/look.py).
@Suite(.serialized, .enabled(if: Browser.isThere, "no chromium in PATH: apt-get install chromium"))
struct BrowserTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()

    private func look(_ pages: [String]) throws -> Program.Ended {
        let script = Self.tests.appending(path: "Browser/look.py").path
        let workplace = try Workplace()
        let ended = try Program(at: "/usr/bin/env", ["python3", script] + pages, in: workplace).wait()
        return withExtendedLifetime(workplace) { ended }
    }

    /// The golden pages: one run, one without energy and trace, several, and those whose every name is hostile.
    @Test func goldenPages() throws {
        let folder = Self.tests.appending(path: "Fixtures/pages")
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(pages.count(where: { $0.hasSuffix(".html") }) >= 4)
        let ended = try look(pages.map { folder.appending(path: $0).path })
        #expect(ended.status == 0, "\(ended.text)\(ended.errors)")
    }

    @Test func publishedPages() throws {
        let published = Self.tests.deletingLastPathComponent().appending(path: "reports/published")
        let pages = try FileManager.default.contentsOfDirectory(atPath: published.path)
            .map { published.appending(path: "\($0)/report.html").path }
            .filter { FileManager.default.fileExists(atPath: $0) }
        try #require(!pages.isEmpty)
        let ended = try look(pages)
        #expect(ended.status == 0, "\(ended.text)\(ended.errors)")
        for page in pages {
            let size = try FileManager.default.attributesOfItem(atPath: page)[.size] as? Int
            #expect(try #require(size) < 1_000_000)
        }
    }

    /// A page with every fault: each is found, so that the tests above can fail.
    @Test func faultsAreFound() throws {
        let ended = try look([Self.tests.appending(path: "Browser/broken.html").path])
        #expect(ended.status == 1)
        for fault in [
            "the page is 2000 px wide", "scrolls and cannot be reached", "lies over", "is cut at a side",
            "letter by letter", "contrast 1.9", "of level 3 after one of 1", "it has a script",
            "has no scope",
            "without title or desc", "twice is there twice", "names no language", "a table without a name",
            "cannot be seen", "request:", "console call: log", "exception:", "is only",
        ] { #expect(ended.text.contains(fault), "\(fault)") }
    }

    /// A run as the program makes it, trace and all.
    @Test func aRunOfTheProgram() throws {
        let run = try ScriptedRun()
        let ended = try run.run(["-o", "html", "--quiet", "--label", "<i>\"&'"])
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.text.hasPrefix("<!DOCTYPE html>"))
        #expect(ended.text.contains("label &lt;i&gt;&quot;&amp;&#39;"))
        // Its trace was beside it: steps between tokens are in no record.
        #expect(ended.text.contains("% of the steps"))
        #expect(ended.text.contains("no energy source"))
        let page = try run.workplace.file("page.html", ended.text)
        let looked = try look([page])
        #expect(looked.status == 0, "\(looked.text)\(looked.errors)")
    }
}
