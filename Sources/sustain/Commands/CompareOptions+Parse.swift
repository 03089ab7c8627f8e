import Analysis
import Session

extension CompareOptions {
    /// Makes the variants of the parsed options: every combination of models, engines and list values.
    init(_ parsed: ParsedOptions) throws(Failure) {
        let wholeRuns = try Self.wholeRuns(parsed)
        var common = parsed.with("repetitions", nil)
        let baseline = try parsed.text("baseline").map { path throws(Failure) in try Baseline(path) }
        if let baseline {
            try baseline.checkPrograms(parsed)
            common = baseline.underItsProtocol(common)
        }
        var drafts: [Draft] = try Draft.all(common)
        if let baseline {
            if parsed.isSet("reference") {
                throw Failure(
                    thing: "--reference", cause: "--baseline names the reference", remedy: "leave one out",
                    exit: .usage)
            }
            drafts.insert(baseline.draft(common), at: 0)
        }
        if drafts.count < 2 {
            throw Failure(
                thing: "sustain compare", cause: "has \(drafts.count) variant, and it takes two",
                remedy: "name two models, or a list of values: -t 2,4 or --llama-lib default,DIR",
                exit: .usage)
        }
        let names = Draft.names(drafts)
        let recorded = RunOptions.recorded(parsed)
        var variants: [Variant] = []
        for (draft, name) in zip(drafts, names) {
            var run = try RunOptions(draft.options)
            // A run of its own is one that can be repeated by its record.
            run.recorded = wholeRuns == nil ? recorded : RunOptions.recorded(draft.options)
            try Self.refuseProtocol(run.request.named)
            var variant = Variant(name: name, run: run, recorded: draft.recorded)
            variant.expectedSHA256 = draft.expectedSHA256
            variants.append(variant)
        }
        self.init(
            variants: variants, reference: try Self.reference(parsed, names, variants),
            length: try Self.length(parsed), reloads: parsed.isSet("reload"),
            parity: try Self.parity(parsed))
        self.wholeRuns = wholeRuns
        self.recorded = recorded
    }

    private static func wholeRuns(_ parsed: ParsedOptions) throws(Failure) -> WholeRuns? {
        guard parsed.isSet("sustained") else {
            for key in ["seconds", "cool-down"] where parsed.isSet(key) {
                throw Failure(
                    thing: "--\(key)", cause: "is of whole runs, and blocks take turns here",
                    remedy: "add --sustained, or leave it out", exit: .usage)
            }
            return nil
        }
        if parsed.isSet("reload") {
            throw Failure(
                thing: "--reload", cause: "whole runs are loaded one by one anyway", remedy: "leave it out",
                exit: .usage)
        }
        return WholeRuns(coolDown: try parsed.seconds("cool-down", in: 0...86_400))
    }

    /// Protocols without cycles in number that blocks could be made of.
    private static func refuseProtocol(_ named: RunProtocol?) throws(Failure) {
        let why: String
        switch named {
        case .pbRandom: why = "has four generations, and a comparison many"
        case .untilFailure: why = "fills each context once, and a comparison repeats one shape"
        default: return
        }
        throw Failure(
            thing: "--protocol \(named?.rawValue ?? "")", cause: why,
            remedy: "compare under another protocol", exit: .usage)
    }

    private static func parity(_ parsed: ParsedOptions) throws(Failure) -> Parity {
        let top1 = try parsed.number("parity-top1", in: 0...1)
        let divergence = try parsed.number("parity-kl", in: 0...1000)
        guard top1 != nil || divergence != nil else { return Parity(isChecked: !parsed.isSet("no-parity")) }
        if parsed.isSet("no-parity") {
            throw Failure(
                thing: "--no-parity", cause: "a threshold of parity is given", remedy: "leave one out",
                exit: .usage)
        }
        let usual = ParityThresholds.sameWeights
        return Parity(
            thresholds: ParityThresholds(
                top1OrTie: top1 ?? usual.top1OrTie, meanKL: divergence ?? usual.meanKL))
    }

    private static func length(_ parsed: ParsedOptions) throws(Failure) -> Length {
        if parsed.isSet("budget"), parsed.isSet("repetitions") {
            throw Failure(
                thing: "--budget", cause: "-r names the number of quads (or rounds)", remedy: "leave one out",
                exit: .usage)
        }
        if let budget = try parsed.seconds("budget", in: 1...1_000_000) { return .budget(budget) }
        if parsed.isSet("sustained") {
            return .quads(try parsed.integer("repetitions", in: PairedEffect.fewestPairs...100_000) ?? 3)
        }
        return .quads(try parsed.integer("repetitions", in: PairedEffect.fewestQuads...100_000) ?? 8)
    }

    /// Position of the variant that `--reference` names.
    private static func reference(
        _ parsed: ParsedOptions, _ names: [String], _ variants: [Variant]
    ) throws(Failure) -> Int {
        guard let asked = parsed.text("reference") else { return 0 }
        if let position = names.firstIndex(of: asked) { return position }
        let models = variants.indices.filter { variants[$0].run.model == asked }
        if models.count == 1 { return models[0] }
        if let number = Int(asked), variants.indices.contains(number - 1) { return number - 1 }
        throw Failure(
            thing: "--reference \(asked)",
            cause: models.isEmpty ? "names no variant" : "\(models.count) variants have this model",
            remedy: "one of: \(names.joined(separator: ", ")), or a number from 1 to \(variants.count)",
            exit: .usage)
    }
}
