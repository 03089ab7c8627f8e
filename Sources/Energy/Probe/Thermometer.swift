import Analysis

/// The temperatures by which a machine is told to have cooled down: read one by one, without the sampler.
public struct Thermometer: Sendable {
    private let sources: [LiveSource]

    /// Drives, memory modules, radios and the like warm up for reasons of their own, and slowly.
    private static let others = [
        "nvme", "drivetemp", "jc42", "spd5118", "iwlwifi", "mt79", "ath", "r8169", "igc", "ixgbe", "mlx",
        "bnxt",
        "battery", "ucsi",
    ]

    /// - Parameter sources: of a probe, of any kind.
    public init(_ sources: [LiveSource]) {
        self.sources = sources.filter { source in
            let device = source.line.scope.device.lowercased()
            return source.line.quantity == .temperature
                && !Self.others.contains { device.hasPrefix($0) }
        }
    }

    /// How the trace describes them: the index is the position in a sample's values.
    public var lines: [SourceLine] {
        sources.enumerated().map { index, source in
            var line = source.line
            line.index = index
            return line
        }
    }

    /// What all show now.
    ///
    /// - Returns: raw values with the errno of those that cannot be read; nil where there is no sensor.
    public func read(at time: Instant) -> SampleLine? {
        guard !sources.isEmpty else { return nil }
        var sample = SampleLine(
            time: time, sources: Array(sources.indices), deltas: sources.map { _ in 0 }, values: [])
        for (index, source) in sources.enumerated() {
            do throws(Failure) {
                sample.values.append(try source.value())
            } catch {
                sample.values.append(nil)
                sample.errors[index] = error.errno ?? 0
            }
        }
        return sample
    }

    /// Degrees Celsius by position; nil for what could not be read, or cannot be.
    public func celsius(_ sample: SampleLine) -> [Double?] {
        zip(sources, sample.values).map { source, raw in raw.flatMap(source.line.celsius) }
    }
}
