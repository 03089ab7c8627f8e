extension ChangeGate {
    /// The gates that a session was given, as its trace keeps them; what cannot be read was refused at the start.
    static func all(in options: JSONValue) -> [ChangeGate] {
        guard case .array(let texts)? = options["fail-if"] else { return [] }
        return texts.compactMap { text in
            do throws(Failure) { return try ChangeGate(text.text) } catch { return nil }
        }
    }
}

extension SessionDocument {
    /// What `--inconclusive` makes of an undecided gate.
    public var codeOfInconclusive: ExitCode {
        switch options["inconclusive"]?.string {
        case "pass": .done
        case "fail": .gateFailed
        default: .inconclusive
        }
    }

    /// The code that the program ends with: an interruption before all else; a gate or a parity that failed before a variant that
    /// could not be measured, that before want of energy, and that before what is undecided. A session that compared no
    /// speed at all is never 0.
    public var exitCode: ExitCode {
        if outcome.status == .interrupted { return .interrupted }
        let judged = gates.compactMap { gate -> (gate: ChangeGate, verdict: ChangeGate.Verdict)? in
            do throws(Failure) {
                return (try ChangeGate(gate.gate), gate.judged)
            } catch { return nil }
        }
        let ofGates = ChangeGate.exit(judged, inconclusive: codeOfInconclusive)
        if ofGates == .gateFailed || variants.contains(where: \.saysOtherwise) { return .gateFailed }
        let ends = variants.map(\.outcome.status) + [outcome.status]
        if ends.contains(.engineFailed) || withoutSpeed?.exit == .engineFailed { return .engineFailed }
        if ends.contains(.failed) { return .failed }
        if ends.contains(.refused) { return .refused }
        return ofGates == .done && (isParityOpen || withoutSpeed != nil) ? .inconclusive : ofGates
    }

    /// Why a session that went through to its end has compared no speed: that of an engine which never finished a
    /// whole generation is exit 5, every other exit 7. Nil where one speed could be compared, and where the session
    /// or a variant ended early, which says so itself.
    public var withoutSpeed: Failure? {
        let isOver = (variants.map(\.outcome) + [outcome]).allSatisfy { $0.status == .completed }
        guard isOver, comparisons.contains(where: { $0.quadsPlanned > 0 }),
            !comparisons.contains(where: \.hasSpeed)
        else { return nil }
        let silent = variants.filter { !hasGenerated($0) }
        if !silent.isEmpty {
            return Failure(
                thing: silent.map(\.name).joined(separator: ", "),
                cause:
                    "finished no \(runs == nil ? "block of whole generations" : "run with a whole generation"), so that no "
                    + "speed was compared",
                remedy: "a whole one has all its marks and the stop `length` (docs/worker-protocol.md)",
                exit: .engineFailed)
        }
        let reasons = comparisons.compactMap { $0.effects[ComparedMetric.decodeRate.rawValue]?.reason }
        return Failure(
            thing: "comparison", cause: "no speed was compared: \(reasons.first ?? "no variant was left")",
            exit: .inconclusive)
    }

    private func hasGenerated(_ variant: Variant) -> Bool {
        guard let runs else { return blocks.contains { $0.variant == variant.name } }
        return runs.contains {
            $0.variant == variant.name && $0.values[ComparedMetric.decodeRate.rawValue]?.value != nil
        }
    }

    /// Whether parity was to be judged by thresholds and a variant could not be.
    private var isParityOpen: Bool {
        guard ["parity-top1", "parity-kl"].contains(where: { options[$0]?.string != nil }) else {
            return false
        }
        return variants.contains { $0.name != reference && $0.isUnjudged }
    }
}

extension SessionDocument.Comparison {
    fileprivate var hasSpeed: Bool {
        ComparedMetric.speeds.contains { effects[$0.rawValue]?.value != nil }
    }
}

extension SessionDocument.Variant {
    /// Whether its answers are wrong, or miss the thresholds that were given: whatever it costs, it is no choice.
    public var saysOtherwise: Bool {
        switch parity.value?.verdict {
        case .wrong, .failed: true
        case .passed, .reported, .cannotTell, nil: false
        }
    }
}

extension SessionDocument.Variant {
    /// Whether nothing is known of what it says.
    public var isUnjudged: Bool { parity.value.map { $0.verdict == .cannotTell } ?? true }
}

extension OutcomeSummary {
    /// How a session ended, or that it has not.
    init(session trace: Trace) {
        if let outcome = trace.outcome, trace.end != nil || outcome.status != .completed {
            self.init(outcome)
        } else {
            self.init(
                OutcomeLine(.interrupted, cause: "the session goes on, or its trace has no end line"))
        }
    }
}

extension SessionDocument.Gate {
    /// What a gate comes to for one variant.
    init(_ gate: ChangeGate, _ variant: String, _ effect: Result<PairedEffect, Unavailable>) {
        self.init(gate: gate.text, variant: variant, verdict: .passed, reason: nil)
        switch gate.judge(effect) {
        case .passed: break
        case .failed: verdict = .failed
        case .inconclusive: verdict = .inconclusive
        case .unavailable(let why):
            verdict = .unavailable
            reason = why.reason
        }
    }

    fileprivate var judged: ChangeGate.Verdict {
        switch verdict {
        case .passed: .passed
        case .failed: .failed
        case .inconclusive: .inconclusive
        case .unavailable: .unavailable(Unavailable(reason ?? "unknown"))
        }
    }
}

extension ComparedMetric {
    /// Whether it is a fact of a process, not of generations.
    var isMemory: Bool { self == .peakMemory || self == .peakAnonymousMemory }
}

extension Trace {
    /// The variant that the others of a session are held against; the first where the trace names none that is there.
    var reference: VariantFacts? {
        let index = session?.reference ?? 0
        return variants.first { $0.line.index == index } ?? variants.first
    }
}

extension VariantFacts {
    /// What is known of its answers: the one place where the session, the table and the sentence get it from.
    func parity(against reference: VariantFacts?) -> Maybe<ParityResult> {
        if line.index == reference?.line.index { return .unavailable("the others are held against it") }
        return Maybe(parity, else: "not checked")
    }

    /// Why it cannot be compared: it failed, or the reference did.
    func failure(against reference: VariantFacts?) -> String? {
        if let cause = outcome?.cause { return "\(line.name) failed: \(cause)" }
        return reference?.outcome?.cause.map { "the reference failed: \($0)" }
    }
}
