import Analysis

/// What `sustain fit` prints: each model's terms, both gates with their two numbers, and the first that fits.
public enum FitTable {
    /// - Parameter width: columns that sentences stay within.
    public static func text(_ document: FitDocument, width: Int = 100) -> String {
        var blocks = document.models.map { block($0, width: width) }
        if document.models.count > 1 {
            let first = document.firstFitting.map { CellText.terminal($0, limit: width) }
            blocks.append(first.map { "first that fits: \($0)\n" } ?? "none is known to fit\n")
        }
        return blocks.joined(separator: "\n")
    }

    private static func block(_ entry: FitDocument.Entry, width: Int) -> String {
        let fit = entry.fit
        var verdict = fit.status.rawValue
        if let code = fit.code { verdict += " (\(code.rawValue))" }
        var text = "\(CellText.terminal(entry.model, limit: 72)): \(verdict)\n"
        guard !fit.terms.isEmpty else {
            return text + "  \(fit.reason.escapedForDisplay)".wrapped(width: width, indent: 2) + "\n"
        }
        text += "  \(settings(fit.parameters))\n\n" + terms(fit).plain() + "\n" + gates(fit).plain() + "\n"
        return text
            + notes(fit).map { "- \($0.escapedForDisplay)".wrapped(width: width, indent: 2) + "\n" }
            .joined()
    }

    private static func settings(_ parameters: FitParameters) -> String {
        "context \(parameters.contextTokens), batch \(parameters.batchTokens)/\(parameters.microBatchTokens), "
            + "cache \(parameters.cacheTypeK.escapedForDisplay)/\(parameters.cacheTypeV.escapedForDisplay), "
            + "flash attention \(parameters.flashAttention), load mode \(parameters.loadMode)"
    }

    private static func terms(_ fit: FitReport) -> Grid {
        Grid(
            columns: [
                Grid.Column(title: "term", right: false), Grid.Column(title: "size", right: true),
                Grid.Column(title: "from", right: false),
            ],
            rows: fit.terms.map { term in
                [
                    term.name.rawValue, size(term.bytes),
                    words(term.origin) + (term.allocates ? "" : ", mapped"),
                ]
            })
    }

    private static func gates(_ fit: FitReport) -> Grid {
        func row(_ name: String, _ gate: FitReport.Gate?) -> [String] {
            guard let gate else { return [name, "n/a", "n/a", ""] }
            return [name, size(gate.needBytes), size(gate.allowedBytes), gate.passes ? "yes" : "no"]
        }
        return Grid(
            columns: [
                Grid.Column(title: "gate", right: false), Grid.Column(title: "needed", right: true),
                Grid.Column(title: "allowed", right: true), Grid.Column(title: "passes", right: false),
            ],
            rows: [row("new allocation", fit.newAllocation), row("whole set", fit.wholeSet)]
                + (fit.gpu?.value.map { [boards($0)] } ?? []))
    }

    private static func boards(_ gpu: GPUFit) -> [String] {
        let passes = gpu.passes.map { $0 ? "yes" : "no" } ?? "it depends"
        return [
            "on \(gpu.used == 1 ? "one GPU" : "\(gpu.used) GPUs")", size(gpu.needBytes),
            size(gpu.leastFreeBytes), passes,
        ]
    }

    private static func notes(_ fit: FitReport) -> [String] {
        var notes: [String] = []
        if let limit = fit.limit {
            notes.append(
                "memory: \(size(limit.availableBytes)) available (\(limit.origin.rawValue): \(limit.source)), "
                    + "\(size(limit.reserveBytes)) of it kept for everything else")
        }
        if let gpu = fit.gpu?.value {
            let parts = gpu.terms.map { "\($0.name.rawValue) \(size($0.bytes))" }.joined(separator: ", ")
            let boards = gpu.boards.map { "\($0.id) \(size($0.freeBytes))" }.joined(separator: ", ")
            notes.append("\(gpu.layers) layers are offloaded: \(parts); free: \(boards)")
        }
        if let run = fit.measuredIn { notes.append("needed is the peak measured in run \(run)") }
        if let runs = fit.learntFrom {
            notes.append("compute, fixed and transient are learnt from \(runs) run\(runs == 1 ? "" : "s")")
        }
        if fit.status == .cannotTell { notes.append(fit.reason) }
        return notes + fit.warnings
    }

    private static func size(_ bytes: UInt64) -> String { Notation.bytes(Double(bytes)) }

    private static func words(_ origin: FitTerm.Origin) -> String {
        switch origin {
        case .header: "file"
        case .formula: "formula"
        case .guessed: "guess"
        case .engine: "engine's dry run"
        case .learnt: "learnt from runs"
        case .reserve: "reserve"
        }
    }
}
