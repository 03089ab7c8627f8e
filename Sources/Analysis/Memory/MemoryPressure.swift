/// How near to its end the memory of the machine or of its control group came, or the machine to its heat.
public struct MemoryPressure: Sendable, Hashable, Codable {
    public enum Level: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
        case nominal, elevated, high, critical

        public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .nominal: 0
            case .elevated: 1
            case .high: 2
            case .critical: 3
            }
        }
    }

    /// The worst over the run.
    public var worst: Maybe<Level>
    /// What set it, with the number; nil while it is nominal or unknown.
    public var cause: String?

    public init(worst: Maybe<Level>, cause: String? = nil) {
        self.worst = worst
        self.cause = cause
    }
}

extension MemoryPressure.Level {
    private static let mebibyte = 1_048_576.0

    /// - Parameter headroom: bytes that can still be had.
    init(headroom: Double) {
        self =
            headroom < 256 * Self.mebibyte
            ? .critical
            : headroom < 512 * Self.mebibyte ? .high : headroom < 1024 * Self.mebibyte ? .elevated : .nominal
    }

    /// - Parameter use: share of the limit that the engine's process holds.
    init(use: Double) {
        self = use > 0.98 ? .critical : use > 0.88 ? .high : use > 0.70 ? .elevated : .nominal
    }
}

extension MemoryPressure {
    /// The worst of all samples and points. Of equal levels the temperature's is named first, then the
    /// headroom's, then the use's.
    init(_ trace: Trace) {
        if trace.engine?.location == "remote" {
            self.init(worst: .unavailable("engine runs elsewhere"))
            return
        }
        let views = [Self.temperature(trace), Self.headroom(trace), Self.use(trace)].compactMap { $0 }
        guard let worst = views.map(\.level).max(), let view = views.first(where: { $0.level == worst })
        else {
            self.init(worst: .unavailable("no memory of the machine was read"))
            return
        }
        self.init(worst: .known(worst), cause: worst == .nominal ? nil : view.cause)
    }

    private typealias View = (level: Level, cause: String)

    /// Heat that the driver names as what slows a board is `high`, a sensor near its first trip point (the
    /// condition `temperature`) `elevated`.
    private static func temperature(_ trace: Trace) -> View? {
        let slowed = ChangesOverRun.slowed(trace)
        if let hot = slowed.first(where: { $0.share > 0 }) { return (.high, "heat slowed \(hot.board)") }
        let checks = trace.conditions.flatMap(\.checks).filter { $0.name == "temperature" }
        if let near = checks.first(where: { $0.verdict == .fail }) { return (.elevated, near.seen) }
        return slowed.isEmpty && !checks.contains { $0.verdict == .pass } ? nil : (.nominal, "")
    }

    private static func headroom(_ trace: Trace) -> View? {
        let sampled = series("memory:available", trace).compactMap(\.least)
        guard let least = (sampled + trace.memory.compactMap(\.headroom).map { Double($0) }).min() else {
            return nil
        }
        return (Level(headroom: least), "headroom \(mebibytes(least))")
    }

    /// Anonymous memory against the limit of the fit: mapped pages are available to anyone.
    private static func use(_ trace: Trace) -> View? {
        guard let limit = trace.fit?.limit?.bytes, limit > 0 else { return nil }
        let sampled = series("process:anonymous", trace).flatMap { $0.readings.map(\.value) }
        let pointed = trace.memory.compactMap { $0.bytes["anonymous"] }.map { Double($0) }
        guard let most = (sampled + pointed).max() else { return nil }
        let use = most / Double(limit)
        return (
            Level(use: use), "\((use * 100).inTenths) % of the limit of \(mebibytes(Double(limit))) in use"
        )
    }

    private static func series(_ id: String, _ trace: Trace) -> [ContextSeries] {
        ContextSeries.of(.memory, in: trace).filter { $0.source.id == id }
    }

    private static func mebibytes(_ bytes: Double) -> String {
        "\((bytes / 1_048_576).inTenths) MiB"
    }
}

extension MemoryLine {
    /// Bytes that could still be had: of the machine, or of the control group when it leaves less.
    var headroom: UInt64? { [bytes["available"], bytes["cgroup_left"]].compactMap { $0 }.min() }

    /// Read on purpose while a model was resident.
    var isResident: Bool { [.afterLoad, .afterFirstToken, .atEnd].contains(point) }
}

extension MemorySummary {
    /// The same of the engine's boards, of which the fullest decides; nil where no board was looked for.
    static func gpuHeadroomNow(_ trace: Trace) -> Figure? {
        let lines = trace.memory.filter { $0.gpuFree != nil }
        guard let line = lines.last(where: \.isResident) ?? lines.last, let told = line.gpuFree else {
            return nil
        }
        guard let devices = trace.engine?.devices, !devices.isEmpty else {
            return .unavailable("the engine is on no GPU")
        }
        guard case .known(let free) = told else { return .unavailable(told.reason ?? "not told") }
        let own = free.filter { devices.contains($0.key) }
        guard let least = (own.isEmpty ? free : own).values.min() else {
            return .unavailable("no board was read")
        }
        return .once(
            Double(least),
            method: "what NVML calls free on the engine's fullest board, \(line.point.rawValue)")
    }

    /// At the last point with the model resident, else at the last of all.
    static func headroomNow(_ trace: Trace) -> Figure {
        if trace.engine?.location == "remote" { return .unavailable("engine runs elsewhere") }
        let lines = trace.memory.filter { $0.point != .tightest && $0.headroom != nil }
        guard let line = lines.last(where: \.isResident) ?? lines.last, let headroom = line.headroom else {
            return .unavailable("no point says what was available")
        }
        return .once(
            Double(headroom),
            method: "the lesser of MemAvailable and what the control group leaves, \(line.point.rawValue)")
    }
}
