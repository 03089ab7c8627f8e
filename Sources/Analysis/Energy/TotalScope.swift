/// The one set of scopes of a run that do not overlap: their sum is "the energy".
///
/// Packages + dram + GPUs in use. Core and uncore lie inside a package; psys, wall and battery cover the
/// machine and stand beside. What is read through several interfaces counts once. Scopes are told by name and
/// device, never by position: `intel-rapl:0` is psys on many notebooks.
public struct TotalScope: Sendable, Hashable {
    /// Source indices, packages first, then dram, then GPUs.
    public let includes: [Int]
    /// For the record.
    public let total: Total

    /// - Parameters:
    ///   - sources: all sources of the trace; those that tell no energy are passed over in silence.
    ///   - unusable: reason by index of sources that cannot be used: dead, unreadable.
    ///   - mirrors: index of a counter that shows the same energy as another, and that other.
    public init(
        sources: [SourceLine], unusable: [Int: String] = [:], mirrors: [Int: Int] = [:],
        gpus: GPUSelection = .allVisible
    ) {
        var choice = TotalChoice(gpus: gpus, unusable: unusable)
        let candidates = sources.filter(\.tellsEnergy)
        for line in candidates { choice.sort(line) }
        choice.settleDuplicates()
        choice.settleModules()
        choice.settleGPUPackages()
        choice.settleMirrors(
            mirrors, names: Dictionary(sources.map { ($0.index, $0.id) }) { first, _ in first })
        choice.settleAlone()
        let chosen = choice.chosen.sorted { ($0.totalRank, $0.index) < ($1.totalRank, $1.index) }
        includes = chosen.map(\.index)
        let position = Dictionary(candidates.enumerated().map { ($1.id, $0) }) { first, _ in first }
        total = Total(
            includes: chosen.map(\.id),
            excludes: choice.excludes.sorted { (position[$0.id] ?? 0) < (position[$1.id] ?? 0) },
            scope: Self.text(chosen), gpuRule: choice.sawGPU ? gpus.rule : nil,
            unavailable: chosen.isEmpty ? Self.whyEmpty(candidates, choice.excludes) : nil)
    }

    private static func text(_ chosen: [SourceLine]) -> String? {
        guard let last = chosen.last else { return nil }
        if chosen.allSatisfy({ $0.totalRank == last.totalRank }) { return "\(last.scopeWord) only" }
        var words: [String] = []
        for line in chosen where !words.contains(line.scopeWord) { words.append(line.scopeWord) }
        return words.joined(separator: " + ")
    }

    private static func whyEmpty(_ candidates: [SourceLine], _ excludes: [Total.Exclusion]) -> String {
        guard let first = excludes.first, !candidates.isEmpty else { return "no energy source" }
        return "no energy source for the total: \(first.id): \(first.reason)"
    }
}

extension SourceLine.Scope {
    private static let neverInTotals = 9

    /// Place in the total; 9 for scopes that are never part of it.
    fileprivate var totalRank: Int {
        switch domain {
        case "package": 0
        case "dram": 1
        case "gpu-board", "gpu-module", "gpu-package": 2
        default: Self.neverInTotals
        }
    }

    /// Whether a total adds up sources of this scope.
    public var belongsToTotals: Bool { totalRank != Self.neverInTotals }
}

extension SourceLine {
    /// Counts energy, or shows power that can be integrated.
    public var tellsEnergy: Bool {
        (quantity == .energy && kind == .counter) || (quantity == .power && kind == .gauge)
    }

    /// Place in the total.
    fileprivate var totalRank: Int { scope.totalRank }

    /// Whether the scope is that of a GPU, or of the module it is part of.
    var isGPU: Bool { totalRank == 2 }

    fileprivate var scopeWord: String {
        switch scope.domain {
        case "gpu-board": "GPU"
        case "gpu-module": "GPU module"
        default: scope.domain
        }
    }

    /// Whether a source of the whole machine may be the total by itself: a meter that the user named, or a
    /// battery. Others of that scope are the firmware's, of unknown extent.
    fileprivate var standsAlone: Bool {
        scope.domain == "battery" || interface.hasPrefix("exec:") || interface.hasPrefix("csv:")
    }

