/// The energy of one stretch of time, of every source and of the total. Stretches that follow one another add
/// up to a window whose samples need not be kept.
struct WindowEnergy: Sendable {
    struct Source: Sendable {
        var line: SourceLine
        var status: SourceLine.Status
        var reason: String?
        var period: Figure
        var energy: Result<EnergyEstimate, Unavailable>
        var wraps: Int
        var resets: Int
        /// Those that touch the stretch.
        var voids: [CounterSeries.Void]
    }

    private(set) var span: Span
    private(set) var total: Total
    private(set) var energy: Result<EnergyEstimate, Unavailable>
    private(set) var sources: [Source]
    /// How many stretches were added up.
    private(set) var parts = 1

    init(
        span: Span, total: Total, energy: Result<EnergyEstimate, Unavailable>, sources: [Source]
    ) {
        self.span = span
        self.total = total
        self.energy = energy
        self.sources = sources
    }

    /// Adds the stretch that follows.
    ///
    /// A total is the sum over one set of sources: where the set differs between stretches there is none.
    mutating func append(_ next: WindowEnergy) {
        span = Span(begin: span.begin, end: next.span.end)
        parts += 1
        if next.total.includes == total.includes {
            energy = Self.sum(energy, next.energy)
        } else {
            energy = .failure(Unavailable("the sources of the total changed within the window"))
        }
        total = next.total
        for (index, later) in next.sources.enumerated() where index < sources.count {
            sources[index].energy = Self.sum(sources[index].energy, later.energy)
            sources[index].wraps += later.wraps
            sources[index].resets += later.resets
            sources[index].period = later.period
            if later.status != .ok || sources[index].status == .ok {
                sources[index].status = later.status
                sources[index].reason = later.reason
            }
            for void in later.voids where !sources[index].voids.contains(void) {
                sources[index].voids.append(void)
            }
        }
    }

    private static func sum(
        _ first: Result<EnergyEstimate, Unavailable>, _ second: Result<EnergyEstimate, Unavailable>
    ) -> Result<EnergyEstimate, Unavailable> {
        first.flatMap { first in second.map { EnergyEstimate.sum([first, $0]) } }
    }

    /// With figures; times of void intervals count from the window's begin.
    func reading(name: String) -> EnergyReading {
        let whole = figures(energy)
        return EnergyReading(
            name: name, seconds: span.seconds, total: total, joules: whole.joules, watts: whole.watts,
            sources: sources.map { source in
                let own = figures(source.energy)
                let summary = SourceSummary(
                    id: source.line.id, kind: .known(source.line.kind), scope: .known(source.line.scope),
                    status: source.status, reason: source.reason, updatePeriodSeconds: source.period,
                    wraps: source.wraps, resets: source.resets,
                    voidIntervals: source.voids.map { void in
                        SourceSummary.VoidInterval(
                            begin: (void.span.begin - span.begin).seconds.value,
                            end: (void.span.end - span.begin).seconds.value, reason: void.reason)
                    })
                return SourceReading(summary, joules: own.joules, watts: own.watts)
            })
    }

    /// Stretches are added up unjudged: the sum is judged here, by the share that no sum may be off by.
    private func figures(
        _ energy: Result<EnergyEstimate, Unavailable>
    ) -> (joules: Figure, watts: Figure) {
        switch energy {
        case .failure(let why): return (.unavailable(why), .unavailable(why))
        case .success(let sum):
            guard parts == 1 || sum.half <= EnergySource.uselessShare * sum.joules else {
                let why = "too uncertain: the source is too slow for the window"
                return (.unavailable(why), .unavailable(why))
            }
            return (sum.figure(), sum.figure(per: span.seconds))
        }
    }
}

extension EnergyLedger {
    /// The energy of one window.
    ///
    /// - Parameter judged: whether a sum too uncertain to tell the window from its surroundings is refused.
    func window(_ span: Span, judged: Bool) -> WindowEnergy {
        /// An event between two reads belongs to the window that holds its middle.
        func isInside(_ event: Span) -> Bool {
            let middle = event.begin + Nanoseconds(event.length.value / 2)
            return middle > span.begin && middle <= span.end
        }
        return WindowEnergy(
            span: span, total: total, energy: energy(over: [span], judged: judged),
            sources: sources.map { source in
                WindowEnergy.Source(
                    line: source.line, status: source.health.status,
                    reason: source.health.reason ?? source.problem,
                    period: source.periodFigure,
                    energy: source.energy(over: [span], judged: judged),
                    wraps: source.counter?.wraps.count(where: isInside) ?? 0,
                    resets: source.counter?.resetSpans.count(where: isInside) ?? 0,
                    voids: source.voids.filter { $0.span.begin <= span.end && $0.span.end >= span.begin })
            })
    }
}
