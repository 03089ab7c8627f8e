// Replays simulated runs and sessions and compares their figures with the truth; scripts/benches/coverage and
// compare judge what it prints.
//
//     replay-runs SCENARIO FIRST COUNT
//
// SCENARIO is coverage, accuracy, locked, dithered, short or slow; runs have the seeds FIRST, FIRST + 1, ... One line a
// run and figure, tabs between: figure, seed, truth, value, low, high; "-" for what is unavailable.
//
//     replay-runs compare-PERCENT FIRST COUNT
//
// Sessions of eight quads whose variant takes PERCENT % more energy at the same speed; the columns are those above,
// the value is variant / reference, and the verdict follows.
import Analysis
import Glibc
import Replay

func row(_ name: String, _ seed: UInt64, _ figure: Figure, truth: Double) -> String {
    var columns = [name, String(seed), String(truth)]
    if case .value(let value, let interval, _) = figure {
        columns.append(String(value))
        if case .bounds(let low, let high) = interval {
            columns += [String(low), String(high)]
        } else {
            columns += ["-", "-"]
        }
    } else {
        columns += ["-", "-", "-"]
    }
    return columns.joined(separator: "\t")
}

/// Energy and speed of one session, with the verdicts.
func compare(percent: Double, seed: UInt64) {
    let ratio = 1 + percent / 100
    let plan = SimulatedSession.Plan([.init("a"), .init("b", energy: ratio)])
    let session = SessionDocument(SimulatedSession(plan, seed: seed).trace)
    for (metric, truth) in [(ComparedMetric.decodeEnergy, ratio), (.decodeRate, 1)] {
        let found = session.comparisons.first?.effects[metric.rawValue]
        let effect = found?.value
        let figure = effect?.ratio ?? .unavailable(found?.reason ?? "no comparison")
        print(row(metric.rawValue, seed, figure, truth: truth) + "\t" + (effect?.verdict ?? "unavailable"))
    }
}

let arguments = CommandLine.arguments.dropFirst()
if arguments.count == 3, let name = arguments.first, name.hasPrefix("compare-"),
    let percent = Double(name.dropFirst("compare-".count)),
    let first = arguments.dropFirst().first.flatMap({ UInt64($0) }),
    let count = arguments.last.flatMap({ UInt64($0) })
{
    for seed in first..<first + count { compare(percent: percent, seed: seed) }
    exit(0)
}
guard arguments.count == 3, let scenario = arguments.first.flatMap(Scenario.named),
    let first = arguments.dropFirst().first.flatMap({ UInt64($0) }),
    let count = arguments.last.flatMap({ UInt64($0) })
else {
    let usage = "usage: replay-runs \(Scenario.names.joined(separator: "|")) FIRST COUNT\n"
    usage.withCString { text in _ = write(STDERR_FILENO, text, strlen(text)) }
    exit(2)
}
for seed in first..<first + count {
    for figure in Replays.figures(scenario, seed: seed) {
        print(row(figure.name, seed, figure.figure, truth: figure.truth))
    }
}
