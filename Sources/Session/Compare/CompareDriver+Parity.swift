import Analysis
import Engines

/// What the variants say, held against the reference: asked last, when all that is timed is over, of engines that
/// are started for this alone.
extension CompareDriver {
    func checkParity() throws(Stop) {
        guard options.parity.isChecked, reference.isAlive, !others.isEmpty else { return }
        let arms = others
        reference.driver.begin("parity: \(reference.name)", length: nil)
        let asked = parityArm(reference)
        let scores = try telling { go throws(Failure) in
            try Parity.reference(asked, in: reference.driver.directory.path, shouldContinue: go)
        }
        for arm in arms {
            let result: ParityResult
            switch scores {
            case .failure(let failure):
                result = .cannotTell(Self.text(failure), relation: try relation(of: arm))
            case .success(let scores): result = try parity(of: arm, against: scores)
            }
            try turn(to: arm)
            try arm.driver.write(.parity(result))
            if result.verdict == .wrong || result.verdict == .failed {
                arm.driver.display.say("parity: \(arm.name) is \(result.sentence)")
            }
        }
        try turn(to: nil)
        try keep()
    }

    private func parity(
        of arm: CompareArm, against scores: Result<ReferenceScores, Unavailable>
    ) throws(Stop) -> ParityResult {
        arm.driver.begin("parity: \(arm.name)", length: nil)
        let relation = try relation(of: arm)
        let asked = parityArm(arm)
        let result = try telling { go throws(Failure) in
            try Parity.check(
                asked, against: scores, relation: relation, thresholds: options.parity.thresholds,
                shouldContinue: go)
        }
        switch result {
        case .success(let told): return told
        case .failure(let failure): return .cannotTell(Self.text(failure), relation: relation)
        }
    }

    private func relation(of arm: CompareArm) throws(Stop) -> ParityRelation {
        let (own, its) = (parityArm(reference), parityArm(arm))
        do { return try ParityRelation.of(own, its) } catch { throw .failed(error) }
    }

    private func parityArm(_ arm: CompareArm) -> ParityArm {
        let run = options.variants[arm.index].run
        return ParityArm(
            engine: run.engine, environment: run.environment, model: arm.driver.model,
            sha256: arm.driver.modelHash, load: run.load, patience: run.engineTimeout,
            logPath: arm.driver.logPath)
    }

    /// An engine that fails at this fails at nothing that was measured; a signal ends the session.
    private func telling<Answer>(
        _ work: (@escaping () -> Bool) throws(Failure) -> Answer
    ) throws(Stop) -> Result<Answer, Failure> {
        var signal: Int32?
        let loop = reference.driver.loop
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
