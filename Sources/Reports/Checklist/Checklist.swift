import Analysis

/// The measurement checklist that a number is held against before it is quoted, item by item for one record.
///
/// The items are those of a guide written for another platform (docs/metrics.md, "Checklist"); what is of that
/// platform only is `not applicable` and says so.
public struct Checklist {
    enum Status: String {
        case met
        case notMet = "not met"
        case notMeasured = "not measured"
        case notApplicable = "not applicable"
    }

    struct Answer {
        var status: Status
        /// What the record shows, or what it lacks.
        var seen: String

        init(_ status: Status, _ seen: String) {
            self.status = status
            self.seen = seen
        }
    }

    struct Item: Sendable {
        /// A short key for exports.
        var key: String
        var group: String
        var text: String
        var answer: @Sendable (Record) -> Answer
    }

    static let items = before + during + shipping

    let record: Record
    var answers: [(item: Item, answer: Answer)] { Self.items.map { ($0, $0.answer(record)) } }

    private static let before: [Item] = [
        item("device", "before the run", "a physical device, not a simulator") { record in
            let roots = ["path.sysfs": "/sys", "path.procfs": "/proc"]
            for (key, usual) in roots.sorted(by: { $0.key < $1.key }) {
                if let root = record.options[key]?.string, root != usual {
                    return .init(.notMet, "the machine's files were read from \(root)")
                }
            }
            switch record.environment.identity["virtualization"] {
            case .known("none"): return .init(.met, "no virtual machine, no container")
            case .known(let text): return .init(text.contains("machine") ? .notMet : .met, text)
            case .unavailable(let why): return .init(.notMeasured, why.reason)
            case nil: return .init(.notMeasured, "the record does not say")
            }
        },
        item("release", "before the run", "a release build") { record in
            let build = record.engine.value?.buildType ?? .unavailable("the engine was not heard")
            let seen =
                "sustain: \(record.tool.buildType), engine: \(build.value ?? build.reason ?? "unknown")"
            if record.tool.buildType != "release" || build.value.map({ $0 != "release" }) == true {
                return .init(.notMet, seen)
            }
            return .init(build.value == nil ? .notMeasured : .met, seen)
        },
        item(
            "cool", "before the run",
            "thermal state nominal and low-power mode off, or the run is excluded and counted"
        ) { record in
            conditions(
                ["temperature", "thermal", "throttling", "low_power_mode", "platform_profile"], of: record)
        },
        item(
            "identity", "before the run",
            "device, system build, compiler and the machine that made the model file are recorded"
        ) { record in
            let identity = record.environment.identity
            var lacks = ["cpu_model", "kernel", "distribution"].filter { identity[$0]?.value == nil }
            if record.tool.compiler.isEmpty { lacks.append("compiler") }
            if record.artifact.value?.producer == nil { lacks.append("who made the model file") }
            return lacks.isEmpty
                ? .init(.met, "all are in the record")
                : .init(.notMet, "lacks " + lacks.joined(separator: ", "))
        },
        item(
            "artifact", "before the run",
            "the exact file: source, revision, size, hash, quantisation scheme and block size"
        ) { record in
            guard let file = record.artifact.value else {
                return .init(.notMeasured, record.artifact.reason ?? "no model file")
            }
            var lacks: [String] = []
            if file.source == nil { lacks.append("source and revision (the file's header names none)") }
            if file.sha256.value == nil { lacks.append("SHA-256") }
            if file.tensorBlocks?.isEmpty ?? true { lacks.append("block sizes") }
            return lacks.isEmpty
                ? .init(.met, "all are in the record")
                : .init(.notMet, "lacks " + lacks.joined(separator: ", "))
        },
        item("variables", "before the run", "variables that move memory or speed are recorded") { record in
            let names = record.environment.identity.keys.filter { $0.hasPrefix("env:") }.sorted()
            guard !record.environment.identity.isEmpty else {
                return .init(.notMeasured, "the record has no identity of the machine")
            }
            return .init(
                .met,
                names.isEmpty
                    ? "none was set" : names.map { String($0.dropFirst(4)) }.joined(separator: ", "))
        },
        item("protocol", "before the run", "the protocol is declared") { record in
            let shape = record.protocol
            return .init(
                .met,
                "\(shape.name): \(shape.promptTokens) + \(shape.generatedTokens) tokens, \(shape.sampling)")
        },
        item("budget", "before the run", "no generation was cut short by its token budget") { record in
            let cut = record.metrics.truncated
            if record.metrics.wholeCycles == 0 { return .init(.notMeasured, "no whole cycle") }
            return cut == 0
                ? .init(.met, "\(record.metrics.wholeCycles) generations of their full length")
                : .init(.notMet, "\(cut) generations were truncated")
        },
    ]

