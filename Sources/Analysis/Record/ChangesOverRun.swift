/// The checks on what a run moved: counts since the boot before it against those after it, and what drivers said
/// meanwhile.
struct ChangesOverRun {
    let before: [String: Int64]
    /// Nil where the run ended before they were read.
    let after: [String: Int64]?
    let slowed: [(board: String, share: Double)]

    private enum Rule {
        /// Bytes swapped in and out that are no more than a sleeping program's stray pages.
        static let swapped: Int64 = 1 << 20
        /// What a Raspberry Pi's firmware says of now, and what of the time since the boot.
        static let now: Int64 = 0xF
        static let everSince: Int64 = 0xF0000
    }

    /// None for traces of versions that kept no counts, but for what was sampled.
    var checks: [Condition] {
        (before.isEmpty && slowed.isEmpty ? [] : [throttling]) + supply + (before.isEmpty ? [] : [swap])
    }

    // MARK: Heat

    private var throttling: Condition {
        let named = slowed.filter { $0.share > 0 }.map {
            "\($0.board): heat slowed it in \(($0.share * 100).inTenths) % of the reads"
        }
        var reasons = named
        var isKnown = !slowed.isEmpty
        let counters = before.keys.filter { $0.hasPrefix("throttle:") }.sorted()
        for name in counters {
            guard let one = before[name], let other = after?[name] else { continue }
            isKnown = true
            if name == "throttle:firmware" {
                reasons += Self.firmware(one, other)
            } else if other != one {
                reasons.append("\(name.dropFirst("throttle:".count)) counted from \(one) to \(other)")
            }
        }
        if !reasons.isEmpty {
            return Condition("throttling", .fail, seen: reasons.joined(separator: "; "))
        }
        if isKnown { return Condition("throttling", .pass, seen: "no count rose") }
        return Condition(
            "throttling", .cannotTell,
            seen: counters.isEmpty ? "nothing counts it here" : "the counts were not read after the run")
    }

    /// Bits as `vcgencmd get_throttled` documents them, less the first, which is no matter of heat.
    private static func firmware(_ before: Int64, _ after: Int64) -> [String] {
        let names = ["clock capped", "throttled", "soft temperature limit"]
        let bits = seen(before, after) >> 1
        let set = names.indices.filter { bits >> Int64($0) & 1 == 1 }.map { names[$0] }
        return set.isEmpty ? [] : ["firmware: \(set.joined(separator: ", "))"]
    }

    /// What holds at either end, and what came up in between.
    private static func seen(_ before: Int64, _ after: Int64) -> Int64 {
        ((before | after) & Rule.now) | ((after & ~before & Rule.everSince) >> 16)
    }

    // MARK: Supply

    /// A supply that is too weak slows a Raspberry Pi, whatever its temperature.
    private var supply: [Condition] {
        let name = "supply_voltage"
        guard let one = before["throttle:firmware"] else { return [] }
        guard let other = after?["throttle:firmware"] else {
            return [Condition(name, .cannotTell, seen: "the firmware was not asked after the run")]
        }
        return Self.seen(one, other) & 1 == 1
            ? [Condition(name, .fail, seen: "firmware: under-voltage")]
            : [Condition(name, .pass, seen: "no under-voltage")]
    }

    // MARK: Swap

    private var swap: Condition {
        let names = ["swap:in_pages", "swap:out_pages"]
        let ends = names.map { (before[$0], after?[$0]) }
        guard let page = before["swap:page_bytes"], page > 0, let first = ends.first, let last = ends.last,
            let inBefore = first.0, let outBefore = last.0
        else { return Condition("swap", .cannotTell, seen: "/proc/vmstat does not tell") }
        guard let inAfter = first.1, let outAfter = last.1 else {
            return Condition("swap", .cannotTell, seen: "it was not read after the run")
        }
        let moved = [inAfter &- inBefore, outAfter &- outBefore].map { max(0, $0) }
        let bytes = moved.map { $0.multipliedReportingOverflow(by: page) }
            .map { $0.overflow ? .max : $0.partialValue }
        let texts = bytes.map { "\((Double($0) / 1_048_576).inTenths) MiB" }
        let isMuch = bytes.contains { $0 > Rule.swapped }
        return Condition("swap", isMuch ? .fail : .pass, seen: "\(texts[0]) in, \(texts[1]) out")
    }
}

extension ChangesOverRun {
    /// Clock limits of NVML that mean heat: slowdown by software and by hardware (nvml.h,
    /// nvmlClocksThrottleReasonSwThermalSlowdown, nvmlClocksThrottleReasonHwThermalSlowdown).
    private static let heat: Int64 = 0x60

    /// By board in use, the share of its reads in which the driver named heat.
    static func slowed(_ trace: Trace) -> [(board: String, share: Double)] {
        let inUse = GPUSelection(trace: trace)
        return ContextSeries.of(.state, in: trace).compactMap { series in
            let ending = "/throttle-reasons"
            guard series.source.id.hasSuffix(ending), inUse.includes(series.source) else { return nil }
            let hot = series.readings.count {
                Int64(exactly: $0.value).map { $0 & Self.heat != 0 } ?? false
            }
            return (
                String(series.source.id.dropLast(ending.count)), Double(hot) / Double(series.readings.count)
            )
        }
    }
}
