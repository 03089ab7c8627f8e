/// The verdict of a comparison in words: energy, speed, peak memory.
enum VerdictSentence {
    /// - Parameters:
    ///   - failure: why there is no verdict; nil where there is one.
    ///   - rate: of decode in a session of blocks, sustained where whole runs take turns.
    static func text(
        _ comparison: SessionDocument.Comparison, reference: String, failure: String?,
        parity: Maybe<ParityResult>, rate: ComparedMetric = .decodeRate
    ) -> String {
        var text = "\(comparison.variant) against \(reference): "
        var parts = [energy(comparison), speed(comparison, rate), memory(comparison)]
        if rate == .sustained { parts.insert(retained(comparison), at: 2) }
        text += parts.joined(separator: "; ") + "."
        if comparison.confounded {
            let names = comparison.differsIn.map(\.rawValue)
            text +=
                " confounded: the two differ in \(names.dropLast().joined(separator: ", ")) and "
                + "\(names.last ?? ""), so that no one of them can be named as the cause."
        }
        if let failure { text += " \(failure)." }
        text += " parity: \(parity.value?.sentence ?? parity.reason ?? "not checked")."
        return text
    }

    private static func energy(_ comparison: SessionDocument.Comparison) -> String {
        let decode = comparison.effects[ComparedMetric.decodeEnergy.rawValue]
        let cycle = comparison.effects[ComparedMetric.cycleEnergy.rawValue]
        if decode?.value == nil, let effect = cycle?.value {
            return change(effect, "J/token over whole cycles", up: "more", down: "fewer")
        }
        guard let decode else { return "energy not compared" }
        guard let effect = decode.value else { return "energy not compared (\(decode.reason ?? "unknown"))" }
        return change(effect, "J/token in decode", up: "more", down: "fewer")
    }

    private static func speed(
        _ comparison: SessionDocument.Comparison, _ metric: ComparedMetric
    ) -> String {
        let rate = comparison.effects[metric.rawValue]
        let isSustained = metric == .sustained
        guard let effect = rate?.value else {
            let why = rate?.reason ?? "unknown"
            guard isSustained else { return "decode speed not compared (\(why))" }
            return "sustained speed not compared (\(why)); \(speed(comparison, .decodeRate))"
        }
        return change(effect, isSustained ? "sustained tok/s" : "tok/s in decode", up: "more", down: "fewer")
    }

    private static func retained(_ comparison: SessionDocument.Comparison) -> String {
        let found = comparison.effects[ComparedMetric.retained.rawValue]
        guard let effect = found?.value else {
            return "retained not compared (\(found?.reason ?? "unknown"))"
        }
        return change(effect, "retained rate", up: "higher", down: "lower")
    }

    private static func memory(_ comparison: SessionDocument.Comparison) -> String {
        let peak = comparison.effects[ComparedMetric.peakMemory.rawValue]
        guard let effect = peak?.value else {
            return "peak memory not compared (\(peak?.reason ?? "unknown"))"
        }
        return change(effect, "peak memory", up: "more", down: "less")
    }

    /// "8.1 % fewer J/token in decode (7.2 to 9.0 %)", or that nothing was found and what would have been.
    private static func change(
        _ effect: SessionDocument.Effect, _ name: String, up: String, down: String
    ) -> String {
        guard case .value(let ratio, let interval, _) = effect.ratio else { return "\(name) not compared" }
        guard effect.verdict == SessionDocument.Effect.different else {
            return
                "no detectable difference in \(name) (from \(percent(effect.minimumDetectable)) % on it would "
                + "be detected)"
        }
        var text = "\(percent((ratio - 1).magnitude)) % \(ratio > 1 ? up : down) \(name)"
        if case .bounds(let low, let high) = interval {
            let ends = ratio > 1 ? [low - 1, high - 1] : [1 - high, 1 - low]
            text += " (\(percent(ends[0])) to \(percent(ends[1])) %)"
        }
        return text
    }

    private static func percent(_ share: Double) -> String {
        let percent = share * 100
        return percent.magnitude < 1 ? short((percent * 100).rounded() / 100) : percent.inTenths
    }
}
