/// One figure of four blocks in the order A B B A: reference, variant, variant, reference.
///
/// A drift that is straight over the four cancels: both arms have the same mean position.
public struct Quad: Sendable, Hashable {
    /// In order of time.
    public let references: (first: Double, second: Double)
    public let variants: (first: Double, second: Double)

    /// Nil unless all four are positive and finite: a ratio of anything else says nothing.
    public init?(_ reference: Double, _ variant: Double, _ variantAgain: Double, _ referenceAgain: Double) {
        for value in [reference, variant, variantAgain, referenceAgain] {
            guard value > 0, value.isFinite else { return nil }
        }
        references = (reference, referenceAgain)
        variants = (variant, variantAgain)
    }

    /// ln(variant / reference), of the geometric means.
    public var logRatio: Double {
        (variants.first.logarithm + variants.second.logarithm - references.first.logarithm
            - references.second.logarithm) / 2
    }

    public static func == (left: Quad, right: Quad) -> Bool {
        left.references == right.references && left.variants == right.variants
    }

    public func hash(into hasher: inout Hasher) {
        for value in [references.first, variants.first, variants.second, references.second] {
            hasher.combine(value)
        }
    }

    /// What two quads that follow one another tell of no difference: each arm alone, its four blocks taken as
    /// A B B A. They lie evenly about the middle of the eight, so that a straight drift cancels here too.
    static func controls(_ first: Quad, _ second: Quad) -> [Double] {
        func control(_ a: (first: Double, second: Double), _ b: (first: Double, second: Double)) -> Double {
            (a.second.logarithm + b.first.logarithm - a.first.logarithm - b.second.logarithm) / 2
        }
        return [
            control(first.references, second.references), control(first.variants, second.variants),
        ]
    }
}