    private static let during: [Item] = [
        item("warmup", "during the run", "at least one full-shape generation is discarded as warm-up") {
            record in
            guard let all = record.generations else {
                return .init(.notMeasured, "the record keeps no generations")
            }
            let full = all.count {
                [.fromIdle, .warmup].contains($0.part)
                    && $0.generatedTokens >= record.protocol.generatedTokens
            }
            return .init(full > 0 ? .met : .notMet, "\(full) before t = 0")
        },
        item(
            "memory", "during the run",
            "memory before load, after load and after the first token, and every second"
        ) { record in
            let points = record.memory.points
            let lacks = ["before_load", "after_load", "after_first_token"].filter {
                points[$0]?["rss"] == nil
            }
            if points.isEmpty { return .init(.notMeasured, record.memory.peakRSSBytes.reason ?? "not read") }
            return lacks.isEmpty
                ? .init(.met, "read at \(points.count) points and once a second")
                : .init(.notMet, "lacks " + lacks.joined(separator: ", "))
        },
        item("peaks", "during the run", "peak footprint and peak resident set, labelled") { record in
            let memory = record.memory
            guard memory.peakRSSBytes.number != nil, memory.peakAnonymousBytes.number != nil else {
                return .init(
                    .notMeasured,
                    memory.peakRSSBytes.reason ?? memory.peakAnonymousBytes.reason ?? "not read")
            }
            return .init(.met, "resident and anonymous; counted as \(memory.accounting)")
        },
        item("interleaved", "during the run", "two builds are compared interleaved, 8 times or more") { _ in
            .init(.notApplicable, "a run is of one build")
        },
        item("control", "during the run", "a control arm in every session, its drift recorded") { _ in
            .init(.notMeasured, "a run of one build has no control arm")
        },
        item("canary", "during the run", "the decode canary is watched") { record in
            guard let kept = record.metrics.decodeCanary?.kept else {
                return .init(.notMeasured, "not computed by the version that made the record")
            }
            guard let share = FactText.percent(kept) else {
                return .init(.notMeasured, kept.reason ?? "no reason given")
            }
            return .init(.met, "\(share) % of its floor at the end")
        },
    ]

    private static let shipping: [Item] = [
        item("entitlement", "shipping", "entitlement for a larger memory limit") { _ in
            .init(.notApplicable, "of iOS")
        },
        item("fit", "shipping", "a fit check of two gates before the load") { record in
            switch record.memory.fit {
            case .known(let fit):
                .init(.met, fit.status.rawValue.replacing("_", with: " "))
            case .unavailable(let why): .init(.notMeasured, why.reason)
            case nil: .init(.notMeasured, "not looked at by the version that made the record")
            }
        },
        item("unload", "shipping", "unloading gives the memory back") { record in
            guard let unload = record.memory.unload else {
                return .init(.notMeasured, "the run did not come to an unload, or its version did not look")
            }
            switch unload.status {
            case .recovered: return .init(.met, unload.status.rawValue)
            case .unchanged, .increased: return .init(.notMet, unload.status.rawValue)
            case .unavailable: return .init(.notMeasured, unload.reason ?? "no reason given")
            }
        },
        item("cap", "shipping", "a cap on the length of generations") { _ in
            .init(.notApplicable, "of iOS; a protocol fixes the length here")
        },
        item("adaptive", "shipping", "thermal state decides threads and warm-up") { _ in
            .init(.notApplicable, "of an application, not of a measurement")
        },
        item("caches", "shipping", "default cache limits of embedded runtimes are audited") { _ in
            .init(.notApplicable, "of runtimes for Apple's platforms")
        },
    ]

    private static func item(
        _ key: String, _ group: String, _ text: String, answer: @escaping @Sendable (Record) -> Answer
    ) -> Item {
        Item(key: key, group: group, text: text, answer: answer)
    }

    /// Conditions that hold or not: of a run that failed one it is said that it is excluded, which meets the item.
    private static func conditions(_ names: [String], of record: Record) -> Answer {
        let found = record.environment.filter.verdicts.filter { names.contains($0.name) }
        let failed = found.filter { $0.verdict == .fail }
        if !failed.isEmpty {
            let seen = failed.map { "\($0.name): \($0.seen)" }.joined(separator: "; ")
            return record.environment.filter.excluded
                ? .init(.met, "excluded and counted: \(seen)") : .init(.notMet, seen)
        }
        let passed = found.filter { $0.verdict == .pass }
        let unknown = found.filter { $0.verdict == .cannotTell }.map(\.name)
        let doubt = unknown.isEmpty ? "" : "; cannot tell: \(unknown.joined(separator: ", "))"
        guard passed.contains(where: { ["temperature", "thermal"].contains($0.name) }) else {
            return .init(.notMeasured, "no temperature was held against a limit" + doubt)
        }
        return .init(.met, passed.map { "\($0.name): \($0.seen)" }.joined(separator: "; ") + doubt)
    }
}
