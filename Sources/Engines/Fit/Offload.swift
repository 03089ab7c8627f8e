import Analysis

/// Layers of a model that go onto boards with memory of their own.
public struct Offload: Sendable, Hashable {
    /// As asked for (`-ngl`): repeating layers, the output beyond them; nil for all.
    public var layers: Int?
    /// How many boards the engine says it uses; nil where it does not.
    public var used: Int?
    /// What is free on the boards of this machine, or why it is not known.
    public var boards: Maybe<[GPUFit.Board]>

    public init(layers: Int?, used: Int? = nil, boards: Maybe<[GPUFit.Board]>) {
        self.layers = layers
        self.used = used
        self.boards = boards
    }

    /// What a driver's context and its libraries take on a board before anything is computed: a round number that
    /// stands in until it is measured.
    static let fixedReserve: UInt64 = 512 << 20
}

/// Where a model's weights are, by what is offloaded together.
public struct WeightPlaces: Sendable, Hashable {
    /// Bytes of "blk.N." by N.
    var layers: [UInt64] = []
    /// The output matrix, or the token embedding where it serves as one: that is then there twice.
    var output: UInt64 = 0

    /// nil where a tensor's size is not known.
    init?(_ tensors: [GGUFTensor], layers count: UInt64?) {
        guard let count, count <= 1 << 16 else { return nil }
        layers = [UInt64](repeating: 0, count: Int(count))
        var embedding: UInt64 = 0
        for tensor in tensors {
            guard let bytes = tensor.bytes else { return nil }
            let parts = tensor.name.split(separator: ".", maxSplits: 2)
            if parts.count == 3, parts[0] == "blk", let layer = Int(parts[1]), layers.indices.contains(layer)
            {
                layers[layer] = layers[layer].plus(bytes)
            } else if parts.first?.hasPrefix("output") == true {
                output = output.plus(bytes)
            } else if tensor.name == "token_embd.weight" {
                embedding = bytes
            }
        }
        if output < embedding, !tensors.contains(where: { $0.name == "output.weight" }) {
            output = output.plus(embedding)
        }
    }
}

extension FitInput {
    /// What lies on the boards; unavailable where it cannot be told, nil where nothing is offloaded.
    var gpu: Maybe<GPUFit>? {
        guard let offload, offload.layers != 0 else { return nil }
        guard case .known(let boards) = offload.boards else {
            return .unavailable(offload.boards.reason ?? "no board's memory can be read")
        }
        guard !boards.isEmpty else { return .unavailable("the driver shows no GPU") }
        guard let places = model.places else {
            return .unavailable("the header does not tell how large the layers are")
        }
        let share = OffloadedShare(self, places, layers: offload.layers)
        let used = offload.used ?? boards.count
        return .known(
            GPUFit(
                layers: UInt64(share.layers.count),
                terms: [
                    FitTerm(.weights, bytes: share.weights, .header),
                    FitTerm(.kv, bytes: share.kv, share.origin),
                    FitTerm(.recurrent, bytes: share.recurrent, share.origin),
                    FitTerm(
                        .compute,
                        bytes: FitTerms.computeBytes(model.shape, parameters).times(UInt64(max(1, used))),
                        .formula),
                    FitTerm(.fixed, bytes: Offload.fixedReserve.times(UInt64(max(1, used))), .reserve),
                ].filter { $0.bytes > 0 }, boards: boards, used: used))
    }
}

/// The part of weights and caches that lies on the boards. Versions of llama.cpp differ in whether the output counts
/// among the layers asked for: the more of both is taken.
struct OffloadedShare {
    let layers: Range<Int>
    let weights: UInt64
    let kv: UInt64
    let recurrent: UInt64
    let origin: FitTerm.Origin

    /// What of the input lies on boards whose memory is known; nil for nothing.
    static func of(_ input: FitInput) -> OffloadedShare? {
        guard let offload = input.offload, offload.layers != 0, offload.boards.value?.isEmpty == false,
            let places = input.model.places
        else { return nil }
        return OffloadedShare(input, places, layers: offload.layers)
    }

    init(_ input: FitInput, _ places: WeightPlaces, layers asked: Int?) {
        let count = places.layers.count
        let offloaded = asked.map { $0 < 0 ? count : min($0, count) } ?? count
        layers = (count - offloaded)..<count
        weights = UInt64.saturatingSum(places.layers[layers]).plus(places.output)
        let all = CacheSize(input.model.shape, input.parameters)
        let own = CacheSize(input.model.shape, input.parameters, within: layers)
        // Of what the engine told of the whole the same share as of the formula's.
        func part(_ sized: UInt64?, _ formula: UInt64, of whole: UInt64) -> UInt64 {
            guard let sized else { return formula }
            return whole == 0 ? sized : sized.scaled(Double(formula) / Double(whole))
        }
        kv = part(input.sizing?.kvBytes, own.kvBytes, of: all.kvBytes)
        recurrent = part(input.sizing?.recurrentBytes, own.recurrentBytes, of: all.recurrentBytes)
        origin = input.sizing?.kvBytes != nil ? .engine : own.isGuessed ? .guessed : .formula
    }
}
