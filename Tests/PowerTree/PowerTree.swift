import CHost
import Glibc

/// A sysfs tree with one package whose energy counter advances at a known power, for tests that pass it by
/// `--path.sysfs`.
///
///     power-tree ROOT PIPE WATTS
///
/// Makes `ROOT/class/powercap/intel-rapl:0` and the FIFO `PIPE`, prints "ready", and from then on renews
/// `energy_uj` every millisecond. A line "WATTS T_NS" on the FIFO changes the power as of T_NS, a moment of
/// CLOCK_MONOTONIC just past: the scripted engine writes one before each mark, with the mark's stamp. Ends
/// with its parent's end of standard input.
@main
enum PowerTree {
    static func main() {
        let words = CommandLine.arguments
        guard words.count == 4, let watts = UInt64(words[3]) else {
            fail("usage: power-tree ROOT PIPE WATTS")
        }
        let zone = words[1] + "/class/powercap/intel-rapl:0"
        makeDirectories(zone)
        put("package-0\n", at: zone + "/name")
        put("262143328850\n", at: zone + "/max_energy_range_uj")
        put("200000000\n", at: zone + "/constraint_0_power_limit_uw")
        put("long_term\n", at: zone + "/constraint_0_name")
        let counter = open(zone + "/energy_uj", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard counter >= 0, mkfifo(words[2], 0o600) == 0 else { fail("cannot make the counter or the pipe") }
        // Read and write, so that the pipe never reaches its end when the engine is gone.
        let pipe = open(words[2], O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard pipe >= 0 else { fail("cannot open the pipe") }
        var energy = ExactEnergy(watts: watts, start: chost_monotonic_ns())
        write(energy, to: counter)
        print("ready")
        fflush(nil)
        serve(&energy, counter: counter, pipe: pipe)
    }

    private static func serve(_ energy: inout ExactEnergy, counter: Int32, pipe: Int32) {
        var next = chost_monotonic_ns()
        var text: [UInt8] = []
        while true {
            next += 1_000_000
            var watched = [
                pollfd(fd: pipe, events: Int16(POLLIN), revents: 0),
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            ]
            let now = chost_monotonic_ns()
            _ = chost_ppoll(&watched, watched.count, next > now ? Int64(next - now) : 0)
            if watched[1].revents != 0 { return }
            if watched[0].revents != 0 {
                var piece = [UInt8](repeating: 0, count: 256)
                let count = read(pipe, &piece, piece.count)
                if count > 0 { text += piece[..<count] }
                while let end = text.firstIndex(of: 0x0A) {
                    let words = text[..<end].split(separator: 0x20).compactMap {
                        UInt64(String(decoding: $0, as: UTF8.self))
                    }
                    if words.count == 2 { energy.change(to: words[0], at: words[1]) }
                    text.removeFirst(end + 1)
                }
            }
            write(energy, to: counter)
        }
    }

    /// Sixteen digits in one write to the same bytes: a reader never sees a shorter file.
    private static func write(_ energy: ExactEnergy, to counter: Int32) {
        let digits = String(energy.microjoules(at: chost_monotonic_ns()))
        let line = Array((String(repeating: "0", count: 16 - digits.count) + digits + "\n").utf8)
        guard pwrite(counter, line, line.count, 0) == line.count else { fail("cannot write the counter") }
    }

    private static func makeDirectories(_ path: String) {
        var made = path.hasPrefix("/") ? "/" : ""
        for component in path.split(separator: "/") {
            made += component + "/"
            if mkdir(made, 0o755) != 0, errno != EEXIST { fail("cannot make \(made)") }
        }
    }

    private static func put(_ text: String, at path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0, Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count else {
            fail("cannot write \(path)")
        }
        close(descriptor)
    }

    private static func fail(_ text: String) -> Never {
        let line = "power-tree: \(text)\n"
        _ = Glibc.write(STDERR_FILENO, line, line.utf8.count)
        exit(1)
    }
}

/// Energy of a piecewise constant power, exact in integers: W x ns = nJ.
struct ExactEnergy {
    private var watts: UInt64
    private var since: UInt64
    private var nanojoules: UInt64 = 1_000_000_000

    init(watts: UInt64, start: UInt64) {
        self.watts = watts
        since = start
    }

    /// - Parameter time: not before the last change.
    mutating func change(to watts: UInt64, at time: UInt64) {
        guard time >= since else { return }
        nanojoules += self.watts * (time - since)
        self.watts = watts
        since = time
    }

    func microjoules(at time: UInt64) -> UInt64 { (nanojoules + watts * (time - since)) / 1000 }
}
