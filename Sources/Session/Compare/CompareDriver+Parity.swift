import Analysis

/// What the variants say, held against the reference.
extension CompareDriver {
    func checkParity() throws(Stop) {
        guard options.parity.isChecked, reference.isAlive, !others.isEmpty else { return }
        let arms = others
        let driver = reference.driver
        let round = ParityRound(
            reference: parityArm(reference), thresholds: options.parity.thresholds,
            directory: driver.directory.path, loop: driver.loop,
            begin: { driver.begin($0, length: nil) })
        try round.ask(arms.map(parityArm)) { (position, result) throws(Stop) in
            let arm = arms[position]
            try turn(to: arm)
            try arm.driver.write(.parity(result))
            if result.isBad { driver.display.say("parity: \(arm.name) is \(result.sentence)") }
        }
        try turn(to: nil)
        try keep()
    }

    private func parityArm(_ arm: CompareArm) -> ParityRound.Arm {
        ParityRound.Arm(
            name: arm.name,
            asked: ParityArm(
                options.variants[arm.index].run, model: arm.driver.model, sha256: arm.driver.modelHash,
                logPath: arm.driver.logPath))
    }
}
