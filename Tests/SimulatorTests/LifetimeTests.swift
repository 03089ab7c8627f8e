import Foundation
import Glibc
import Testing

/// How the machine begins and ends, and what it shows and leaves behind.
@Suite(.enabled(if: Machine.isHere, Machine.missing))
struct LifetimeTests {
    private static let one = "domain p 85\nzone intel-rapl:0 package-0 p mode=0400 max_power=125.5\n"

    @Test(arguments: [("exit 7", 7), ("kill -9 $$", 137), ("kill $$", 143)])
    func statusIsTheCommands(script: String, status: Int32) throws {
        let ended = try Machine.run(Self.one, script)
        #expect(ended.status == status)
        #expect(ended.log.events("end").map(\.line) == ["status \(status)"])
    }

    @Test func commandThatCannotStart() throws {
        let file = Machine.scenarios.appending(path: "constant.scenario").path
        let absent = try Machine.run(arguments: [file, "--", "/nonexistent"])
        #expect(absent.status == 127 && absent.errors.contains("/nonexistent: No such file"))
        let text = try Machine.run(arguments: [file, "--", "/etc/passwd"])
        #expect(text.status == 126 && text.errors.contains("/etc/passwd: Permission denied"))
        let log = try Machine.run(arguments: ["--log", "/nonexistent/log", file, "--", "true"])
        #expect(log.status == 125 && log.errors.contains("/nonexistent/log: No such file"))
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGUSR1])
    func signalsArePassedOn(signal: Int32) throws {
        let names = [SIGTERM: "TERM", SIGINT: "INT", SIGUSR1: "USR1"]
        let name = try #require(names[signal])
        // A shell that starts with SIGINT ignored, as some runners leave it, cannot trap it.
        let machine = try Machine.Started(
            Self.one,
            "exec env --default-signal=INT sh -c 'trap \"echo got; exit 9\" \(name); echo ready; while :; do sleep 0.05; done'"
        )
        try wait { machine.output == "ready\n" }
        kill(machine.pid, signal)
        try wait { machine.output == "ready\ngot\n" }
        let ended = try machine.wait()
        #expect(ended.status == 9 && ended.lines == ["ready", "got"])
    }

    @Test func killedMachineTakesItsCommandWithIt() throws {
        let machine = try Machine.Started(Self.one, "echo $$; exec sleep 60")
        try wait { machine.output.hasSuffix("\n") }
        let command = try #require(Int32(machine.output.dropLast()))
        #expect(kill(command, 0) == 0)
        kill(machine.pid, SIGKILL)
        // Before the machine is waited for, which would wait for a command that lives on, too.
        try wait { kill(command, 0) != 0 }
        #expect(try machine.wait().status == 137)
        #expect(try ownMounts().contains("simulator") == false)
    }

    @Test func slowReadDoesNotOutliveItsReader() throws {
        let ended = try Machine.run(
            Self.one,
            "echo fault class/powercap/intel-rapl:0/energy_uj slow=3600s >$C; cat $P/intel-rapl:0/energy_uj & p=$!\n"
                + "sleep 0.1; kill -9 $p; wait $p; echo $?")
        #expect(ended.lines.last == "137")
    }

    @Test func nothingOfTheRealMachineShows() throws {
        let ended = try Machine.run(
            "", "cd /sys/class; ls -A powercap hwmon power_supply thermal; ls simulator; mkdir /sys/class/x")
        #expect(
            ended.lines == [
                "hwmon:", "power_supply:", "powercap:", "thermal:", "control", "error", "log", "truth",
            ])
        #expect(ended.errors.contains("Read-only file system"))
        // Where the real ones are empty too, the listing alone would not tell.
        let kinds = try Machine.run(
            "", "cd /sys/class; stat -f -c %T powercap hwmon power_supply thermal simulator")
        #expect(kinds.lines.count == 5 && kinds.lines.allSatisfy { $0.hasPrefix("fuse") })
    }

    @Test func theRestOfSysfsStays() throws {
        let scenario =
            "text devices/system/cpu/cpu0/thermal_throttle/core_throttle_count 3\n"
            + "text devices/system/cpu/cpufreq/policy0/scaling_cur_freq 1800000\n"
        let script =
            "ls /sys/class /sys/devices/system/cpu; cat /sys/devices/system/cpu/online\n"
            + "stat -f -c %T /sys; cat /sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count"
            + " /sys/devices/system/cpu/cpufreq/*/scaling_cur_freq"
        let ended = try Machine.run(scenario, script)
        let inside = Set(ended.lines)
        let names = try ["/sys/class", "/sys/devices/system/cpu"].flatMap {
            try FileManager.default.contentsOfDirectory(atPath: $0)
        }
        #expect(names.count > 20 && names.allSatisfy { inside.contains($0) })
        let online = try String(contentsOfFile: "/sys/devices/system/cpu/online", encoding: .utf8)
        #expect(
            ended.lines.suffix(4) == [
                online.split(separator: "\n").map(String.init)[0], "sysfs", "3", "1800000",
            ])
        #expect(try ownMounts().contains("simulator") == false)
    }

    @Test func zoneLooksAsTheKernels() throws {
        let ended = try Machine.run(
            Self.one + "zone intel-rapl:0:2 dram p range=0\n",
            "cd $P; ls; readlink intel-rapl:0:2; cd intel-rapl:0; ls; cat name max_energy_range_uj constraint_0_max_power_uw\n"
                + "cd intel-rapl:0:2/subsystem; pwd -P; stat -L -c %a $P/intel-rapl:0/energy_uj $P/intel-rapl:0:2/energy_uj\n"
                + "ls $P/intel-rapl:0:2")
        #expect(ended.errors == "")
        #expect(
            ended.lines == [
                "intel-rapl", "intel-rapl:0", "intel-rapl:0:2",
                "../../devices/virtual/powercap/intel-rapl/intel-rapl:0/intel-rapl:0:2",
                "constraint_0_max_power_uw", "constraint_0_name", "constraint_0_power_limit_uw",
                "constraint_0_time_window_us", "enabled", "energy_uj", "intel-rapl:0:2",
                "max_energy_range_uj",
                "name", "subsystem", "package-0", "262143328850", "125500000", "/sys/class/powercap", "400",
                "444", "enabled", "energy_uj", "name", "subsystem",
            ])
    }

    @Test func modeHoldsForOthersThanRoot() throws {
        let ended = try Machine.run(
            Self.one,
            "cat $P/intel-rapl:0/energy_uj >/dev/null && echo root; setpriv --reuid 65534 --clear-groups --inh-caps=-all"
                + " cat $P/intel-rapl:0/name $P/intel-rapl:0/energy_uj; echo 1 >$P/intel-rapl:0/name")
        #expect(ended.lines == ["root", "package-0"])
        #expect(ended.errors.split(separator: "\n").filter { $0.hasSuffix("Permission denied") }.count == 2)
    }

    @Test func textsAreSetAndWritten() throws {
        let ended = try Machine.run(
            "text class/thermal/a \"x y\"\ntext class/thermal/b 1 mode=0644\n",
            "cat /sys/class/thermal/a; echo set class/thermal/a z >$C; echo 2 >/sys/class/thermal/b\n"
                + "cat /sys/class/thermal/a /sys/class/thermal/b")
        #expect(ended.lines == ["x y", "z", "2"])
        #expect(ended.log.events("written").map(\.line) == ["class/thermal/b"])
    }

    private func ownMounts() throws -> String {
        try String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)
    }
}
