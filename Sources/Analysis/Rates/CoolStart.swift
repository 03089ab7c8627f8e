/// Whether the machine was cool when it began: what it kept of its speed means nothing after a warm start.
enum CoolStart {
    /// Kelvin a minute that a temperature may drift while idle.
    private static let steepest = 0.5
    /// Kelvin above the session's minimum that a start may be.
    private static let warmest = 5.0

    /// Why the start was not cool, or nil when it was or no temperature was read while idle.
    ///
    /// Per temperature over `idle_before`: the slope of a least-squares line is at least 0.5 K/min in either
    /// direction and its own 95 % interval tells it from 0 (a sensor that jitters by a degree shows such a
    /// slope over 15 s of perfect rest), or the mean is more than 5 K above the least reading of the run.
    static func objection(_ temperatures: [ContextSeries], idle: [Span]) -> String? {
        guard let span = idle.first else { return nil }
        for series in temperatures {
            let readings = series.readings(in: span)
            guard let mean = Moments.mean(readings.map(\.value)), let least = series.least else { continue }
            let name = series.source.id
            if mean - least > warmest {
                return "\(name) was \((mean - least).inTenths) K above its least"
            }
            let minutes = readings.map { (x: ($0.time - span.begin).seconds.value / 60, y: $0.value) }
            if let line = LineFit(minutes), line.slope.magnitude >= steepest,
                line.slope.magnitude > line.halfWidth
            {
                return "\(name) moved by \(line.slope.inTenths) K a minute while idle"
            }
        }
        return nil
    }
}
