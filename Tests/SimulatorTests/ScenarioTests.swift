import Foundation
import Testing

/// Bad scenarios and bad lines in the control file are refused by name; those that come with it are good.
@Suite(.enabled(if: Machine.isHere, Machine.missing))
struct ScenarioTests {
    struct Bad: Sendable, CustomTestStringConvertible {
        let line: String
        let says: String
        init(_ line: String, _ says: String) {
            self.line = line
            self.says = says
        }
        var testDescription: String { line }
    }

    private static let head =
        "# two domains\ndomain p 85\nsum s p\nzone intel-rapl:0 package-0 p\ntext class/thermal/b c\n"

    static let refusedDeclarations = [
        Bad("domian q 1", "unknown word 'domian'"),
        Bad("domain", "expected: domain NAME [WATTS]"),
        Bad("domain p 1", "the domain 'p' is there already"),
        Bad("domain q 1.1234567", "at most 6 decimals"),
        Bad("domain q 1e3", "is not a number"),
        Bad("domain q -1", "not between 0 and 10 MW"),
        Bad("domain q 99999999999999999999", "that fits"),
        Bad("domain a/b 1", "is no name"),
        Bad("sum t p q", "unknown domain 'q'"),
        Bad("counter class/powercap/x q", "unknown domain 'q'"),
        Bad("counter class/powercap/x p perod=1ms", "unknown key 'perod'; known are: mode, period"),
        Bad("counter class/powercap/x p average=1s", "unknown key 'average'"),
        Bad("gauge class/powercap/x p unit=1", "unknown key 'unit'"),
        Bad("counter class/powercap/x p period", "'period' needs a value"),
        Bad("counter class/powercap/x p period=1m", "is not a time"),
        Bad("counter class/powercap/x p period=-1s", "is negative"),
        Bad("counter class/powercap/x p period=1ms period=2ms", "given twice"),
        Bad("counter class/powercap/x p unit=0", "unit=0 is out of bounds"),
        Bad("counter class/powercap/x p duty=1.5", "duty=1.5 is out of bounds"),
        Bad("counter class/powercap/x p jitter=1ms", "at most half of the period"),
        Bad("counter class/powercap/x p duty=0.5 tau=1s", "exclude each other"),
        Bad("counter class/powercap/x p scale=-1", "needs range=0"),
        Bad("counter class/powercap/x p start=2 range=1", "beyond the range"),
        Bad("counter class/powercap/x p mode=0999", "is not an octal mode"),
        Bad("counter /sys/class/x p", "is not a path relative to /sys"),
        Bad("counter class/../x p", "holds an empty name, '.' or '..'"),
        Bad("text class/thermal/b c", "class/thermal/b is there already"),
        Bad("text class/thermal/b/c d", "is there already and no directory"),
        Bad("text x/y \"z", "a quote is not closed"),
        Bad("zone intel-rapl package-0 p", "is no zone such as"),
        Bad("zone intel-rapl:0 package-1 p", "is there already"),
        Bad("chip hwmon amdgpu", "'hwmon' is not hwmonN"),
        Bad("chip hwmon0 amdgpu pci", "'pci' is no device"),
        Bad("at 1s", "expected: at TIME ACTION"),
        Bad("at 1s pwoer p 1", "unknown action 'pwoer'"),
        Bad("at 1s power q 1", "unknown domain 'q'"),
        Bad("at 1s power p 1 ;", "an action is missing"),
        Bad("at 1s phase x", "unknown phase 'x'"),
        Bad("power s 1", "'s' is a sum"),
        Bad("wave p 1:1s 2", "'2' is not WATTS:TIME"),
        Bad("wave p 1:1s 2:1us", "shorter than 100us"),
        Bad("fault class/powercap/*/energy eio", "matches no file"),
        Bad("fault class/thermal/b eoi", "unknown fault 'eoi'"),
        Bad("fault class/thermal/b slow", "needs a value"),
        Bad("fault class/thermal/b eio=3", "takes no value"),
        Bad("fault class/thermal/b mirrored=class/thermal/c", "no file 'class/thermal/c'"),
        Bad("fault class/thermal/b eio until=3s", "expected for=TIME"),
        Bad("jump class/thermal/b 3", "class/thermal/b is no counter"),
        Bad("set class/powercap/intel-rapl:0/energy_uj 3", "is a sensor"),
    ]

    @Test(arguments: refusedDeclarations)
    func badLineIsNamed(_ bad: Bad) throws {
        let ended = try Machine.run(Self.head + bad.line + "\ndomain last", "echo started")
        #expect(ended.status == 125 && ended.output == "")
        #expect(ended.errors.contains("test.scenario:6: "))
        #expect(ended.errors.contains(bad.says), "\(ended.errors)")
        #expect(ended.errors.split(separator: "\n").count == 1)
    }

    @Test func missingScenarioAndUsage() throws {
        let absent = try Machine.run(arguments: ["/nonexistent.scenario", "--", "true"])
        #expect(absent.status == 125 && absent.errors.contains("/nonexistent.scenario: No such file"))
        for arguments in [[], ["x"], ["x", "--"], ["--bad", "x", "--", "true"], ["x", "true"]] {
            let ended = try Machine.run(arguments: arguments)
            #expect(ended.status == 125 && ended.errors.hasPrefix("usage: simulator"))
        }
    }

    @Test(arguments: [
        Bad("power q 1", "line 1: unknown domain 'q'"), Bad("domain q 1", "line 1: unknown action 'domain'"),
        Bad("at 1s power p 1", "line 1: unknown action 'at'"),
        Bad("power p", "line 1: expected: power DOMAIN WATTS"),
        Bad("fault nowhere eio", "line 1: no file 'nowhere'"),
        Bad("fault class/simulator/truth eio", "line 1: no file"),
    ])
    func badControlLineGivesEINVAL(_ bad: Bad) throws {
        let ended = try Machine.run(
            Self.head, "echo '\(bad.line)' >$C; echo status $?; cat $SUSTAIN_SIMULATOR/error $T")
        #expect(ended.errors.contains("Invalid argument") || ended.errors.contains("I/O error"))
        #expect(ended.lines.first != "status 0" && ended.lines.count == 3)
        #expect(ended.output.contains(bad.says))
        #expect(ended.log.changes("p").count == 1)
    }

    @Test func refusedWriteChangesNothing() throws {
        let ended = try Machine.run(
            Self.head,
            "printf 'power p 1\\nset class/thermal/b d\\nbogus\\n' >lines; dd if=lines of=$C bs=4096 2>&1\n"
                + "cat $SUSTAIN_SIMULATOR/error /sys/class/thermal/b")
        #expect(ended.output.contains("Invalid argument"))
        #expect(ended.output.contains("line 3: unknown action 'bogus'"))
        #expect(ended.lines.last == "c")
        #expect(ended.log.changes("p").count == 1 && ended.log.events("set").isEmpty)
    }

    @Test func everyScenarioThatComesWithItStarts() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Machine.scenarios.path)
            .filter { $0.hasSuffix(".scenario") }
        #expect(names.count > 20)
        for name in names {
            let file = Machine.scenarios.appending(path: name).path
            let ended = try Machine.run(arguments: [file, "--", "true"])
            #expect(ended.status == 0 && ended.errors == "", "\(name)")
        }
    }
}
