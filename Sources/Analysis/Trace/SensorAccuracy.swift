/// How far a sensor's absolute value may be off, by who makes it.
///
/// It stands beside absolute joules and is in no interval: an error of the sensor is the same in every run on
/// the machine, so that repeating tells nothing of it.
public struct SensorAccuracy: Sendable, Hashable, Codable {
    /// As the vendor puts it: "2 % of the value".
    public var figure: String
    /// Where that is said: "power1_accuracy of the driver", a document and its section.
    public var source: String

    public init(figure: String, source: String) {
        self.figure = figure
        self.source = source
    }
}
