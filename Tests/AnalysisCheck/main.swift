// Tool of the benches: the analysis over traces that are made here, in a process of its own.
//
//     analysis-check throttle RUNS      what the sustained figures make of runs of known shape: a line a shape,
//                                       "NAME CYCLE_S INHERITANCE RUNS ONSETS HITS COVERED MEAN_RETAINED"
//     analysis-check trace SECONDS DOMAINS TOKENS FILE
//                                       writes a trace with a counter a domain at 10 Hz and so many tokens
import Analysis
import Glibc
import SyntheticTraces

func throttle(runs: Int) {
    for (cycle, inheritance) in [(1.0, 0.0), (3, 0), (12, 0), (3, 0.5)] {
        for shape in [ThrottleReplays.Shape.steady, .step, .slide] {
            let found = ThrottleReplays(shape, runs: runs, cycle: cycle, inheritance: inheritance)
            print(
                shape.name, cycle, inheritance, found.runs, found.onsets, found.hits, found.covered,
                found.meanRetained)
        }
    }
}

let words = CommandLine.arguments.dropFirst()
if words.count == 2, words.first == "throttle", let runs = Int(words[2]) {
    throttle(runs: runs)
} else {
    print("usage: analysis-check throttle RUNS")
    exit(2)
}
