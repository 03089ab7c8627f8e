/// A threshold on a change against the reference, `--fail-if 'decode.gross.joules_per_token > +3%'`.
public struct ChangeGate: Sendable, Hashable {
    public enum Direction: String, Sendable, Hashable {
        case above = ">"
        case below = "<"
    }

    public enum Verdict: Sendable, Hashable {
        /// No part of the interval is beyond the threshold.
        case passed
        /// All of it is.
        case failed
        case inconclusive
        /// The metric could not be had, so that nothing passed.
        case unavailable(Unavailable)
    }

    public let metric: ComparedMetric
    public let direction: Direction
    /// As a share: 0.03 for +3 %.
    public let threshold: Double
    /// As it was given, for messages.
    public let text: String

    /// - Throws: a `Failure` (exit 2) that names the part that cannot be read.
    public init(_ text: String) throws(Failure) {
        func refusal(_ cause: String, _ remedy: String) -> Failure {
            Failure(thing: "--fail-if \(text)", cause: cause, remedy: remedy, exit: .usage)
        }
        let form = "e.g. --fail-if 'decode.gross.joules_per_token > +3%'"
        guard let sign = text.firstIndex(where: { $0 == ">" || $0 == "<" }),
            let direction = Direction(rawValue: String(text[sign]))
        else { throw refusal("has neither > nor <", form) }
        let name = text[..<sign].filter { !$0.isWhitespace }
        guard let metric = ComparedMetric(rawValue: name) else {
            let known = ComparedMetric.allCases.map(\.rawValue).joined(separator: ", ")
            throw refusal("no comparison gives \"\(name)\"", "one of: \(known)")
        }
        var number = text[text.index(after: sign)...].filter { !$0.isWhitespace }
        guard number.last == "%" else { throw refusal("the threshold is no change in percent", form) }
        number.removeLast()
        guard let percent = Double(number), percent.isFinite, number.first == "+" || number.first == "-"
        else {
            throw refusal("the threshold needs a sign and a number", form)
        }
        guard percent > -100 else { throw refusal("nothing falls by 100 % or more", form) }
        guard (direction == .above) == (percent >= 0) else {
            throw refusal("> goes with + and < with -", form)
        }
        self.metric = metric
        self.direction = direction
        self.text = text
        threshold = percent / 100
    }

    /// - Parameter effect: of the gate's metric, variant against reference.
    public func judge(_ effect: Result<PairedEffect, Unavailable>) -> Verdict {
        switch effect {
        case .failure(let why): return .unavailable(why)
        case .success(let effect):
            let limit = 1 + threshold
            switch direction {
            case .above:
                return effect.low > limit ? .failed : effect.high <= limit ? .passed : .inconclusive
            case .below:
                return effect.high < limit ? .failed : effect.low >= limit ? .passed : .inconclusive
            }
        }
    }

    /// The code of several gates together: a failed one before one without energy before an undecided one.
    ///
    /// - Parameter inconclusive: what an undecided gate ends with (`--inconclusive`).
    public static func exit(
        _ verdicts: [(gate: ChangeGate, verdict: Verdict)], inconclusive: ExitCode = .inconclusive
    ) -> ExitCode {
        let codes = verdicts.map { gate, verdict -> ExitCode in
            switch verdict {
            case .passed: .done
            case .failed: .gateFailed
            case .inconclusive: inconclusive
            case .unavailable: gate.metric.needsEnergy ? .noEnergySource : .inconclusive
            }
        }
        let order: [ExitCode] = [.gateFailed, .noEnergySource, .inconclusive]
        return order.first { codes.contains($0) } ?? .done
    }
}
