import Analysis
import Glibc

/// How often a slow counter is read.
///
/// A counter that is renewed seldom tells the energy of short phases only if the moment of each step is known
/// (docs/metrics.md, "Phase fit"): it is read ten times as often as it moves, and every 10 ms where that costs
/// next to nothing. Reading may never take a tenth of a core: a call to a driver takes from microseconds to
/// many milliseconds.
public enum ReadPace {
    /// A counter that moves more often is fast: it is read at marks, or often enough at the common interval.
    static let slowPeriod = Nanoseconds(20_000_000)
    private static let readsInPeriod = 10.0
    /// No finer than this unless the period asks for it.
    private static let finest: Int64 = 10_000_000
    /// Shares of a core: what the reads that are needed may take, and what finer ones may.
    private static let neededShare = 0.1
    private static let finerShare = 0.01
    /// Divisors and multiples of the usual interval, so that sources meet in one tick.
    private static let choices: [Int64] = [2, 5, 10, 20, 25, 50, 100, 200, 500, 1000].map { $0 * 1_000_000 }

    /// What to do, and why.
    struct Choice: Hashable {
        var interval: Nanoseconds
        /// Seldomer than the fit needs, because of what reading costs.
        var isLimited: Bool
        var reason: String
    }

    /// - Parameters:
    ///   - period: time between two renewals of the value.
    ///   - cost: seconds that one read of all slow counters takes together.
    static func choose(period: Nanoseconds, cost: Double) -> Choice {
        let needed = Double(period.value) / readsInPeriod
        // A tenth of leeway: a period of 0.099 s, as seen, is 0.1 s.
        let slowest = choices.last { Double($0) <= 1.1 * needed } ?? choices[0]
        func isAffordable(_ interval: Int64, _ share: Double) -> Bool {
            cost * 1e9 <= share * Double(interval)
        }
        let finer = choices.first { $0 >= min(finest, slowest) && isAffordable($0, finerShare) }
        let affordable = choices.first { $0 >= slowest && isAffordable($0, neededShare) } ?? 1_000_000_000
        let interval = min(finer ?? affordable, affordable)
        let isLimited = interval > slowest
        var reason = "every \(short(Double(interval) / 1e6)) ms: "
        reason +=
            "renewed every \(short(Double(period.value) / 1e6)) ms, a read takes \(short(cost * 1e3)) ms"
        if isLimited {
            reason += "; every \(short(Double(slowest) / 1e6)) ms would take over a tenth of a core"
        }
        return Choice(interval: Nanoseconds(interval), isLimited: isLimited, reason: reason)
    }

    /// Sets the pace of the counters of which it is told that they are slow.
    static func setTold(_ sources: inout [LiveSource]) {
        set(&sources) { source in
            source.line.tellsEnergy && source.line.kind == .counter ? source.updatePeriod : nil
        }
    }

    /// Looks at counters before anything is measured, until their rhythm is known, and sets the pace of the
    /// slow ones. Takes milliseconds where all are fast, at most 3.2 s where one moves every second.
    ///
    /// - Parameter ids: of the counters of the total.
    public static func look(at sources: inout [LiveSource], ids: [String]) {
        var looks = sources.indices.compactMap { index -> CounterGlance? in
            if case .helper = sources[index].reading { return nil }
            let isWanted = ids.contains(sources[index].line.id) && sources[index].line.kind == .counter
            return isWanted ? CounterGlance(index) : nil
        }
        let start = Clock.monotonic()
        while looks.contains(where: { !$0.isOver(after: Clock.monotonic() &- start) }) {
            for position in looks.indices {
                // A read that fails tells nothing of the rhythm; the run will say that it failed.
                guard let value = try? sources[looks[position].index].value() else {
                    looks[position].failures += 1
                    continue
                }
                looks[position].add(value, at: Clock.monotonic())
            }
            var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
            nanosleep(&pause, nil)
        }
        for look in looks { sources[look.index].seenPeriod = look.period }
        let seen = Set(looks.map { sources[$0.index].line.id })
        set(&sources) { source in
            seen.contains(source.line.id) ? source.seenPeriod ?? source.updatePeriod : nil
        }
    }

    private static func set(_ sources: inout [LiveSource], period: (LiveSource) -> Nanoseconds?) {
        let slow = sources.indices.filter { (period(sources[$0]) ?? slowPeriod) > slowPeriod }
        let cost = slow.reduce(0) { $0 + sources[$1].secondsToRead }
        for index in slow {
            guard let renewed = period(sources[index]) else { continue }
            let choice = choose(period: renewed, cost: cost)
            // A shorter common interval is the user's wish, unless reading costs too much.
            sources[index].interval = choice.isLimited ? choice.interval : nil
            sources[index].longestInterval = choice.isLimited ? nil : choice.interval
            sources[index].line.pace = choice.reason
        }
    }
}

/// One counter in a look: what it was and when it moved.
struct CounterGlance {
    let index: Int
    var failures = 0
    private var last: Int64?
    private var reads = 0
    private var lastMove: UInt64?
    /// Nanoseconds from move to move.
    private var gaps: [UInt64] = []

    private static let enough = 6
    private static let mostFailures = 10
    /// One that has not moved by then is left to itself.
    private static let patience: UInt64 = 1_200_000_000
    /// One that has is waited for until it has moved three times, if not for longer than this.
    private static let most: UInt64 = 3_200_000_000

    init(_ index: Int) { self.index = index }

    mutating func add(_ value: Int64, at time: UInt64) {
        defer { last = value }
        guard let last else { return }
        reads += 1
        guard value != last else { return }
        if let lastMove { gaps.append(time &- lastMove) }
        lastMove = time
    }

    private var moves: Int { lastMove == nil ? 0 : gaps.count + 1 }

    func isOver(after elapsed: UInt64) -> Bool {
        if moves >= Self.enough || failures >= Self.mostFailures || elapsed >= Self.most { return true }
        return elapsed >= Self.patience && (moves == 0 || moves >= 3)
    }

    /// The gap in the middle of their order: a look that lost the processor once is not taken for a slow counter.
    /// Nil where it moved at nearly each read, so that its rhythm is faster than the look, or hardly ever.
    var period: Nanoseconds? {
        guard !gaps.isEmpty, 5 * moves < 4 * reads else { return nil }
        return Nanoseconds(Int64(clamping: gaps.sorted()[(gaps.count - 1) / 2]))
    }
}
