/// A power gauge over a run: readings that are power, and the stretches without.
public struct GaugeSeries: Sendable, Hashable {
    public struct Reading: Sendable, Hashable {
        /// Middle of the read.
        public var time: Instant
        public var watts: Double
    }

    public private(set) var readings: [Reading] = []
    public private(set) var voids: [CounterSeries.Void] = []
    public private(set) var failedReads = 0
    /// Readings set aside: negative, or above what the device can draw.
    public private(set) var implausible = 0
    /// The first of them, watts.
    public private(set) var firstImplausible: Double?
    public private(set) var period: UpdatePeriod?
    /// Over how long the device averages, seconds; nil when its vendor does not say.
    public let averaging: Double?
    /// Seconds between reads; the median where the source tells its readings at its own pace.
    public let interval: Double
    /// Watts between two values that the gauge can show, as far as its readings tell: never 0.
    public private(set) var resolution: Double

    /// A gap of so many reads is bridged by a straight line, a longer one is void: power between is not
    /// known.
    private static let bridgedReads = 5.0
    private static let bridgedSeconds = 1.0

    /// - Parameter reads: in order of time.
    public init(_ line: SourceLine, reads: some Sequence<CounterRead>) {
        averaging = line.averagingNanoseconds.map { Nanoseconds($0).seconds.value }
        let reads = Array(reads)
        interval =
            line.intervalNanoseconds > 0
            ? Nanoseconds(line.intervalNanoseconds).seconds.value : Self.medianInterval(reads)
        let ceiling = PlausibleCeiling.watts(
            domain: line.scope.domain, limit: line.limitWatts.map { Watts($0) }, ownMaximum: .zero)
        let bridge = max(Self.bridgedSeconds, Self.bridgedReads * interval)
        var gaps: [ReadGap] = []
        var grid = GaugeResolution(scale: line.scale)
        resolution = line.scale
        for read in reads {
            guard let value = read.value else {
                failedReads += 1
                continue
            }
            let watts = Double(value) * line.scale
            guard watts >= 0, watts <= ceiling.value else {
                implausible += 1
                if firstImplausible == nil { firstImplausible = watts }
                continue
            }
            let time = read.before + Nanoseconds((read.after - read.before).value / 2)
            if let last = readings.last {
                let gap = (time - last.time).seconds.value
                // A source that tells its readings at its own pace tells only new ones, also of a steady power.
                let isNew = watts != last.watts || line.intervalNanoseconds == 0
                gaps.append(ReadGap(seconds: gap, moved: isNew))
                if gap > bridge {
                    voids.append(
                        CounterSeries.Void(
                            span: Span(begin: last.time, end: time), reason: "no reading for \(short(gap)) s")
                    )
                }
            }
            readings.append(Reading(time: time, watts: watts))
            grid.add(value)
        }
        resolution = grid.estimate
        period = GaugeRenewals.period(
            gaps, declared: line.updatePeriodNanoseconds.map { Nanoseconds($0).seconds }, interval: interval)
    }

    private static func medianInterval(_ reads: [CounterRead]) -> Double {
        let times = reads.filter { $0.value != nil }.map(\.before)
        let gaps = zip(times, times.dropFirst()).map { ($1 - $0).value }.sorted()
        return Quantile.median(ofSorted: gaps).map { $0 / 1e9 } ?? 0
    }

    /// Whether there is power to integrate: a reading that is not 0, and most readings plausible.
    public var problem: String? {
        if let watts = firstImplausible, implausible >= readings.count {
            return "reads \(short(watts)) W, which is not plausible"
        }
        if readings.isEmpty { return "no read succeeded" }
        if readings.allSatisfy({ $0.watts == 0 }) { return "reads 0 W throughout" }
        return readings.count < 2 ? "a single reading" : nil
    }
}

/// Energy of a gauge as a function of time: the trapezoid over its readings.
struct GaugeCurve: Sendable {
    private let series: GaugeSeries
    private let origin: Instant
    private let times: [Double]
    private let watts: [Double]
    /// Joules up to each reading, and the sampling variance gathered up to it.
    private let energies: [Double]
    private let variances: [Double]
    /// How old a reading's power may be: the averaging time, or the update period where that is not known.
    let age: Double

    init?(series: GaugeSeries) {
        guard series.problem == nil, let origin = series.readings.first?.time else { return nil }
        self.series = series
        self.origin = origin
        times = series.readings.map { ($0.time - origin).seconds.value }
        watts = series.readings.map(\.watts)
        age = series.averaging ?? series.period?.upper ?? series.interval
        var energies = [0.0]
        var variances = [0.0]
        for index in 1..<times.count {
            let step = times[index] - times[index - 1]
            let jump = watts[index] - watts[index - 1]
            energies.append(energies[index - 1] + (watts[index] + watts[index - 1]) / 2 * step)
            // Half the squared difference of neighbours is the variance of one reading about a slow course.
            variances.append(variances[index - 1] + jump * jump / 2 * step * step)
        }
        self.energies = energies
        self.variances = variances
    }

    private var reach: Double { 2 * max(series.interval, 0.001) }

    /// Power at a time within the readings, along straight lines.
    private func power(at time: Double) -> Double {
        let next = times.partitioningIndex { $0 > time }
        guard next > 0 else { return watts[0] }
        guard next < times.count else { return watts[times.count - 1] }
        let share = (time - times[next - 1]) / (times[next] - times[next - 1])
        return watts[next - 1] + (watts[next] - watts[next - 1]) * share
    }

    /// The energy up to a moment. A reading tells of the time before it, by up to `age`: an edge between two
    /// powers is uncertain by half that and half the time between reads.
    func edge(at moment: Instant) -> Result<CurveEdge, Unavailable> {
        let time = (moment - origin).seconds.value
        let last = times.count - 1
        let off = max(-time, time - times[last])
        guard off <= reach else {
            return .failure(Unavailable("not read at the edge of the window, \(short(off)) s off"))
        }
        let next = times.partitioningIndex { $0 > time }
        let index = min(max(next - 1, 0), last)
        let energy = energies[index] + (watts[index] + power(at: time)) / 2 * (time - times[index])
        let timing = (age + series.interval) / 2
        let before = power(at: time - series.interval)
        let after = power(at: time + age + series.interval)
        let carried = max(0, off) * power(at: time)
        return .success(
            CurveEdge(
                joules: energy, half: abs(after - before) * timing + carried, systematic: 0, timing: timing,
                before: before * timing, after: after * timing, power: max(before, after)))
    }

    /// 95 % half width from reading a fluctuating power only now and then, joules.
    func sampling(_ span: Span) -> Double {
        let begin = times.partitioningIndex { $0 >= (span.begin - origin).seconds.value }
        let end = times.partitioningIndex { $0 > (span.end - origin).seconds.value } - 1
        guard end > begin else { return 0 }
        return 1.96 * (variances[end] - variances[begin]).squareRoot()
    }
}
