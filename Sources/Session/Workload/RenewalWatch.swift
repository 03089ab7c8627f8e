import Analysis
import Energy

/// A source of the total, as it is read.
struct CountedSource {
    let line: SourceLine
    /// How often a look before the run saw it move; nil where it could not tell.
    var seenPeriod: Nanoseconds?

    /// Time between two renewals, as well as it is known before the run.
    var period: Nanoseconds? { seenPeriod ?? line.updatePeriodNanoseconds.map(Nanoseconds.init) }

    /// The update period that the analysis will find, in nanoseconds: a renewal is seen a read later at most.
    /// A source that is read at marks shows its own.
    var periodAsFound: Int64? {
        period.map {
            $0 <= LiveSource.longestReadAtMarks ? $0.value : $0.value + 2 * line.intervalNanoseconds
        }
    }
}

/// How often the counters of the total are renewed, as far as the run has seen.
struct RenewalWatch {
    private struct Track {
        let id: String
        /// What the device or a look before the run says, where something does.
        let told: Nanoseconds?
        var last: Int64?
        var reads = 0
        var moves = 0
        var firstMove: Instant?
        var lastMove: Instant?

        mutating func add(_ value: Int64, at time: Instant) {
            defer { last = value }
            guard let last else { return }
            reads += 1
            guard value != last else { return }
            moves += 1
            if firstMove == nil { firstMove = time }
            lastMove = time
        }

        /// A counter that moved at nearly each read moves more often than it is read: its period is not seen.
        var period: Seconds? {
            guard let firstMove, let lastMove, moves >= 4, 5 * moves < 4 * reads else {
                return told?.seconds
            }
            return Seconds((lastMove - firstMove).seconds.value / Double(moves - 1))
        }
    }

    private var tracks: [Int: Track] = [:]

    /// - Parameter counted: the sources of the total.
    init(_ counted: [CountedSource]) {
        for source in counted where source.line.kind == .counter {
            tracks[source.line.index] = Track(id: source.line.id, told: source.period)
        }
    }

    mutating func add(_ sample: SampleLine) {
        var time = sample.time
        for (position, index) in sample.sources.enumerated() {
            time = time + Nanoseconds(Int64(sample.deltas[position]))
            guard let value = sample.values[position] else { continue }
            tracks[index]?.add(value, at: time)
        }
    }

    /// The counter that is renewed most seldom; nil where no period is known.
    var slowest: (id: String, period: Seconds)? {
        tracks.values.compactMap { track in track.period.map { (id: track.id, period: $0) } }
            .max { ($0.period, $1.id) < ($1.period, $0.id) }
    }
}
