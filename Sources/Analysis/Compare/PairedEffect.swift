/// How a variant's figure differs from the reference's, over the quads of one session.
public struct PairedEffect: Sendable, Hashable {
    public enum Verdict: Sendable, Hashable {
        /// The interval excludes 1 and the effect is above what the session's own control shows.
        case different
        case noDetectableDifference
    }

    /// variant / reference, with its 95 % interval.
    public let ratio: Double
    public let low: Double
    public let high: Double
    /// What pairs without a difference may come to in this session, as a share: the upper 95 % bound of the
    /// control's effect.
    public let floor: Double
    /// The smallest share that a session like this tells four times in five.
    public let minimumDetectable: Double
    /// How many quads it rests on; 1 where each arm was seen once.
    public let quads: Int
    /// How the interval was found.
    public let method: String

    /// Fewer quads say too little of their own spread (METRICS, "Comparing").
    public static let fewestQuads = 8

    /// - Parameter quads: in order of time.
    public static func of(_ quads: [Quad]) -> Result<PairedEffect, Unavailable> {
        guard quads.count >= fewestQuads else {
            return .failure(Unavailable("insufficient: \(quads.count) quads, under \(fewestQuads)"))
        }
        var controls: [Double] = []
        for index in stride(from: 0, to: quads.count - 1, by: 2) {
            controls += Quad.controls(quads[index], quads[index + 1])
        }
        guard let effect = MeanInterval(quads.map(\.logRatio)), let control = MeanInterval(controls),
            let margin = StudentT.oneSided80(degreesOfFreedom: quads.count - 1)
        else { return .failure(Unavailable("insufficient: too few quads for an interval")) }
        let floor = abs(control.mean) + control.half
        let detectable = max(effect.half, floor) + margin * effect.error
        return .success(
            PairedEffect(
                ratio: effect.mean.exponential, low: (effect.mean - effect.half).exponential,
                high: (effect.mean + effect.half).exponential, floor: floor.exponential - 1,
                minimumDetectable: detectable.exponential - 1, quads: quads.count,
                method: "t interval over \(quads.count) ABBA quads' log ratios"))
    }

    /// Of figures that one process each has shown once, as peak memory: quads of them would repeat one observation.
    ///
    /// - Parameter resolution: the share by which two processes of one build may differ; it stands for interval and
    ///   floor.
    public static func once(
        reference: Double, variant: Double, resolution: Double
    ) -> Result<PairedEffect, Unavailable> {
        guard reference > 0, variant > 0, reference.isFinite, variant.isFinite else {
            return .failure(Unavailable("a ratio needs two figures above 0"))
        }
        let ratio = variant / reference
        return .success(
            PairedEffect(
                ratio: ratio, low: ratio / (1 + resolution), high: ratio * (1 + resolution),
                floor: resolution,
                minimumDetectable: resolution, quads: 1,
                method: "one observation of each, two processes of one build being within "
                    + "\((100 * resolution).inTenths) %"))
    }

    public var verdict: Verdict {
        let excludesOne = low > 1 || high < 1
        // The floor is symmetric in the logarithm.
        return excludesOne && max(ratio, 1 / ratio) > 1 + floor ? .different : .noDetectableDifference
    }

    /// As the record keeps it.
    public var figure: Figure {
        Figure(ratio, .bounds(low: low, high: high), method: method)
    }
}
