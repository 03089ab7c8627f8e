@testable import Analysis

extension Trace {
    /// Adds a source that is read once a second, from the header's stamp to the end.
    ///
    /// - Parameter value: the raw value so many seconds after the header's stamp; nil for a failed read.
    mutating func read(
        _ id: String, _ kind: SourceLine.Kind, _ quantity: SourceLine.Quantity, scale: Double = 1,
        _ value: (Double) -> Int64?
    ) {
        let index = (sources.map(\.index).max() ?? -1) + 1
        sources.append(
            SourceLine(
                index: index, id: id, kind: kind, quantity: quantity, scale: scale,
                scope: .init(domain: "system", device: "system"), interface: "test",
                intervalNanoseconds: 1_000_000_000))
        let seconds = ((end?.time ?? header.start) - header.start).seconds.value
        for second in 0...Int(seconds) {
            samples.append(
                SampleLine(
                    time: header.start + Nanoseconds(Seconds(Double(second))), sources: [index],
                    deltas: [1_000], values: [value(Double(second))]))
        }
    }

    /// Seconds from the header's stamp to t = 0.
    var zero: Double {
        let mark = marks.first { $0.name == .sustainedStart }
        return ((mark?.time ?? header.start) - header.start).seconds.value
    }
}
