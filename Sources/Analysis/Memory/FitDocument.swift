/// What `sustain fit --json` prints, schema "sustain.fit/1" (docs/fit.schema.json).
public struct FitDocument: Sendable, Hashable, Codable {
    public static let currentSchema = "sustain.fit/1"

    /// One model's estimate.
    public struct Entry: Sendable, Hashable, Codable {
        /// The path as it was given.
        public var model: String
        /// Bytes of all its files; nil when it could not be read.
        public var sizeBytes: UInt64?
        public var fit: FitReport

        public init(model: String, sizeBytes: UInt64?, fit: FitReport) {
            self.model = model
            self.sizeBytes = sizeBytes
            self.fit = fit
        }

        enum CodingKeys: String, CodingKey {
            case model, fit
            case sizeBytes = "size_bytes"
        }
    }

    public var schema = currentSchema
    /// In the order given.
    public var models: [Entry]
    /// The first that fits; nil when none does.
    public var firstFitting: String?

    public init(models: [Entry]) {
        self.models = models
        firstFitting = models.first { $0.fit.status == .fits }?.model
    }

    enum CodingKeys: String, CodingKey {
        case schema, models
        case firstFitting = "first_fitting"
    }
}
