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
    /// Asks what is free on the boards; only where something may go there, for a broken driver may hang.
    var boards: () -> Maybe<[GPUFit.Board]>

    private static let longestPatience = Seconds(60)

    var parameters: FitParameters {
        var parameters = FitParameters(
            contextTokens: contextTokens, batchTokens: load.batchTokens ?? 2048,
            microBatchTokens: load.microBatchTokens ?? 512, promptTokens: promptTokens)
        parameters.cacheTypeK = load.cacheTypeK ?? "f16"
        parameters.cacheTypeV = load.cacheTypeV ?? "f16"
        parameters.flashAttention = load.flashAttention ?? "auto"
        parameters.loadMode = load.loadMode ?? "auto"
        parameters.gpuLayers = load.gpuLayers
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
            if let layers = load.gpuLayers, layers != 0 {
                input.offload = Offload(layers: layers < 0 ? nil : layers, boards: boards())
            } else if mayUseGPU {
                input.elsewhere = "what the engine puts on a GPU is not known"
            }
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
            place(&input, on: sized.devices)
        case .failure(let problem):
            input.sizingFailure = problem.cause
            input.isRefused = problem.isRefusal
            if mayUseGPU { input.elsewhere = "what the engine would put on a GPU is not known" }
        }
        return input
    }

    /// - Parameter devices: with memory of their own, by the engine's names for them.
    private func place(_ input: inout FitInput, on devices: [String]) {
        guard !devices.isEmpty else { return }
        // Other makers' drivers are not asked here.
        if let other = devices.first(where: { !$0.hasPrefix("CUDA") }) {
            input.elsewhere = "part of the model goes to \(other), whose free memory is not known"
            return
        }
        let layers = load.gpuLayers.flatMap { $0 < 0 ? nil : $0 }
        input.offload = Offload(layers: layers, used: devices.count, boards: boards())
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
