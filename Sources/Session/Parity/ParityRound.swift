import Analysis
import Engines

/// What the variants of a session say, held against the reference: asked last, when all that is timed is over, of
/// engines that are started for this alone.
struct ParityRound {
    struct Arm {
        var name: String
        var asked: ParityArm
    }

    var reference: Arm
    /// Nil for the usual ones.
    var thresholds: ParityThresholds?
    /// Where a directory for the reference's rows is made.
    var directory: String
    var loop: EventLoop
    /// Told which engine is asked now.
    var begin: (String) -> Void

    /// - Parameter take: gets each variant's result, by its position, as soon as it is there.
    func ask(_ variants: [Arm], _ take: (Int, ParityResult) throws(Stop) -> Void) throws(Stop) {
        begin("parity: \(reference.name)")
        let scores = try telling { go throws(Failure) in
            try Parity.reference(reference.asked, in: directory, shouldContinue: go)
        }
        for (position, variant) in variants.enumerated() {
            let relation = try relation(of: variant)
            switch scores {
            case .failure(let failure):
                try take(position, .cannotTell(Self.text(failure), relation: relation))
            case .success(let scores):
                try take(position, try result(of: variant, relation, against: scores))
            }
        }
    }

    private func result(
        of variant: Arm, _ relation: ParityRelation, against scores: Result<ReferenceScores, Unavailable>
    ) throws(Stop) -> ParityResult {
        begin("parity: \(variant.name)")
        let result = try telling { go throws(Failure) in
            try Parity.check(
                variant.asked, against: scores, relation: relation, thresholds: thresholds,
                shouldContinue: go)
        }
        switch result {
        case .success(let told): return told
        case .failure(let failure): return .cannotTell(Self.text(failure), relation: relation)
        }
    }

    private func relation(of variant: Arm) throws(Stop) -> ParityRelation {
        do { return try ParityRelation.of(reference.asked, variant.asked) } catch { throw .failed(error) }
    }

    /// An engine that fails at this fails at nothing that was measured; a signal ends the session.
    private func telling<Answer>(
        _ work: (@escaping () -> Bool) throws(Failure) -> Answer
    ) throws(Stop) -> Result<Answer, Failure> {
        var signal: Int32?
        let result: Result<Answer, Failure>
        do throws(Failure) {
            result = .success(
                try work {
                    signal = signal ?? loop.pendingSignal()
                    return signal == nil
                })
        } catch {
            result = .failure(error)
        }
        if let signal { throw .signal(signal) }
        return result
    }

    private static func text(_ failure: Failure) -> String { "\(failure.thing): \(failure.cause)" }
}

extension ParityArm {
    /// A variant as parity asks it.
    init(_ run: RunOptions, model: ModelFile?, sha256: String?, logPath: String) {
        self.init(
            engine: run.engine, environment: run.environment, model: model, sha256: sha256, load: run.load,
            patience: run.engineTimeout, logPath: logPath)
    }
}

extension ParityResult {
    /// Whether it is news while a session goes on.
    var isBad: Bool { verdict == .wrong || verdict == .failed }
}
