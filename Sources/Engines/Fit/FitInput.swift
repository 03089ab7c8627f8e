import Analysis

/// Everything one estimate is made of.
public struct FitInput: Sendable {
    /// What the engine's own dry run told; a field that is nil is left to the formula.
    public struct Sizing: Sendable, Hashable {
        public var kvBytes: UInt64?
        public var recurrentBytes: UInt64?
        public var computeBytes: UInt64?
        /// Whether weights are copied into another layout.
        public var repacks: Bool?
        /// Devices beside the CPU that would be used.
        public var devices: [String]

        public init(
            kvBytes: UInt64? = nil, recurrentBytes: UInt64? = nil, computeBytes: UInt64? = nil,
            repacks: Bool? = nil, devices: [String] = []
        ) {
            self.kvBytes = kvBytes
            self.recurrentBytes = recurrentBytes
            self.computeBytes = computeBytes
            self.repacks = repacks
            self.devices = devices
        }
    }

    public var model: FitModel
    public var parameters: FitParameters
    /// nil where the engine has no dry run, or where it failed.
    public var sizing: Sizing?
    /// Why there is no `sizing` from an engine that has a dry run.
    public var sizingFailure: String?
    /// Whether the engine's dry run ended because the engine refuses such a load, however much memory there is.
    public var isRefused = false
    /// Whether the engine copies weights into another layout when nothing better is known.
    public var mayRepack = true
    /// Bytes of a projector's file.
    public var projectorBytes: UInt64?
    /// A draft model, with a context of its own.
    public var draft: FitModel?
    /// SHA-256 of the model, and of the engine's library: which runs are of the same.
    public var artifact: String?
    public var engine: String?
    /// Finished runs.
    public var history: [FitObservation] = []
    /// What goes onto boards with memory of their own; nil for nothing.
    public var offload: Offload?
    /// What of the load may lie in memory that neither the limit nor a board speaks of; nil for nothing.
    public var elsewhere: String?
    /// Whether the GPU's memory is the machine's.
    public var isShared = false

    public init(model: FitModel, parameters: FitParameters) {
        self.model = model
        self.parameters = parameters
    }
}
