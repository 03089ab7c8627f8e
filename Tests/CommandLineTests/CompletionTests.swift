import Foundation
import TestSupport
import Testing

@testable import sustain

private enum Installed {
    private static func has(_ program: String) -> Bool {
        ["/bin", "/usr/bin", "/usr/local/bin"].contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    }
    static let zsh = has("zsh")
    static let fish = has("fish")
    static let mandoc = has("mandoc")
}

/// Completion scripts and manual page: made from the option tables, so nothing may be missing, and the shells
/// themselves must take them.
@Suite struct CompletionTests {
    private static let commands = Sustain.commands.map { $0.spec }

    private func run(_ words: [String], _ files: [(String, String)] = []) throws -> Program.Ended {
        let workplace = try Workplace()
        for (name, text) in files { _ = try workplace.file(name, text) }
        let ended = try Program(at: "/usr/bin/env", words, in: workplace).wait()
        return withExtendedLifetime(workplace) { ended }
    }

    @Test func everyOptionIsInEveryScript() {
        let (bash, zsh) = (BashCompletion.script(Self.commands), ZshCompletion.script(Self.commands))
        let fish = FishCompletion.script(Self.commands).split(separator: "\n")
        let manual = ManualPage.text(Self.commands, version: "1")
        #expect(Self.commands.count >= 7)
        for command in Self.commands {
            for script in [bash, zsh] { #expect(script.contains("    \(command.name))\n")) }
            #expect(manual.contains(".SH SUSTAIN \(command.name.uppercased())"))
            for name in command.options.flatMap(\.names) {
                let body = section(of: command.name, in: bash)
                #expect(
                    body.contains(" \(name) ") || body.contains(" \(name)'") || body.contains("'\(name) "),
                    "\(name)")
                #expect(section(of: command.name, in: zsh).contains(name))
                let flag =
                    name.hasPrefix("--")
                    ? "-l \(name.dropFirst(2))"
                    : name.count == 2 ? "-s \(name.dropFirst())" : "-o \(name.dropFirst())"
                #expect(
                    fish.contains { $0.contains("from \(command.name)'") && $0.contains(" \(flag) ") },
                    "\(name)")
                #expect(manual.contains("\\fB\(name.replacing("-", with: "\\-"))\\fR"), "\(name)")
            }
        }
    }

    /// What stands between a command's label and the end of its case.
    private func section(of command: String, in script: String) -> Substring {
        guard let begin = script.range(of: "    \(command))\n") else { return "" }
        let rest = script[begin.upperBound...]
        return rest[..<(rest.firstRange(of: /\n {4,8}([a-z]+\)|esac)\n/)?.lowerBound ?? rest.endIndex)]
    }

    @Test(arguments: [
        ("sustain |", ["run", "completions", "--version"]), ("sustain run --se|", ["--seconds", "--seed"]),
        ("sustain run -ng|", ["-ngl"]), ("sustain run --engine |", ["llama", "exec"]),
        ("sustain run --engine = l|", ["llama"]), ("sustain report -o h|", ["html"]),
        ("sustain report --chart p|", ["pareto", "power"]),
        ("sustain completions |", ["bash", "zsh", "fish"]),
        ("sustain analyze script|", ["script"]), ("sustain measure -- ls --h|", []),
        ("sustain run --seed |", []),
    ])
    func bash(line: String, expected: [String]) throws {
        let script = BashCompletion.script(Self.commands)
        var words = line.dropLast().split(separator: " ", omittingEmptySubsequences: false).map { "'\($0)'" }
        if words.isEmpty { words = ["''"] }
        let ended = try run(
            [
                "bash", "--norc", "-c",
                "source ./script; COMP_WORDS=(\(words.joined(separator: " "))); COMP_CWORD=\(words.count - 1); "
                    + "_sustain; printf '%s\\n' \"${COMPREPLY[@]}\"",
            ], [("script", script)])
        let offered = ended.text.split(separator: "\n").map(String.init)
        #expect(ended.errors.isEmpty, "\(ended.errors)")
        #expect(Set(expected).isSubset(of: Set(offered)), "\(offered)")
        if expected.isEmpty { #expect(offered.isEmpty, "\(offered)") }
        if line.contains("--se") { #expect(offered.count == expected.count) }
    }

    @Test(.enabled(if: Installed.fish, "no fish"))
    func fish() throws {
        let script = FishCompletion.script(Self.commands)
        func offered(_ line: String) throws -> [String] {
            let ended = try run(
                ["fish", "--no-config", "-c", "source ./script; complete -C '\(line)'"], [("script", script)])
            #expect(ended.errors.isEmpty, "\(ended.errors)")
            return ended.text.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
        }
        #expect(try Set(offered("sustain ")).isSuperset(of: ["run", "report", "manual"]))
        #expect(try offered("sustain run --se").sorted() == ["--seconds", "--seed"])
        #expect(try offered("sustain report --chart p").sorted() == ["pareto", "power"])
        #expect(try offered("sustain completions ").sorted() == ["bash", "fish", "zsh"])
    }

    @Test(.enabled(if: Installed.zsh, "no zsh"))
    func zsh() throws {
        let script = ZshCompletion.script(Self.commands)
        let ended = try run(
            [
                "zsh", "-f", "-c",
                "autoload -Uz compinit; compinit -u -d ./dump; source ./script && echo $_comps[sustain]",
            ],
            [("script", script)])
        #expect(ended.text == "_sustain\n", "\(ended.errors)")
        #expect(ended.errors.isEmpty, "\(ended.errors)")
    }

    @Test(.enabled(if: Installed.mandoc, "no mandoc"))
    func manualIsWellFormed() throws {
        let page = ManualPage.text(Self.commands, version: "0.1.0")
        let ended = try run(["mandoc", "-Tlint", "sustain.1"], [("sustain.1", page)])
        #expect(ended.status == 0 && ended.text.isEmpty, "\(ended.text)")
        let shown = try run(["mandoc", "-Tutf8", "sustain.1"], [("sustain.1", page)])
        // Bold is a letter struck over itself.
        #expect(shown.text.replacing(/.\u{8}/, with: "").contains("EXIT STATUS"))
    }

    @Test func commandsPrintThem() throws {
        let workplace = try Workplace()
        for shell in ["bash", "zsh", "fish"] {
            let ended = try Program.run(["completions", shell], in: workplace)
            #expect(ended.status == 0 && ended.text.contains("sustain"))
        }
        let manual = try Program.run(["manual"], in: workplace)
        #expect(manual.text.hasPrefix(".TH SUSTAIN 1 "))
        let wrong = try Program.run(["completions", "csh"], in: workplace)
        #expect(wrong.status == 2 && wrong.errors.contains("bash, zsh or fish"))
        #expect(try Program.run(["completions"], in: workplace).status == 2)
        let chart = try Program.run(["report", "--chart", "rate"], in: workplace)
        #expect(chart.status == 2 && chart.errors.contains("add -o svg"))
    }
}
