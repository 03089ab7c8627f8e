/// The charts of `sustain report -o svg --chart NAME`; a page has all of them.
public enum ChartName: String, Sendable, CaseIterable {
    case pareto, rate, power, energy, temperature, clock, memory, latency
}
