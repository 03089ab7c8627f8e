import Analysis

/// The project's generator with the ranges that tests draw from.
struct EnergyRandom: RandomNumberGenerator {
    private var generator: SeededGenerator
    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }
    mutating func next() -> UInt64 { generator.next() }
    mutating func uniform(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * generator.unit()
    }
    mutating func integer(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &generator) }
    /// Even over the orders of magnitude.
    mutating func magnitude(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound * powed(range.upperBound / range.lowerBound, generator.unit())
    }
    /// base^exponent for 0...1 by repeated square roots, so that no math library is needed.
    private func powed(_ base: Double, _ exponent: Double) -> Double {
        var (result, root, left) = (1.0, base, exponent)
        for _ in 0..<30 {
            root = root.squareRoot()
            left *= 2
            if left >= 1 {
                result *= root
                left -= 1
            }
        }
        return result
    }
}

func moment(_ seconds: Double) -> Instant {
    Instant(nanoseconds: 1_000_000_000_000) + Nanoseconds(Seconds(seconds))
}

func span(_ begin: Double, _ end: Double) -> Span { Span(begin: moment(begin), end: moment(end)) }

/// Power that changes in steps, with its exact integral.
struct PowerCourse {
    private(set) var begins: [Double] = [0]
    private(set) var watts: [Double]
    private var energies: [Double] = [0]

    init(_ watts: Double) { self.watts = [watts] }

    mutating func change(at time: Double, to power: Double) {
        energies.append(
            energies[energies.count - 1] + watts[watts.count - 1] * (time - begins[begins.count - 1]))
        begins.append(time)
        watts.append(power)
    }

    /// Joules from 0 to `time`; before 0 the first power holds.
    func energy(_ time: Double) -> Double {
        var (low, high) = (0, begins.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if begins[middle] <= time { low = middle } else { high = middle }
        }
        return energies[low] + watts[low] * (time - begins[low])
    }

    func energy(over span: Span) -> Double {
        energy((span.end - moment(0)).seconds.value) - energy((span.begin - moment(0)).seconds.value)
    }

    func energy(over phase: PhaseSpans) -> Double { phase.spans.reduce(0) { $0 + energy(over: $1) } }
}

/// A counter of the kind found in hardware: renewed every `period`, in whole steps, wrapping after `range`.
struct SimulatedCounter {
    var course: PowerCourse
    var period: Double
    var phase = 0.0
    /// Each update is late by up to this share of the period.
    var jitter = 0.0
    /// Joules a step, and raw units a joule.
    var step = 1.0 / 16_384
    var unitsPerJoule = 1e6
    var range: Int64?
    var start: Double = 1000

    func value(at time: Double) -> Int64 {
        var update = ((time - phase) / period).rounded(.down)
        if updateTime(update) > time { update -= 1 }
        let updated = updateTime(update)
        let steps = ((start + course.energy(updated)) / step).rounded(.down)
        let raw = Int64((steps * step * unitsPerJoule).rounded(.down))
        guard let range else { return raw }
        return raw % (range + 1)
    }

    private func updateTime(_ number: Double) -> Double {
        let on = number * period + phase
        guard jitter > 0 else { return on }
        var random = SeededGenerator(seed: UInt64(bitPattern: Int64(number)))
        return on + random.unit() * jitter * period
    }

    func line(
        _ index: Int, id: String = "rapl:package-0", domain: String = "package", device: String = "package-0"
    )
        -> SourceLine
    {
        var line = SourceLine(
            index: index, id: id, kind: .counter, quantity: .energy, scale: 1 / unitsPerJoule,
            scope: SourceLine.Scope(domain: domain, device: device), interface: "powercap:intel-rapl",
            intervalNanoseconds: 100_000_000)
        line.range = range
        return line
    }
}

/// Ticks of a sampler: at an interval, and right after marks.
struct SimulatedSampler {
    var interval = 0.1
    /// How long a read takes, seconds.
    var width = 10e-6
    var offset = 0.0

