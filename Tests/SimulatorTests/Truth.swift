import Foundation

/// One line of the log.
struct LogLine: Decodable {
    var timeNs: Int64
    var domain: String?
    var microwatts: Int64?
    var nanojoules: Int64?
    var femtojoules: Int64?
    var event: String?
    var line: String?

    enum CodingKeys: String, CodingKey {
        case timeNs = "t_ns"
        case domain
        case microwatts = "uw"
        case nanojoules = "nj"
        case femtojoules = "fj"
        case event
        case line
    }
}

/// The log as the truth of any window: computed here from power and time alone.
struct MachineLog {
    var lines: [LogLine]

    init(lines: [LogLine]) { self.lines = lines }

    init(_ text: String) throws {
        lines = try text.split(separator: "\n").map {
            try JSONDecoder().decode(LogLine.self, from: Data($0.utf8))
        }
    }

    var start: Int64 { lines.first { $0.event == "start" }?.timeNs ?? 0 }

    func events(_ name: String) -> [LogLine] { lines.filter { $0.event == name } }

    /// Power changes of a domain in order of time.
    func changes(_ domain: String) -> [(timeNs: Int64, microwatts: Int64)] {
        lines.compactMap { line in
            guard line.domain == domain, let microwatts = line.microwatts else { return nil }
            return (line.timeNs, microwatts)
        }
    }

    /// Femtojoules from the start to a moment; before the start the power was the first one for ever.
    func energy(_ domain: String, at timeNs: Int64) -> Int128 {
        let changes = changes(domain)
        guard let first = changes.first else { return 0 }
        if timeNs < first.timeNs { return Int128(first.microwatts) * Int128(timeNs - first.timeNs) }
        var sum: Int128 = 0
        for (index, change) in changes.enumerated() where change.timeNs < timeNs {
            let next = index + 1 < changes.count ? changes[index + 1].timeNs : Int64.max
            sum += Int128(change.microwatts) * Int128(min(next, timeNs) - change.timeNs)
        }
        return sum
    }

    /// Microwatts at a moment.
    func power(_ domain: String, at timeNs: Int64) -> Int64 {
        let changes = changes(domain)
        return changes.last { $0.timeNs <= timeNs }?.microwatts ?? changes.first?.microwatts ?? 0
    }

    /// What a counter without faults shows at a moment, in microjoules, by its definition.
    func counter(
        _ domain: String, at timeNs: Int64, period: Int64 = 1_000_000, unit: Int128 = 61_035_156_250
    ) -> Int64 {
        let ticks = (timeNs - start) / period
        let steps = energy(domain, at: start + ticks * period) / unit
        return Int64(steps * unit / 1_000_000_000)
    }
}

/// What the file `truth` holds.
struct Truth: Decodable {
    struct Energy: Decodable {
        var nj: Int64
        var fj: Int64
        var uw: Int64
        var femtojoules: Int128 { Int128(nj) * 1_000_000 + Int128(fj) }
    }

    var timeNs: Int64
    var domains: [String: Energy]

    enum CodingKeys: String, CodingKey {
        case timeNs = "t_ns"
        case domains
    }

    init(_ line: String) throws { self = try JSONDecoder().decode(Truth.self, from: Data(line.utf8)) }
}

/// A number that was read between two readings of the truth.
struct Reading {
    var before: Truth
    var value: Int64
    var after: Truth

    /// From the output of `cat $T FILE $T`, as often as it was called.
    static func all(_ ended: Machine.Ended) throws -> [Reading] {
        let lines = ended.lines
        guard lines.count % 3 == 0 else { throw Malformed(text: ended.output + ended.errors) }
        return try stride(from: 0, to: lines.count, by: 3).map {
            guard let value = Int64(lines[$0 + 1]) else { throw Malformed(text: lines[$0 + 1]) }
            return Reading(before: try Truth(lines[$0]), value: value, after: try Truth(lines[$0 + 2]))
        }
    }

    struct Malformed: Error { var text: String }
}
