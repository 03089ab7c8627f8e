import Testing

/// Every fault, on a path and on an open descriptor.
@Suite(.enabled(if: Machine.isHere, Machine.missing))
struct FaultTests {
    private static let scenario = """
        domain p 85
        domain d 0
        zone intel-rapl:0 package-0 p
        zone intel-rapl:0:0 dram d start=12345678 unit=1
        zone intel-rapl:1 package-1 p
        """
    private static let file = "$P/intel-rapl:0/energy_uj"

    struct Failing: Sendable, CustomTestStringConvertible {
        let kind: String
        /// What cat says of the path, and of a descriptor opened before.
        let path: String
        let descriptor: String
        let isListed: Bool
        var testDescription: String { kind }
    }

    @Test(arguments: [
        Failing(kind: "eacces", path: "Permission denied", descriptor: "Permission denied", isListed: true),
        Failing(kind: "eio", path: "Input/output error", descriptor: "Input/output error", isListed: true),
        Failing(kind: "enodev", path: "No such device", descriptor: "No such device", isListed: true),
        Failing(
            kind: "enoent", path: "No such file or directory", descriptor: "No such file or directory",
            isListed: true),
        Failing(
            kind: "missing", path: "No such file or directory", descriptor: "No such device", isListed: false),
    ])
    func failingRead(_ fault: Failing) throws {
        let ended = try Machine.run(
            Self.scenario,
            """
            exec 9<\(Self.file); echo fault class/powercap/intel-rapl:0/energy_uj \(fault.kind) >$C
            cat \(Self.file) 2>&1; cat <&9 2>&1; ls $P/intel-rapl:0 | grep -c energy_uj
            cat $P/intel-rapl:1/name; echo clear 'class/powercap/*/energy_uj' >$C
            exec 9<\(Self.file); cat <&9 >/dev/null && echo well
            """)
        let lines = ended.lines
        try #require(lines.count == 5)
        #expect(lines[0].hasSuffix(fault.path))
        #expect(lines[1].hasSuffix(fault.descriptor))
        #expect(lines[2] == (fault.isListed ? "2" : "1") || lines[2] == (fault.isListed ? "1" : "0"))
        #expect(lines[3...] == ["package-1", "well"])
        #expect(
            ended.log.events("fault").map(\.line) == [
                "fault class/powercap/intel-rapl:0/energy_uj \(fault.kind)"
            ])
    }

    @Test(arguments: [
        ("empty", ""), ("sentinel=4294967295000", "4294967295000"),
        ("mirrored=class/powercap/intel-rapl:0:0/energy_uj", "12345678"),
    ])
    func falseValue(kind: String, shown: String) throws {
        let ended = try Machine.run(
            Self.scenario, "echo fault class/powercap/intel-rapl:0/energy_uj \(kind) >$C; cat \(Self.file)")
        #expect(ended.output == (shown.isEmpty ? "" : shown + "\n") && ended.status == 0)
    }

    @Test func garbageBeginsLikeANumber() throws {
        let ended = try Machine.run(
            Self.scenario, "echo fault class/powercap/intel-rapl:0/energy_uj garbage >$C; cat \(Self.file)")
        #expect(ended.output.first?.isNumber == true && ended.output.contains { !$0.isNumber && $0 != "\n" })
    }

    @Test func frozenKeepsItsValueAndThawsToTheTruth() throws {
        let fault = "class/powercap/intel-rapl:0/energy_uj"
        let ended = try Machine.run(
            Self.scenario,
            "echo fault \(fault) frozen >$C; cat \(Self.file); sleep 0.02; cat \(Self.file); echo clear \(fault) >$C\n"
                + "cat $T \(Self.file) $T")
        let lines = ended.lines
        try #require(lines.count == 5)
        let start = try #require(ended.log.events("fault").first?.timeNs)
        #expect(Int64(lines[0]) == ended.log.counter("p", at: start))
        #expect(lines[1] == lines[0])
        let thawed = try #require(Int64(lines[3]))
        #expect(thawed >= ended.log.counter("p", at: try Truth(lines[2]).timeNs))
        #expect(thawed <= ended.log.counter("p", at: try Truth(lines[4]).timeNs))
    }

    @Test func faultEndsByItself() throws {
        let ended = try Machine.run(
            Self.scenario + "\nat 1ms fault class/powercap/intel-rapl:0/energy_uj eio for=2ms",
            "sleep 0.01; cat \(Self.file) >/dev/null && echo well\n"
                + "echo 'fault class/powercap/*/energy_uj empty for=1ms' >$C; sleep 0.005; cat \(Self.file)")
        #expect(ended.lines.count == 2 && ended.lines.first == "well" && ended.errors == "")
        #expect(ended.log.events("fault").first?.timeNs == ended.log.start + 1_000_000)
    }

    @Test func slowReadDelaysNothingElse() throws {
        let ended = try Machine.run(
            Self.scenario,
            "echo fault class/powercap/intel-rapl:0/energy_uj slow=1500ms >$C; cat $T\n"
                + "(cat \(Self.file); cat $T) >slow & cat $P/intel-rapl:1/energy_uj; cat $T; wait; cat slow")
        let lines = ended.lines
        try #require(lines.count == 5)
        let begun = try Truth(lines[0]).timeNs
        let other = try Truth(lines[2]).timeNs
        let slow = try Truth(lines[4]).timeNs
        #expect(other < slow && slow - begun >= 1_500_000_000)
        #expect(try #require(Int64(lines[3])) >= ended.log.counter("p", at: begun + 1_499_000_000))
    }

    @Test func globsFollowLinks() throws {
        let ended = try Machine.run(
            Self.scenario,
            """
            echo 'fault class/powercap/*:0/energy_uj eio' >$C; cat $P/*/energy_uj >/dev/null
            echo 'clear class/powercap/*:0/energy_uj' >$C
            echo 'fault class/powercap/intel-rapl:0/intel-rapl:0:0 missing' >$C
            ls $P/intel-rapl/intel-rapl:0; cat $P/intel-rapl:0:0/name
            """)
        let failed = ended.errors.split(separator: "\n").filter { $0.hasSuffix("Input/output error") }
        // The package and its dram by their class links; intel-rapl:1 is well.
        #expect(failed.count == 2 && !ended.errors.contains("intel-rapl:1/energy_uj"))
        #expect(
            ended.lines == [
                "enabled", "energy_uj", "max_energy_range_uj", "name", "subsystem",
            ])
        #expect(
            ended.errors.contains("intel-rapl:0:0/name: No such file or directory")
                || ended.errors.contains("intel-rapl:0:0/name': No such file or directory"))
    }

    @Test func globsStopAtSlashes() throws {
        let ended = try Machine.run(
            Self.scenario,
            "echo 'fault class/powercap*energy_uj eio' >$C || cat $SUSTAIN_SIMULATOR/error; cat \(Self.file) >/dev/null"
        )
        #expect(ended.output.contains("'class/powercap*energy_uj' matches no file"))
        #expect(!ended.errors.contains("Input/output error"))
    }

    @Test func missingDirectoryTakesItsOpenFilesWithIt() throws {
        let directory = "devices/virtual/powercap/intel-rapl/intel-rapl:0"
        let ended = try Machine.run(
            Self.scenario,
            """
            exec 9<\(Self.file) 8<$P/intel-rapl:1/energy_uj; echo fault \(directory) missing >$C
            cat <&9 2>&1; cat <&8 >/dev/null && echo well; ls /sys/\(directory) $P/intel-rapl:0/ 2>&1 | grep -c 'No such'
            echo clear \(directory) >$C; cat $P/intel-rapl:0/name
            """)
        #expect(ended.lines == ["cat: -: No such device", "well", "2", "package-0"])
    }

    @Test func readInPiecesSeesOneText() throws {
        let ended = try Machine.run(
            Self.scenario, "cat $T; dd if=\(Self.file) bs=1 2>/dev/null; cat $T")
        let reading = try #require(try Reading.all(ended).first)
        #expect(reading.value >= ended.log.counter("p", at: reading.before.timeNs))
        #expect(reading.value <= ended.log.counter("p", at: reading.after.timeNs))
    }
}
