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

func write(_ trace: LongTrace, to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw Failure(thing: path, cause: "cannot be written", errno: errno) }
    defer { close(file) }
    try trace.write { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Failure(thing: path, cause: "cannot be written", errno: errno) }
            rest = rest.dropFirst(count)
        }
    }
}

let words = CommandLine.arguments.dropFirst()
if words.count == 2, words.first == "throttle", let runs = Int(words[2]) {
    throttle(runs: runs)
} else if words.count == 5, words.first == "trace", let seconds = Int(words[2]),
    let domains = Int(words[3]), let tokens = Int(words[4])
{
    var trace = LongTrace()
    (trace.seconds, trace.domains, trace.tokens) = (seconds, domains, tokens)
    try write(trace, to: words[5])
} else {
    print("usage: analysis-check throttle RUNS | trace SECONDS DOMAINS TOKENS FILE")
    exit(2)
}
