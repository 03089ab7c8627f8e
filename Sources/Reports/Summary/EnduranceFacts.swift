import Analysis

/// What a summary says of the sustained part: how much of the rate was kept, since when it was not, and why.
struct EnduranceFacts {
    var record: Record

    var lines: [Fact] { [Fact("sustained", sustained)] + droop + canary + neighbours + ceiling + estimators }

    private var metrics: Metrics { record.metrics }

    private var sustained: String {
        let mark = record.isShortRun ? " (short run)" : ""
        var items = [
            FactText.Item("burst", metrics.burst, Notation.figure(metrics.burst), " t/s"),
            FactText.Item(
                "sustained", metrics.sustained, Notation.figure(metrics.sustained), " t/s" + mark),
            FactText.Item("kept", metrics.retained, FactText.percent(metrics.retained), " %"),
            FactText.Item("droop onset", metrics.droopOnsetSeconds, after),
        ]
        // Without an onset the two below are missing for the same reason.
        if metrics.droopOnsetSeconds.number != nil {
            let later = [("90 %", metrics.secondsTo90Percent), ("50 %", metrics.secondsTo50Percent)]
            items += later.compactMap { name, figure in
                figure.map { FactText.Item("under \(name)", $0, after) }
            }
        }
        return FactText.list(items)
    }

    private func after(_ seconds: Double) -> String { "after " + Notation.seconds(seconds) }

    private var droop: [Fact] {
        guard metrics.droopOnsetSeconds.number != nil, let cause = metrics.droopCause?.value else {
            return []
        }
        let evidence = cause.evidence.map(FactText.safe).joined(separator: "; ")
        return [
            Fact(
                "droop", "cause \(cause.kind.rawValue)" + (evidence.isEmpty ? "" : ": \(evidence)"), .warning)
        ]
    }

    private var canary: [Fact] {
        guard let canary = metrics.decodeCanary else { return [] }
        return [
            Fact(
                "canary",
                "decode at shallow context: "
                    + FactText.list([
                        FactText.Item("in burst", canary.floor, Notation.figure(canary.floor), " t/s"),
                        FactText.Item("kept at the end", canary.kept, FactText.percent(canary.kept), " %"),
                        FactText.Item("warm", canary.warmFromSeconds, after),
                    ]))
        ]
    }

    /// Who else used the machine in the sustained part as a whole.
    private var neighbours: [Fact] {
        guard let seen = record.windows.first(where: { $0.name == Part.sustained.rawValue })?.contention
        else { return [] }
        switch seen {
        case .unavailable(let why): return [Fact("neighbours", FactText.missing(why.reason))]
        case .known(let contention):
            let parts = [
                contention.otherCores.map { "other programs \(Notation.plain($0, decimals: 2)) cores" },
                contention.stealCores.map { "the hypervisor \(Notation.plain($0, decimals: 2)) cores" },
                contention.involuntarySwitches.map {
                    "\(Notation.plain($0, decimals: 1)) involuntary switches a second"
                },
                contention.foreignGPUProcesses.map { "\($0) other processes on a GPU" },
            ].compactMap(\.self)
            return parts.isEmpty ? [] : [Fact("neighbours", parts.joined(separator: ", "))]
        }
    }

    private var ceiling: [Fact] {
        guard let ceiling = metrics.ceiling else { return [] }
        guard let bytes = ceiling.bytesPerToken.number, let implied = ceiling.impliedBytesPerSecond.number
        else {
            let why = ceiling.bytesPerToken.reason ?? ceiling.impliedBytesPerSecond.reason
            return [Fact("ceiling", FactText.missing(why ?? ""))]
        }
        let reads = "decode reads \(Notation.bytes(bytes)) a token: \(bandwidth(implied))"
        guard let share = FactText.percent(ceiling.share),
            let measured = ceiling.measuredBytesPerSecond.number
        else {
            return [
                Fact("ceiling", reads + "; what memory gives " + FactText.missing(ceiling.share.reason ?? ""))
            ]
        }
        return [
            Fact(
                "ceiling", reads + ", \(share) % of the \(bandwidth(measured)) that memory gave",
                (ceiling.share.number ?? 0) > 1 ? .warning : .plain)
        ]
    }

    private func bandwidth(_ bytesPerSecond: Double) -> String {
        let giga = bytesPerSecond / 1e9
        return Notation.plain(giga, decimals: Notation.significantDecimals(giga, digits: 3)) + " GB/s"
    }

    // MARK: Estimators

    /// By which estimator the energy of each phase was had, and how the fits went.
    private var estimators: [Fact] {
        let phases = [
            ("prefill", metrics.prefill), ("decode", metrics.decode), ("cycle", metrics.cycle),
        ].compactMap { name, phase in
            EnergyBasis.estimator(of: phase.gross.joules).map { (name: name, text: $0) }
        }
        let fits = record.sources.compactMap { source in source.phaseFit.map { fit(of: source.id, $0) } }
        let texts = (phases.isEmpty ? [] : [FactText.grouped(phases)]) + fits
        return texts.enumerated().map { Fact($0 == 0 ? "estimator" : "", $1) }
    }

    private func fit(of id: String, _ fit: Maybe<PhaseFitSummary>) -> String {
        switch fit {
        case .unavailable(let why): return "\(FactText.safe(id)): no phase fit: \(FactText.safe(why.reason))"
        case .known(let fit):
            let check =
                fit.oddEvenError.value.map { "odd/even error \(Notation.plain($0 * 100, decimals: 1)) %" }
                ?? "odd/even check \(FactText.missing(fit.oddEvenError.reason ?? ""))"
            return "\(FactText.safe(id)): lag \(Notation.seconds(fit.lagSeconds)), condition number "
                + "\(Notation.plain(fit.conditionNumber, decimals: 1)), \(check)"
        }
    }
}
