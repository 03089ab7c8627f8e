import Analysis
import FoundationEssentials
import Glibc

/// The directory of one run, `DIR/<run id>/`, claimed by making it.
public struct RunDirectory: Sendable {
    /// `20261130T005600Z-<slug>-<6 hex>`.
    public let id: String
    public let path: String

    public var tracePath: String { path + "/trace.jsonl" }
    public var recordPath: String { path + "/run.json" }
    public var workerLogPath: String { path + "/worker.log" }

    /// Makes `parent` where it is missing, and in it a directory no other run has.
    static func claim(in parent: String, name: String, at date: Date) throws(Failure) -> RunDirectory {
        try makeDirectories(parent)
        for _ in 0..<16 {
            let id = "\(stamp(date))-\(slug(name))-\(randomHex())"
            let path = parent + "/" + id
            if mkdir(path, 0o755) == 0 { return RunDirectory(id: id, path: path) }
            if errno != EEXIST {
                throw Failure.system(
                    path, "cannot make the run's directory", remedy: "choose another one with --output DIR")
            }
        }
        throw Failure(thing: parent, cause: "no free run id was found in 16 tries")
    }

    /// Lower case letters, digits, dot, underscore and dash; at most 40; "run" when nothing is left.
    static func slug(_ name: String) -> String {
        var result = ""
        for scalar in name.lowercased().unicodeScalars {
            switch scalar {
            case "a"..."z", "0"..."9", ".", "_", "-": result.unicodeScalars.append(scalar)
            default: if result.last != "-" { result += "-" }
            }
        }
        let trimmed = result.prefix(40).drop { $0 == "-" || $0 == "." }
        return trimmed.isEmpty ? "run" : String(trimmed)
    }

    /// Whether a text from outside can be a run's id: it names a directory and leads nowhere else.
    static func isID(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private static func stamp(_ date: Date) -> String {
        date.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
    }

    static func randomHex() -> String {
        let digits = String(UInt32.random(in: 0..<0x100_0000), radix: 16)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    private static func makeDirectories(_ path: String) throws(Failure) {
        var made = path.hasPrefix("/") ? "/" : ""
        for component in path.split(separator: "/") {
            made += component + "/"
            if mkdir(made, 0o755) != 0, errno != EEXIST {
                throw Failure.system(
                    made, "cannot make the directory", remedy: "choose another one with --output DIR")
            }
        }
    }
}