    /// Times of reads, ascending, `width` x sources apart at least.
    func times(
        until end: Double, marks: [Double] = [], latency: Double = 60e-6, spacing: Double = 200e-6
    ) -> [Double] {
        var all: [Double] = []
        var tick = offset
        while tick <= end {
            all.append(tick)
            tick += interval
        }
        all += marks.map { $0 + latency }
        all.sort()
        var kept: [Double] = []
        for time in all where kept.last.map({ time - $0 >= spacing }) ?? true { kept.append(time) }
        return kept
    }

    /// Values as each counter shows them in the middle of its read.
    func samples(_ counters: [SimulatedCounter], at times: [Double]) -> [SampleLine] {
        times.map { time in
            var line = SampleLine(time: moment(time), sources: [], deltas: [], values: [])
            for (index, counter) in counters.enumerated() {
                line.sources.append(index)
                line.deltas.append(UInt32(width * 1e9))
                line.values.append(counter.value(at: time + width * (Double(index) + 0.5)))
            }
            return line
        }
    }
}

/// A run of alternating prefill and decode windows with its marks.
struct SimulatedRun {
    var marks: [MarkLine] = []
    var markTimes: [Double] = []
    var prefill = PhaseSpans(spans: [])
    var decode = PhaseSpans(spans: [])
    var cycles = PhaseSpans(spans: [])
    var course: PowerCourse
    var idleBefore: Span
    var idleAfter: Span
    var loadedIdle: Span
    var end: Double

    /// Idle, loaded idle, `count` cycles with lengths that vary by the given shares, idle.
    init(
        count: Int, prefill prefillSeconds: Double, decode decodeSeconds: Double, gap: Double = 0.002,
        vary: Double = 0.05, watts: (idle: Double, loaded: Double, prefill: Double, decode: Double),
        idleSeconds: Double = 15, random: inout EnergyRandom
    ) {
        course = PowerCourse(watts.idle)
        var time = 0.05
        func mark(_ name: MarkLine.Name, _ part: Part, _ cycle: Int? = nil, into run: inout [MarkLine]) {
            run.append(MarkLine(name, part: part, time: moment(time), cycle: cycle))
        }
        var marks: [MarkLine] = []
        mark(.begin, .idleBefore, into: &marks)
        let idleStart = time
        time += idleSeconds
        mark(.end, .idleBefore, into: &marks)
        idleBefore = span(idleStart, time)
        course.change(at: time, to: watts.loaded)
        mark(.begin, .loadedIdle, into: &marks)
        let loadedStart = time
        time += idleSeconds
        mark(.end, .loadedIdle, into: &marks)
        loadedIdle = span(loadedStart, time)
        mark(.begin, .sustained, into: &marks)
        for cycle in 0..<count {
            course.change(at: time, to: watts.prefill)
            mark(.submit, .sustained, cycle, into: &marks)
            let submit = time
            time += prefillSeconds * random.uniform(1 - vary...1 + vary)
            course.change(at: time, to: watts.decode)
            mark(.firstToken, .sustained, cycle, into: &marks)
            let first = time
            time += decodeSeconds * random.uniform(1 - vary...1 + vary)
            course.change(at: time, to: watts.loaded)
            mark(.lastToken, .sustained, cycle, into: &marks)
            prefill.spans.append(span(submit, first))
            decode.spans.append(span(first, time))
            cycles.spans.append(span(submit, time))
            time += gap
        }
        mark(.end, .sustained, into: &marks)
        course.change(at: time, to: watts.idle)
        time += 0.5
        mark(.begin, .idleAfter, into: &marks)
        let after = time
        time += idleSeconds
        mark(.end, .idleAfter, into: &marks)
        idleAfter = span(after, time)
        end = time + 0.05
        prefill.tokens = 128 * count
        decode.tokens = 255 * count
        cycles.tokens = 256 * count
        self.marks = marks
        markTimes = marks.map { ($0.time - moment(0)).seconds.value }
    }
}

extension Result where Failure == Unavailable {
    var reason: String? { if case .failure(let why) = self { why.reason } else { nil } }
}
