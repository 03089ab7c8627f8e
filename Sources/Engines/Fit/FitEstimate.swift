import Analysis

/// The verdict of the two gates on one model (docs/metrics.md, "Fit").
public enum FitEstimate {
    /// Share of what is available that may be newly allocated.
    static let allocationShare = 0.6
    /// How far mapped weights may reach beyond the limit: their pages can be dropped and read again.
    static let mappedStretch = 1.11
    /// With less than this left the report warns, bytes.
    static let comfortBytes: UInt64 = 6_000_000_000
    /// A guessed term may really be this many times smaller or larger.
    private static let guessFactor = 2.0

    /// Judges a model against the memory there is.
    public static func report(_ input: FitInput, limit: MemoryLimit) -> FitReport {
        let terms = FitTerms.of(input)
        let measured = input.measuredPeak
        let sums = Sums(terms, measured: measured)
        var report = FitReport(status: .fits, reason: "", parameters: input.parameters)
        report.terms = terms
        report.sizedCompute = FitTerms.compute(input)
        report.limit = limit
        report.gpu = input.gpu
        report.measuredIn = measured?.run
        report.learntFrom = measured == nil ? LearntTerms(input)?.runs : nil
        report.newAllocation = FitReport.Gate(
            needBytes: sums.allocated, allowedBytes: limit.reachableBytes.scaled(allocationShare))
        report.wholeSet = FitReport.Gate(
            needBytes: sums.whole, allowedBytes: limit.bytes.scaled(stretch(input)))
        judge(&report, input, limit)
        report.warnings = warnings(report, input, limit)
        return report
    }

    /// A model without a header to size by.
    public static func withoutMetadata(_ reason: String, _ parameters: FitParameters) -> FitReport {
        FitReport(status: .cannotTell, code: .metadataNotReady, reason: reason, parameters: parameters)
    }

    private struct Sums {
        var allocated: UInt64
        var whole: UInt64

        init(_ terms: [FitTerm], measured: FitObservation?) {
            allocated = .saturatingSum(terms.filter(\.allocates).map(\.bytes))
            whole = .saturatingSum(terms.map(\.bytes))
            guard let measured else { return }
            whole = measured.peakBytes
            allocated = measured.peakAnonymousBytes ?? min(allocated, measured.peakBytes)
        }
    }

    /// A model of at most 2 bits a weight is read so densely that dropped pages cost too much, and memory that
    /// a GPU shares cannot be dropped at all; nor can copies of weights.
    private static func stretch(_ input: FitInput) -> Double {
        let isDense = input.model.bitsPerWeight.map { $0 <= 2 } ?? false
        return isDense || input.isShared ? 1 : mappedStretch
    }

    private static func judge(_ report: inout FitReport, _ input: FitInput, _ limit: MemoryLimit) {
        guard let allocation = report.newAllocation, let whole = report.wholeSet else { return }
        if whole.needBytes == .max {
            report.cannotTell(.sizingInvalid, "the header's sizes add up to more than 64 bits hold")
            return
        }
        var passes = allocation.passes && whole.passes
        report.reason = words(allocation, whole, limit)
        if let gpu = report.gpu?.value {
            report.reason += ", on the GPU " + words(gpu)
            if gpu.passes == false { passes = false }
        }
        report.status = passes ? .fits : .doesNotFit
        if let elsewhere = input.elsewhere ?? report.gpu?.reason {
            report.cannotTell(.sizingUnavailable, elsewhere)
            return
        }
        if passes, let why = input.missing(report) {
            report.cannotTell(.sizingUnavailable, why)
            return
        }
        guard report.measuredIn == nil else { return }
        let guessed = UInt64.saturatingSum(report.terms.filter { $0.origin == .guessed }.map(\.bytes))
        if guessed > 0, verdict(report, guessed, 1 / guessFactor) != verdict(report, guessed, guessFactor) {
            report.cannotTell(
                .sizingUnavailable, "near the limit, and the header does not tell the size of the cache")
        } else if let why = input.sizingFailure, input.isRefused, passes {
            report.cannotTell(.sizingFailed, "the engine refuses such a load: \(why)")
        } else if let why = input.sizingFailure, isNear(report) {
            report.cannotTell(.sizingFailed, "near the limit, and the engine's dry run failed: \(why)")
        }
    }

