import Analysis

@testable import Engines

/// Models of known shape for the tests of the fit.
enum FitModels {
    /// 32 layers, 8 of 32 heads for keys and values, heads of 128.
    static var dense: ModelShape {
        var shape = ModelShape()
        shape.architecture = "llama"
        shape.layers = 32
        shape.hidden = 4096
        shape.feedForward = .same(14_336)
        shape.heads = .same(32)
        shape.kvHeads = .same(8)
        shape.vocabulary = 128_256
        return shape
    }

    static let gib: UInt64 = 1 << 30
    static let mib: UInt64 = 1 << 20

    static func input(
        _ shape: ModelShape = dense, fileBytes: UInt64 = 4 << 30, context: Int = 4096,
        _ change: (inout FitInput) -> Void = { _ in }
    ) -> FitInput {
        var input = FitInput(
            model: FitModel(shape: shape, fileBytes: fileBytes, bitsPerWeight: 4.5),
            parameters: FitParameters(contextTokens: context))
        change(&input)
        return input
    }

    static func limit(_ available: UInt64, own: UInt64 = 0) -> MemoryLimit {
        MemoryLimit(.live, availableBytes: available, ownBytes: own, source: "MemAvailable")
    }

    /// A finished run that took `fixed` and the share `scale` of its compute buffer beside what is known.
    static func run(
        _ id: String, of artifact: String = "m", engine: String = "e", context: Int, fileBytes: UInt64,
        compute: UInt64, fixed: UInt64, scale: Double = 1, extra: UInt64 = 0
    ) -> FitObservation {
        var input = input(fileBytes: fileBytes, context: context)
        input.sizing = FitInput.Sizing(computeBytes: compute, repacks: false)
        let terms = FitTerms.of(input)
        let known = terms.filter { ![.compute, .fixed, .transient].contains($0.name) }
        let peak = known.reduce(0) { $0 + $1.bytes } + fixed + UInt64(Double(compute) * scale) + extra
        return FitObservation(
            run: id, artifact: artifact, engine: engine, parameters: input.parameters, terms: terms,
            sizedCompute: FitTerms.compute(input), peakBytes: peak, peakAnonymousBytes: peak - fileBytes)
    }
}
