import Analysis
import Energy
import Foundation
import Glibc
import Testing

@testable import Session

/// Between whole runs: until the temperatures of the first one's start, or as long as the user allows.
@Suite struct CoolDownTests {
    private static let zone = "sys/class/thermal/thermal_zone0"

    /// The wait, and the temperatures that it put into its trace.
    private final class Wait {
        let tree: MachineTree
        let coolDown: CoolDown
        private let path: String
        private let trace: TraceWriter

        init(_ files: [String: String], limit: Seconds?) throws {
            tree = try MachineTree(files)
            let probed = Probe.run(
                roots: SystemRoots(sysfs: tree.root + "/sys", procfs: tree.root + "/proc"), power: .none)
            path = tree.root + "/trace.jsonl"
            trace = try TraceWriter(path: path)
            // No event loop: it would ignore SIGPIPE in every test's programs.
            coolDown = CoolDown(Thermometer(probed.sources), limit: limit, trace: trace) { moment in
                usleep(UInt32(max(0, (moment - Clock.now).value / 1000)))
            }
        }

        func wait() throws -> RunLine.Cooling {
            try coolDown.wait("test", ProgressDisplay(mode: .quiet))
        }

        /// In place, as sysfs does: the descriptor stays open.
        func set(_ milli: Int) throws {
            let file = try #require(fopen("\(tree.root)/\(CoolDownTests.zone)/temp", "w"))
            fputs("\(milli)\n", file)
            fclose(file)
        }

        func celsius() throws -> [Int64] {
            try trace.flush()
            let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
            return try text.split(separator: "\n").compactMap {
                guard case .sample(let sample) = try CanonicalJSON.decode(TraceLine.self, from: Data($0.utf8))
                else { return nil }
                return sample.values[0]
            }
        }
    }

    private static let warm = ["\(zone)/type": "x86_pkg_temp", "\(zone)/temp": "40000"]

    @Test func theFirstRunIsWhatTheOthersWaitFor() throws {
        let wait = try Wait(Self.warm, limit: Seconds(60))
        #expect(try wait.wait() == .first)
        try wait.set(41_900)
        #expect(try wait.wait() == .reached)
        #expect(try wait.celsius() == [40_000, 41_900])
    }

    @Test func itGoesOnWhenTheMachineHasCooled() throws {
        let wait = try Wait(Self.warm, limit: Seconds(600))
        #expect(try wait.wait() == .first)
        try wait.set(60_000)
        // Another program's work: it ends while we wait.
        let file = "\(wait.tree.root)/\(Self.zone)/temp"
        let cooler = Thread {
            usleep(300_000)
            guard let stream = fopen(file, "w") else { return }
            fputs("41000\n", stream)
            fclose(stream)
        }
        cooler.start()
        #expect(try wait.wait() == .reached)
        let seen = try wait.celsius()
        #expect(seen.prefix(2) == [40_000, 60_000] && seen.last == 41_000, "\(seen)")
    }

    @Test func itDoesNotWaitForEver() throws {
        let wait = try Wait(Self.warm, limit: Seconds(0.2))
        #expect(try wait.wait() == .first)
        try wait.set(60_000)
        #expect(try wait.wait() == .timedOut)
    }

    /// What it shows now is none that could be waited for.
    @Test(arguments: ["", "garbage", "9223372036854775807"]) func aSensorThatIsLostIsWaitedForBlindly(
        text: String
    ) throws {
        let wait = try Wait(Self.warm, limit: Seconds(0.1))
        #expect(try wait.wait() == .first)
        let file = try #require(fopen("\(wait.tree.root)/\(Self.zone)/temp", "w"))
        fputs(text, file)
        fclose(file)
        #expect(try wait.wait() == .blind)
    }

    @Test func withoutASensorItWaitsBlindly() throws {
        let wait = try Wait([:], limit: Seconds(0.1))
        #expect(try wait.wait() == .first)
        #expect(try wait.wait() == .blind)
        #expect(try wait.celsius() == [])
    }

    /// A sensor that cannot be read any more is none to wait for.
    @Test func excessIsThatOfTheWarmest() {
        #expect(CoolDown.excess([50, 41, nil], over: [45, 40, 30]) == 5)
        #expect(CoolDown.excess([50], over: [nil]) == nil)
        #expect(CoolDown.excess([], over: []) == nil)
    }

    @Test func drivesAreNotWaitedFor() throws {
        let files = [
            "sys/class/hwmon/hwmon0/name": "nvme", "sys/class/hwmon/hwmon0/temp1_input": "30000",
            "\(Self.zone)/type": "nvme", "\(Self.zone)/temp": "30000",
        ]
        let wait = try Wait(files, limit: Seconds(0.1))
        #expect(try wait.wait() == .first)
        #expect(try wait.wait() == .blind)
    }
}