    /// Whether both gates would pass if the guessed bytes were another multiple of what they are.
    private static func verdict(_ report: FitReport, _ guessed: UInt64, _ factor: Double) -> Bool {
        func passes(_ gate: FitReport.Gate?) -> Bool {
            guard let gate else { return false }
            return (gate.needBytes - min(gate.needBytes, guessed)).plus(guessed.scaled(factor))
                <= gate.allowedBytes
        }
        return passes(report.newAllocation) && passes(report.wholeSet)
    }

    /// Whether a formula's error could turn the verdict: a quarter more or less compute and cache.
    private static func isNear(_ report: FitReport) -> Bool {
        let uncertain: [FitTerm.Name] = [.kv, .recurrent, .compute]
        let bytes = UInt64.saturatingSum(
            report.terms.filter { uncertain.contains($0.name) }.map(\.bytes))
        return verdict(report, bytes, 0.75) != verdict(report, bytes, 1.25)
    }

    private static func words(_ gpu: GPUFit) -> String {
        let free = gpu.passes == nil ? gpu.mostFreeBytes : gpu.leastFreeBytes
        return
            "\(mebibytes(gpu.needBytes)) \(gpu.passes == false ? "where only" : "of") \(mebibytes(free)) free"
    }

    private static func words(
        _ allocation: FitReport.Gate, _ whole: FitReport.Gate, _ limit: MemoryLimit
    ) -> String {
        func sentence(_ what: String, _ gate: FitReport.Gate) -> String {
            "\(what) \(mebibytes(gate.needBytes)) \(gate.passes ? "of" : "where only") "
                + "\(mebibytes(gate.allowedBytes)) \(gate.passes ? "that may be taken" : "may be taken")"
        }
        return sentence("needs", whole) + ", " + sentence("allocates", allocation)
            + " (\(mebibytes(limit.availableBytes)) available, \(limit.origin.rawValue))"
    }

    /// Whole MiB, rounded up: small differences do not decide whether a model is loaded.
    static func mebibytes(_ bytes: UInt64) -> String { "\(bytes.plus((1 << 20) - 1) >> 20) MiB" }

    private static func warnings(_ report: FitReport, _ input: FitInput, _ limit: MemoryLimit) -> [String] {
        var result: [String] = []
        if let why = input.sizingFailure { result.append("the engine's dry run failed: \(why)") }
        if report.terms.contains(where: { $0.origin == .guessed }) {
            result.append("the cache's size is a guess: the header does not tell it")
        }
        if report.status == .fits, let need = report.wholeSet?.needBytes {
            let left = limit.reachableBytes > need ? limit.reachableBytes - need : 0
            if left < comfortBytes {
                result.append("\(mebibytes(left)) of memory would be left, less than 6 GB")
            }
        }
        return result
    }
}

extension FitReport {
    fileprivate mutating func cannotTell(_ code: Code, _ why: String) {
        status = .cannotTell
        self.code = code
        reason = reason.isEmpty ? why : "\(why); \(reason)"
    }
}

extension FitInput {
    /// What decides and is not known, where all that is known would fit; nil for nothing. A measured peak has all
    /// of it.
    fileprivate func missing(_ report: FitReport) -> String? {
        if case .known(let gpu)? = report.gpu, gpu.passes == nil {
            return "it depends on which of \(gpu.boards.count) boards the engine takes"
        }
        guard report.measuredIn == nil else { return nil }
        if sizing?.kvBytes == nil, sizing?.recurrentBytes == nil,
            CacheSize(model.shape, parameters).isUnknown
        {
            return "the header does not tell the size of the cache (layers, width, heads)"
        }
        if sizing == nil, !model.unknownTypes.isEmpty {
            return
                "tensors of \(model.unknownTypes.sorted().joined(separator: ", ")): a type whose size is not known"
        }
        return nil
    }

    /// The finished run of the same model, engine and memory-deciding parameters that took the most.
    var measuredPeak: FitObservation? {
        guard let artifact, let engine, draft == nil, projectorBytes == nil else { return nil }
        return history.filter { run in
            let theirs = run.parameters
            return run.artifact == artifact && run.engine == engine
                && theirs.contextTokens == parameters.contextTokens
                && theirs.microBatchTokens == parameters.microBatchTokens
                && theirs.stepTokens >= parameters.stepTokens
                && theirs.cacheTypeK == parameters.cacheTypeK && theirs.cacheTypeV == parameters.cacheTypeV
                && theirs.flashAttention == parameters.flashAttention
                && theirs.mapsWeights == parameters.mapsWeights
                && theirs.gpuLayers == parameters.gpuLayers
        }.max { ($0.peakBytes, $0.run) < ($1.peakBytes, $1.run) }
    }
}
