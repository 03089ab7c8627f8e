/// The figures of a tally, and what they come to.
extension ParityTally {
    /// - Parameters:
    ///   - thresholds: given by the user; nil for those of the same weights where the relation asks for them.
    ///   - greedyDivergence: the first token at which greedy generations differ.
    public func result(
        relation: ParityRelation, thresholds given: ParityThresholds?, greedyDivergence: Maybe<Int>
    ) -> ParityResult {
        if let position = brokenReference {
            return .cannotTell(
                "the reference's logits of position \(position) are not numbers", relation: relation)
        }
        guard positions.count > 1 || brokenVariant != nil else {
            return .cannotTell("no two positions were scored", relation: relation)
        }
        let measure = given ?? .sameWeights
        let figures = Figures(positions, measure)
        let wrong = Figures(shifted, measure)
        let control = ParityResult.Control(
            top1OrTie: wrong.agreementOrTie, meanKL: wrong.meanKL,
            isRefused: !measure.admits(shifted))
        var result = ParityResult(
            verdict: .reported, reason: nil, relation: relation, text: ParityText.name,
            positions: positions.count, top1Agreement: figures.agreement, top1OrTie: figures.agreementOrTie,
            tieNats: measure.tieNats, meanKL: figures.meanKL,
            p99KL: figures.p99KL,
            perplexity: ParityResult.Perplexity(
                reference: figures.perplexity(\.referenceSurprise),
                variant: figures.perplexity(\.variantSurprise)),
            thresholds: relation.sharesNumbers ? measure : given, control: .known(control),
            greedyDivergence: greedyDivergence)
        if let position = brokenVariant {
            result.verdict = .wrong
            result.reason = "the logits of position \(position) are not numbers"
        } else if !control.isRefused {
            result.verdict = .cannotTell
            result.reason =
                "the wrong pairing passes as well: what is said does not depend enough on the position"
        } else if let thresholds = result.thresholds {
            let failure = relation.sharesNumbers ? ParityVerdict.wrong : .failed
            result.verdict = thresholds.admits(positions) ? .passed : failure
        }
        return result
    }
}

extension ParityThresholds {
    /// Whether positions agree so well. Those that are not there do not.
    fileprivate func admits(_ positions: [ParityTally.Position]) -> Bool {
        guard let agreement = Moments.mean(positions.map { isTie($0) ? 1 : 0 }),
            let divergence = Moments.mean(positions.map(\.divergence))
        else { return false }
        return agreement >= top1OrTie && divergence <= meanKL
    }

    /// Whether both name the same token first, or tokens that are as good as equal to the reference.
    fileprivate func isTie(_ position: ParityTally.Position) -> Bool {
        position.agrees || position.regret <= tieNats
    }
}

/// Figures over positions, each with an interval over blocks of neighbours: what comes next in a text is not
/// independent of what came before.
private struct Figures {
    let positions: [ParityTally.Position]
    let thresholds: ParityThresholds

    init(_ positions: [ParityTally.Position], _ thresholds: ParityThresholds) {
        self.positions = positions
        self.thresholds = thresholds
    }

    var agreement: Figure {
        mean(positions.map { $0.agrees ? 1 : 0 }, "share of the positions", within: 0...1) { $0 }
    }

    var agreementOrTie: Figure {
        mean(positions.map { thresholds.isTie($0) ? 1 : 0 }, "share of the positions", within: 0...1) { $0 }
    }

    var meanKL: Figure {
        mean(positions.map(\.divergence), "mean over the positions", within: 0...(.infinity)) { $0 }
    }

    var p99KL: Figure {
        guard let value = Quantile.of(positions.map(\.divergence).sorted(), probability: 0.99) else {
            return .unavailable("no position was scored")
        }
        return Figure(
            value, .unavailable(Unavailable("a quantile of one text")), method: Quantile.method)
    }

    func perplexity(_ surprise: (ParityTally.Position) -> Double?) -> Figure {
        mean(
            positions.compactMap(surprise), "e to the mean surprise at the next token", within: nil,
            \.exponential)
    }

    /// - Parameter range: that the interval is cut to.
    private func mean(
        _ values: [Double], _ method: String, within range: ClosedRange<Double>?,
        _ transform: (Double) -> Double
    ) -> Figure {
        guard let mean = Moments.mean(values) else { return .unavailable("no position was scored") }
        guard mean.isFinite else {
            return .unavailable("infinite: what is possible for one is impossible for the other")
        }
        let residuals = values.map { $0 - mean }
        let blocks = MovingBlocks(residuals)
        let interval: Interval
        switch blocks.factor {
        case .failure(let why): interval = .unavailable(why)
        case .success(let factor):
            let half = factor * blocks.standardError(ofSum: residuals) / Double(values.count)
            let low = transform(mean - half)
            let high = transform(mean + half)
            interval = .bounds(
                low: max(low, range?.lowerBound ?? low), high: min(high, range?.upperBound ?? high))
        }
        return Figure(
            transform(mean), interval,
            method: "\(method) (\(values.count)); interval from moving blocks of positions")
    }
}
