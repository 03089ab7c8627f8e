import Analysis
import Foundation
import Testing

/// `sustain doctor` on trees of files.
@Suite struct DoctorTests {
    private let workplace: Workplace
    private var root: String { workplace.url.appending(path: "sys").path }

    init() throws {
        workplace = try Workplace()
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    private func write(_ files: [String: String], in directory: String) throws {
        let place = URL(filePath: root).appending(path: directory)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for (name, text) in files { try Data((text + "\n").utf8).write(to: place.appending(path: name)) }
    }

    private func doctor(_ more: [String]) throws -> Program.Ended {
        try Program.run(["doctor", "--path.sysfs", root, "--seconds", "0.2"] + more, in: workplace)
    }

    private func report(_ more: [String] = []) throws -> DoctorReport {
        let ended = try doctor(["--json"] + more)
        #expect(ended.status == 0, "\(ended.errors)")
        return try JSONDecoder().decode(DoctorReport.self, from: ended.output)
    }

    @Test func aCountersRhythm() throws {
        let input = Pipe()
        let tree = try Program(
            "power-tree", [root, workplace.url.appending(path: "pipe").path, "50"], in: workplace,
            standardInput: input)
        defer {
            try? input.fileHandleForWriting.close()
            _ = try? tree.wait()
        }
        try tree.wait {
            FileManager.default.fileExists(atPath: root + "/class/powercap/intel-rapl:0/energy_uj")
        }
        try write(["name": "package-1", "energy_uj": "7"], in: "class/powercap/intel-rapl:1")
        let report = try report(["--seconds", "2"])
        let look = try #require(report.sources.first { $0.id == "rapl:package-0" })
        #expect(look.status == .ok)
        #expect(abs((look.watts.number ?? 0) - 50) < 1, "\(look.watts)")
        let period = try #require(look.updatePeriodSeconds.number)
        #expect((0.0005...0.01).contains(period), "\(period)")
        #expect(look.resolution.number == 1e-6)
        #expect((look.minimumDetectableEffectWatts.number ?? 0) > 0)
        #expect(report.minimumDetectableEffectWatts.number == look.minimumDetectableEffectWatts.number)
        #expect(report.sources.first { $0.id == "rapl:package-1" }?.status == .dead)
        #expect(report.total.includes == ["rapl:package-0"])
        #expect(report.runSeconds == 60)
        let text = try doctor(["--seconds", "2"]).text
        #expect(text.contains("Two runs of 60 s that differ by"))
        #expect(text.contains("min. effect"))
    }

    /// C18.
    @Test func aBatteryOnMains() throws {
        try write(
            ["type": "Battery", "status": "Full", "capacity": "100", "power_now": "0"],
            in: "class/power_supply/BAT0")
        let report = try report()
        let battery = try #require(report.sources.first { $0.id == "battery:BAT0" })
        #expect(battery.status == .unsupported)
        #expect(battery.reason?.contains("status: Full") == true)
        #expect(report.remedies.contains { $0.contains("unplug the charger") })
        #expect(report.total.unavailable != nil)
        try write(["status": "Discharging", "power_now": "-9000000"], in: "class/power_supply/BAT0")
        let alone = try self.report(["--power", "battery"])
        #expect(alone.total.includes == ["battery:BAT0"])
        #expect(alone.total.scope == "battery only")
    }

    @Test func eachRemedyOnce() throws {
        for zone in 0..<3 {
            try write(["name": "package-\(zone)"], in: "class/powercap/intel-rapl:\(zone)")
            let file = root + "/class/powercap/intel-rapl:\(zone)/energy_uj"
            try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
        }
        let text = try doctor([]).text
        #expect(text.contains("rapl:package-2"))
        let remedies = text.split(separator: "\n").filter { $0.hasPrefix("To measure more: ") }
        #expect(Set(remedies).count == remedies.count)
    }

    @Test func aMetersProgram() throws {
        let path = try workplace.file(
            "meter.sh", "i=0; while :; do i=$((1-i)); echo watts 4$i; sleep 0.02; done\n")
        let report = try report(["--power", "exec:/bin/sh \(path)", "--seconds", "2"])
        let look = try #require(report.sources.first { $0.id == "exec:sh" })
        #expect(look.status == .ok)
        #expect(abs((look.watts.number ?? 0) - 40.5) < 0.5, "\(look.watts)")
        #expect(look.resolution.number == 1)
        #expect(report.total.scope == "wall only")
        let broken = try self.report(["--power", "exec:/nonexistent/meter"])
        #expect(broken.sources.first { $0.id == "exec:meter" }?.status == .dead)
    }

    @Test func wrongOptions() throws {
        #expect(try doctor(["--seconds", "0"]).status == 2)
        #expect(try doctor(["--seconds", "1000"]).status == 2)
        #expect(try doctor(["--power", "sun"]).status == 2)
    }

    /// A python3 with the jsonschema package, named by SUSTAIN_TEST_PYTHON.
    private static let python = ProcessInfo.processInfo.environment["SUSTAIN_TEST_PYTHON"]

    @Test(.enabled(if: python != nil, "SUSTAIN_TEST_PYTHON names no python3"))
    func theDocumentIsAsDescribed() throws {
        let schema = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/doctor.schema.json").path
        try write(["type": "Battery", "status": "Full"], in: "class/power_supply/BAT0")
        let document = try workplace.file(
            "doctor.json", String(decoding: try doctor(["--json"]).output, as: UTF8.self))
        let program = """
            import json, sys, jsonschema
            schema = json.load(open(sys.argv[1]))
            jsonschema.Draft202012Validator.check_schema(schema)
            report = json.load(open(sys.argv[2]))
            validator = jsonschema.Draft202012Validator(schema)
            bad = [error.json_path + ": " + error.message for error in validator.iter_errors(report)]
            del report["sources"][0]["remedy"]
            assert list(validator.iter_errors(report)), "a row without remedy passed"
            sys.exit("\\n".join(bad) or 0)
            """
        let process = Process()
        process.executableURL = URL(filePath: try #require(Self.python))
        process.arguments = ["-c", program, schema, document]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
