import Analysis
import Engines

/// `--until-failure`: ever longer contexts, each loaded anew and decoded to its end, until something gives.
extension RunDriver {
    /// - Returns: whether the model of the last step is still loaded.
    func deepen() throws(Stop) -> Bool {
        var isLoaded = false
        try within(.deepening, length: workload.seconds) { () throws(Stop) in
            let deadline = Clock.now + Nanoseconds(workload.seconds)
            for (step, context) in DepthLadder.contexts(upTo: workload.contextTokens).enumerated() {
                if isLoaded { try askForUnload() }
                isLoaded = false
                guard try beginDepth(step, contextTokens: context) else { return end(.predictedEnd) }
                try memoryPoint(.beforeLoad)
                try askForLoad(contextTokens: context)
                isLoaded = true
                try lookAtLoaded()
                let prompt = workload.promptTokens
                try generate(promptTokens: prompt, tokens: context - prompt, deadline: deadline)
                guard let done = answers.done, done.stop == .length else { return try endEarly() }
                deepest = context
            }
            end(.endReached)
        }
        return isLoaded
    }

    /// Whether a run ended as it was meant to: the engine gave in, after a context that it had filled.
    func isSoughtFailure(_ stop: Stop) -> Bool {
        guard case .engine = stop else { return false }
        return deepest != nil
    }

    private func end(_ kind: OutcomeLine.Kind) { endOfDepths = kind }

    /// The generation was cut: by the deadline, or by an engine that could not go on.
    private func endEarly() throws(Stop) {
        guard answers.done?.stop == .truncated else { return end(.timeOver) }
        throw engineStop(
            .engineError,
            cause:
                "ended the generation after \(answers.done?.generatedTokens ?? 0) tokens: it could not go on")
    }

    /// Tells of the step; false where more would be needed than there is. That the fit's gates say no is no
    /// reason to stop: they keep room for others, and the governor watches.
    private func beginDepth(_ step: Int, contextTokens: Int) throws(Stop) -> Bool {
        begin("context \(contextTokens)", length: nil)
        try sizeModel(contextTokens: contextTokens)
        let report = try reportFit()
        try write(
            .depth(
                DepthLine(
                    step: step, time: Clock.now, contextTokens: contextTokens, fit: report?.status,
                    estimateBytes: report?.estimateBytes)))
        guard let report, report.status == .doesNotFit else { return true }
        let goesOn = memoryWatch != nil && !report.exceedsAll
        if !goesOn, step == 0 { throw refusal(report) }
        if goesOn, !hasPassedFit {
            hasPassedFit = true
            try warn(
                "memory: a context of \(contextTokens) does not fit (\(report.reason)): --until-failure goes on "
                    + "until the governor or the engine ends it")
        }
        return goesOn
    }
}

extension FitReport {
    /// Whether it takes more than all there is, whatever is kept for others: mapped pages can be dropped.
    fileprivate var exceedsAll: Bool {
        guard let all = limit?.reachableBytes, let newAllocation, let wholeSet else { return false }
        return newAllocation.needBytes > all || Double(wholeSet.needBytes) > Double(all) * 1.11
    }
}
