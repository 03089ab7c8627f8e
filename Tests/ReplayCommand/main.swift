import Replay

// TEMP
import Analysis
let name = CommandLine.arguments[1]
let count = UInt64(CommandLine.arguments[2])!
var scenario: Scenario
switch name {
case "coverage": scenario = .coverage
case "accuracy": scenario = .accuracy
case "locked": scenario = .locked
default: scenario = .locked; scenario.dithers = true
}
for argument in CommandLine.arguments.dropFirst(3) {
    let parts = argument.split(separator: "=")
    let value = Double(parts[1])!
    switch parts[0] {
    case "phi": scenario.cycleCorrelation = value
    case "noise": scenario.cycleNoise = value
    case "drift": scenario.drift = value
    case "decode": scenario.decode = value
    case "prefill": scenario.prefill = value
    case "gap": scenario.gap = value
    case "lag": scenario.lag = value
    case "poll": scenario.poll = value
    case "period": scenario.period = value
    case "length": scenario.lengthNoise = value
    case "seconds": scenario.seconds = value
    case "offset": scenario.idleOffset = value
    case "idle": scenario.idleNoise = value
    default: break
    }
}
let one = Analyze.record(from: SimulatedTrace(scenario, seed: 0).trace).metrics
print(one.decode.gross.joulesPerToken, one.prefill.net.joulesPerToken, one.cycle.gross.joulesPerToken)
let replays = Replays(scenario, seeds: 0..<count)
for (name, tally) in [("decode", replays.decode), ("prefill", replays.prefill), ("decode net", replays.decodeNet), ("prefill net", replays.prefillNet)] {
    print(name, "n", tally.ratios.count, "mean", tally.mean, "worst", tally.worst, "held", tally.held, "/", tally.withInterval, "width", tally.meanWidth, "empirical", tally.empiricalRange, "ratio", tally.meanWidth / tally.empiricalRange, tally.refusals.first ?? "")
}
