import Analysis
import Glibc
import Testing

@testable import Session

@Suite struct ConditionsTests {
    private let ticks = UInt64(sysconf(Int32(_SC_CLK_TCK)))

    private func use(busy: Double, steal: Double = 0, ours: Double = 0) -> CPUUse {
        CPUUse(
            busy: UInt64(busy * Double(ticks)), steal: UInt64(steal * Double(ticks)),
            ours: UInt64(ours * Double(ticks)))
    }

    private func verdicts(_ to: CPUUse, seconds: Double = 10) -> [String: Condition.Verdict] {
        let checks = Conditions.quiet(
            during: .idleBefore, from: use(busy: 0), to: to, over: Nanoseconds(Seconds(seconds)))
        return Dictionary(uniqueKeysWithValues: checks.map { ($0.name, $0.verdict) })
    }

    @Test func anotherProgramThatUsesACoreFailsTheIdleWindow() {
        #expect(verdicts(use(busy: 10)) == ["other_load": .fail, "steal": .pass])
        #expect(verdicts(use(busy: 4.9)) == ["other_load": .pass, "steal": .pass])
        #expect(verdicts(use(busy: 5.2)) == ["other_load": .fail, "steal": .pass])
    }

    @Test func ourOwnProcessesAreNotTheNeighbours() {
        #expect(verdicts(use(busy: 10, ours: 9.9))["other_load"] == .pass)
    }

    @Test func stealAboveFivePercentFails() {
        #expect(verdicts(use(busy: 0, steal: 0.6))["steal"] == .fail)
        #expect(verdicts(use(busy: 0, steal: 0.4))["steal"] == .pass)
    }

    @Test func withoutStatNothingIsClaimed() {
        let checks = Conditions.quiet(during: .idleBefore, from: nil, to: nil, over: Nanoseconds(1))
        #expect(checks.map(\.name) == ["other_load", "steal"])
        #expect(checks.allSatisfy { $0.verdict == .cannotTell })
    }

    @Test func theProcessTableIsReadAsTheKernelWritesIt() throws {
        let facts = HostFacts(sysfs: "/sys", procfs: "/proc")
        let before = try #require(CPUUse.read(facts, pids: [getpid()]))
        var sum: UInt64 = 0
        let end = Clock.now + Nanoseconds(60_000_000)
        while Clock.now < end { sum &+= 1 }
        let after = try #require(CPUUse.read(facts, pids: [getpid()]))
        #expect(after.ours > before.ours || sum == 0)
        #expect(after.busy >= before.busy)
    }

    @Test func identityNamesTheMachine() {
        let identity = Identity.read(HostFacts(sysfs: "/sys", procfs: "/proc"))
        #expect(identity["kernel"]?.value != nil)
        #expect(Int(identity["usable_cpus"]?.value ?? "") ?? 0 >= 1)
        let nowhere = Identity.read(HostFacts(sysfs: "/nonexistent", procfs: "/nonexistent"))
        #expect(nowhere["kernel"]?.reason?.contains("/nonexistent") == true)
    }
}
