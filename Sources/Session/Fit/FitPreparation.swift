import Analysis
import Engines
import Glibc
import WorkerProtocol

/// Gathers what one model's estimate is made of.
struct FitPreparation {
    var engine: RunOptions.Engine
    var environment: [(name: String, value: String)] = []
    var load: LoadOptions
    var contextTokens: Int
    /// The longest prompt that will be fed; nil when it is not known.
    var promptTokens: Int?
    /// How long the engine's dry run may take.
    var patience: Seconds
    var history: [FitObservation] = []
    /// Where the machine is looked at for GPUs that an engine may use without saying so.
    var sysfs: String

    private static let longestPatience = Seconds(60)

    var parameters: FitParameters {
        var parameters = FitParameters(
            contextTokens: contextTokens, batchTokens: load.batchTokens ?? 2048,
            microBatchTokens: load.microBatchTokens ?? 512, promptTokens: promptTokens)
        parameters.cacheTypeK = load.cacheTypeK ?? "f16"
        parameters.cacheTypeV = load.cacheTypeV ?? "f16"
        parameters.flashAttention = load.flashAttention ?? "auto"
        parameters.loadMode = load.loadMode ?? "auto"
        return parameters
    }

    /// - Parameters:
    ///   - sha256: of the model, when it is known.
    ///   - shouldContinue: false ends the engine's dry run.
    func input(
        _ model: ModelFile, sha256: String?, shouldContinue: @escaping () -> Bool = { true }
    ) -> FitInput {
        var input = FitInput(model: FitModel(model), parameters: parameters)
        input.artifact = sha256
        input.history = history
        guard case .llama = engine else {
            // What another engine does with the file is its own.
            input.mayRepack = false
            if mayUseGPU { input.elsewhere = "what the engine puts on a GPU is not known" }
            return input
        }
        switch size(model, shouldContinue) {
        case .success(let answer):
            input.engine = answer.engine
            let sized = answer.sized
            input.sizing = FitInput.Sizing(
                kvBytes: sized.kvBytes, recurrentBytes: sized.recurrentBytes,
                computeBytes: sized.computeBytes, repacks: sized.repacks, devices: sized.devices)
            input.isShared = sized.sharesMemory ?? false
            if !sized.devices.isEmpty {
                let names = sized.devices.joined(separator: ", ")
                input.elsewhere = "part of the model goes to \(names), whose memory is not estimated"
            }
        case .failure(let problem):
            input.sizingFailure = problem.cause
            input.isRefused = problem.isRefusal
            if mayUseGPU { input.elsewhere = "what the engine would put on a GPU is not known" }
        }
        return input
    }

    /// Whether an engine that does not say so may put part of the model on a GPU. No driver's library is asked:
    /// a broken one may hang.
    private var mayUseGPU: Bool {
        if let layers = load.gpuLayers { return layers != 0 }
        let signs = ["/dev/nvidiactl", sysfs + "/module/nvidia", sysfs + "/module/amdgpu"]
        return signs.contains { access($0, F_OK) == 0 }
    }

    private func size(
        _ model: ModelFile, _ shouldContinue: @escaping () -> Bool
    ) -> Result<ModelSizing.Answer, ModelSizing.Problem> {
        do throws(Failure) {
            // What it says in its log it also says in its answer.
            let launch = try engine.launch(environment: environment, logPath: "/dev/null")
            return ModelSizing.ask(
                launch, load.request(model: model.path, contextTokens: contextTokens),
                patience: min(patience, Self.longestPatience), shouldContinue: shouldContinue)
        } catch {
            return .failure(ModelSizing.Problem(cause: "\(error.thing): \(error.cause)"))
        }
    }
}
