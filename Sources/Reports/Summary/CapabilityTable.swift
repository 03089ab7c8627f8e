import Analysis

/// What `sustain doctor` prints: every source in its state, how finely it tells, what a run would add up, and
/// each remedy once.
public enum CapabilityTable {
    public static func text(_ report: DoctorReport) -> String {
        let run = "\(Notation.plain(report.runSeconds, decimals: 0)) s"
        let grid = Grid(
            columns: [
                Grid.Column(title: "source", right: false), Grid.Column(title: "state", right: false),
                Grid.Column(title: "renewed", right: true), Grid.Column(title: "step", right: true),
                Grid.Column(title: "now", right: true), Grid.Column(title: "min. effect", right: true),
                Grid.Column(title: "reason", right: false),
            ],
            rows: report.sources.map(cells))
        var text = grid.plain() + "\n"
        if let why = report.total.unavailable {
            text += "Energy of a run here: unavailable: \(why.escapedForDisplay)\n"
        } else {
            text += "Energy of a run here: "
            text += report.total.includes.joined(separator: " + ").escapedForDisplay
            text += report.total.scope.map { " (\($0.escapedForDisplay))\n" } ?? "\n"
        }
        for exclusion in report.total.excludes {
            text += "  left out: \(exclusion.id.escapedForDisplay): \(exclusion.reason.escapedForDisplay)\n"
        }
        switch report.minimumDetectableEffectWatts {
        case .value(let watts, _, _):
            text += "Two runs of \(run) that differ by \(watted(watts)) or more can be told apart "
            text += "(95 %, at the power of now).\n"
        case .unavailable(let why) where report.total.unavailable == nil:
            text += "What two runs of \(run) can tell apart: unavailable: \(why.reason.escapedForDisplay)\n"
        case .unavailable: break
        }
        for remedy in report.remedies { text += "To measure more: \(remedy.escapedForDisplay)\n" }
        return text
    }

    private static func cells(_ source: SourceLook) -> [String] {
        func number(_ figure: Figure, _ write: (Double) -> String) -> String {
            figure.number.map(write) ?? (source.kind == nil ? "" : "-")
        }
        let isContext = source.kind == nil || source.watts.reason == "tells no energy"
        return [
            source.id.escapedForDisplay, source.status.rawValue,
            isContext ? "" : period(source.updatePeriodSeconds),
            isContext ? "" : number(source.resolution) { source.kind == .counter ? jouled($0) : watted($0) },
            isContext ? "" : number(source.watts, watted),
            isContext ? "" : number(source.minimumDetectableEffectWatts, watted),
            (source.reason ?? shortfall(source) ?? "").escapedForDisplay,
        ]
    }

    /// Why a source that works tells no smallest change.
    private static func shortfall(_ source: SourceLook) -> String? {
        guard let why = source.minimumDetectableEffectWatts.reason, why != "tells no energy" else {
            return nil
        }
        return why
    }

    /// "<" where the value moved at each read.
    private static func period(_ figure: Figure) -> String {
        guard case .value(let seconds, let interval, _) = figure else { return "-" }
        if case .bounds(let low, _) = interval, low == 0 { return "< \(Notation.seconds(seconds))" }
        return Notation.seconds(seconds)
    }

    private static func jouled(_ joules: Double) -> String {
        if joules < 1e-3 { return "\(digits(joules * 1e6)) uJ" }
        return joules < 1 ? "\(digits(joules * 1e3)) mJ" : "\(digits(joules)) J"
    }

    private static func watted(_ watts: Double) -> String {
        watts != 0 && abs(watts) < 0.1 ? "\(digits(watts * 1e3)) mW" : "\(digits(watts)) W"
    }

    private static func digits(_ value: Double) -> String {
        Notation.plain(value, decimals: Notation.significantDecimals(value, digits: 3))
    }
}
