import Analysis
import Foundation
import TestSupport
import Testing

/// A wall clock that a test sets while a run goes on (CASES C19).
///
/// Setting the machine's own clock would set it for everybody on it, and a time namespace cannot move CLOCK_REALTIME
/// (time_namespaces(7)). So a library is preloaded that adds to what the kernel says of that one clock: all of
/// `sustain` and its engine see what they would see of a clock that was really set, the kernel does not.
private struct FakeWallClock {
    let library: String
    private let offset: String

    static let canBeMade = access("/usr/bin/cc", X_OK) == 0

    private static let source = """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <stdlib.h>
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>

        int clock_gettime(clockid_t clock, struct timespec *time) {
            if (syscall(SYS_clock_gettime, clock, time) != 0) return -1;
            if (clock != CLOCK_REALTIME) return 0;
            const char *path = getenv("FAKE_WALL_CLOCK");
            int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
            char text[32] = {0};
            if (file < 0) return 0;
            if (read(file, text, sizeof text - 1) > 0) time->tv_sec += strtol(text, NULL, 10);
            (void)close(file);
            return 0;
        }
        """

    init(in place: Workplace) throws {
        library = place.url.appending(path: "libwallclock.so").path
        offset = place.url.appending(path: "offset").path
        let source = try place.file("wallclock.c", Self.source)
        let made = try Program(
            at: "/usr/bin/cc", ["-shared", "-fPIC", "-O1", source, "-o", library], in: place
        ).wait()
        guard made.status == 0 else { throw SetUpFailure("no library: \(made.errors)") }
        try set(seconds: 0)
    }

    func set(seconds: Int) throws {
        try Data("\(seconds)".utf8).write(to: URL(filePath: offset), options: .atomic)
    }

    var environment: [String: String] { ["LD_PRELOAD": library, "FAKE_WALL_CLOCK": offset] }
}

@Suite(.enabled(if: FakeWallClock.canBeMade, "needs a C compiler at /usr/bin/cc"))
struct WallClockTests {
    /// Runs, sets the clock once the sustained part has begun, and waits.
    private func run(setBy seconds: Int?) throws -> Record {
        var run = try ScriptedRun()
        let clock = try FakeWallClock(in: run.workplace)
        run.environment = clock.environment
        run.arguments = [
            "--seconds", "4", "--idle", "0.2", "-p", "8", "-n", "12", "--warmup", "0", "--power", "none",
        ]
        let program = try run.start()
        try program.wait { program.errorsSoFar().contains("sustained  ") }
        // The clocks are read once a second: once before it is set, and after it.
        usleep(1_300_000)
        if let seconds { try clock.set(seconds: seconds) }
        let ended = try program.wait()
        #expect(ended.status == 0, "\(ended.errors)")
        return try run.record()
    }

    @Test(arguments: [(3600, "forward"), (-3600, "back")]) func aClockThatIsSet(
        seconds: Int, way: String
    ) throws {
        let record = try run(setBy: seconds)
        #expect(
            record.warnings.contains { $0.hasPrefix("the wall clock was set \(way) by 3600.0 s ") },
            "\(record.warnings)")
        // Set, not slept: nothing is void, and no figure holds an hour.
        #expect(!record.warnings.contains { $0.contains("slept") })
        #expect(record.windows.allSatisfy { (0..<600).contains($0.begin) && (0..<600).contains($0.end) })
        #expect(record.metrics.wholeCycles >= 1)
        #expect(record.metrics.decode.tokensPerSecond.number.map { $0 > 0.1 } == true)
        #expect(record.metrics.cycle.seconds.value.map { (0..<600).contains($0) } == true)
    }

    @Test func aClockThatIsLeftAlone() throws {
        let record = try run(setBy: nil)
        #expect(!record.warnings.contains { $0.contains("wall clock") })
        #expect(record.sources.contains { $0.id == "clock:wall" && $0.status == .ok })
    }
}
