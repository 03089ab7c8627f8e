// Replays simulated runs and compares their figures with the truth; scripts/benches/coverage judges what it
// prints.
//
//     replay-runs SCENARIO FIRST COUNT
//
// SCENARIO is coverage, accuracy, locked or dithered; runs have the seeds FIRST, FIRST + 1, ... One line a
// run and figure, tabs between: figure, seed, truth, value, low, high; "-" for what is unavailable.
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

let arguments = CommandLine.arguments.dropFirst()
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