    /// Of several ways to read one scope the lowest counts. The counter of the processor itself goes before
    /// its copy in the memory-mapped interface, which some machines leave at 0.
    fileprivate var preference: Int {
        let base = kind == .counter ? 0 : 10
        switch interface {
        case "powercap:intel-rapl": return base
        case let name where name.hasPrefix("perf"): return base + 1
        case "powercap:intel-rapl-mmio": return base + 3
        default: return base + 2
        }
    }
}

/// The choice in the making.
private struct TotalChoice {
    let gpus: GPUSelection
    let unusable: [Int: String]
    var chosen: [SourceLine] = []
    var excludes: [Total.Exclusion] = []
    /// Sources of the whole machine that may be the total where there is no other.
    private var alone: [SourceLine] = []
    var sawGPU = false

    init(gpus: GPUSelection, unusable: [Int: String]) {
        self.gpus = gpus
        self.unusable = unusable
    }

    mutating func exclude(_ line: SourceLine, _ reason: String) {
        excludes.append(Total.Exclusion(id: line.id, reason: reason))
    }

    mutating func sort(_ line: SourceLine) {
        if line.isGPU { sawGPU = true }
        if let reason = unusable[line.index] { return exclude(line, reason) }
        switch line.scope.domain {
        case "package", "dram": chosen.append(line)
        case "gpu-board", "gpu-module", "gpu-package":
            if gpus.includes(line) {
                chosen.append(line)
            } else {
                exclude(line, "not in use (rule: \(gpus.rule))")
            }
        case "core", "uncore": exclude(line, "inside the package")
        case "gpu-tile": exclude(line, "inside the GPU")
        case "apu": exclude(line, "covers the processor with its graphics, as the package does")
        case "psys", "wall", "battery":
            if line.standsAlone { alone.append(line) }
            exclude(line, "covers the whole machine: stands beside the total")
        default: exclude(line, "not known whether its scope, \(line.scope.domain), overlaps others")
        }
    }

    /// One interface for each domain of each device. Several lines of one scope within one interface are
    /// several things: older kernels give all dies of a package one name.
    mutating func settleDuplicates() {
        var best: [SourceLine.Scope: SourceLine] = [:]
        for line in chosen {
            guard let other = best[line.scope] else {
                best[line.scope] = line
                continue
            }
            if (line.preference, line.index) < (other.preference, other.index) { best[line.scope] = line }
        }
        for line in chosen {
            guard let winner = best[line.scope], winner.interface != line.interface else { continue }
            exclude(line, "same scope as \(winner.id), which is read through \(winner.interface)")
        }
        chosen.removeAll { best[$0.scope]?.interface != $0.interface }
    }

    /// A module holds its boards. The board counts, as elsewhere, unless only the module has a counter.
    mutating func settleModules() {
        for line in chosen where line.scope.domain == "gpu-module" {
            let boards = chosen.filter {
                $0.scope.domain == "gpu-board" && $0.scope.device == line.scope.device
            }
            guard let board = boards.first else { continue }
            if line.kind == .counter, boards.allSatisfy({ $0.kind == .gauge }) {
                for board in boards { exclude(board, "inside \(line.id), which counts the module's energy") }
                chosen.removeAll { other in boards.contains { $0.index == other.index } }
            } else {
                exclude(line, "holds \(board.id) and more: stands beside the total")
                chosen.removeAll { $0.index == line.index }
            }
        }
    }

    /// A board holds the package of its GPU.
    mutating func settleGPUPackages() {
        for line in chosen where line.scope.domain == "gpu-package" {
            let board = chosen.first {
                $0.scope.domain == "gpu-board" && $0.scope.device == line.scope.device
            }
            guard let board else { continue }
            exclude(line, "inside \(board.id)")
            chosen.removeAll { $0.index == line.index }
        }
    }

    /// Where no part of the machine tells its energy, a meter of the user's is the total, or else the
    /// batteries.
    mutating func settleAlone() {
        guard chosen.isEmpty else { return }
        let meters = alone.filter { $0.scope.domain == "wall" }
        chosen = meters.isEmpty ? alone : meters
        excludes.removeAll { exclusion in chosen.contains { $0.id == exclusion.id } }
    }

    mutating func settleMirrors(_ mirrors: [Int: Int], names: [Int: String]) {
        for line in chosen {
            guard let original = mirrors[line.index], chosen.contains(where: { $0.index == original }) else {
                continue
            }
            exclude(line, "mirrors \(names[original] ?? "another source"): the same energy, counted once")
            chosen.removeAll { $0.index == line.index }
        }
    }
}
