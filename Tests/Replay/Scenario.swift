/// A simulated machine and workload whose truth is known.
public struct Scenario: Sendable {
    /// Seconds of the phases of a cycle.
    public var prefill = 0.25
    public var decode = 1.75
    public var gap = 0.004
    /// How far lengths of phases vary, as a share: standard deviation.
    public var lengthNoise = 0.01
    /// Seconds of the sustained part.
    public var seconds = 120.0
    public var idleSeconds = 15.0

    public var idleWatts = 20.0
    public var loadedWatts = 30.0
    public var prefillWatts = 140.0
    public var decodeWatts = 90.0

    /// Standard deviation of a cycle's power, as a share, and the correlation of neighbours.
    public var cycleNoise = 0.0
    public var cycleCorrelation = 0.4
    /// By how much of itself the working power rises from begin to end of the sustained part.
    public var drift = 0.0
    /// Standard deviation of the idle power's 0.1 s steps, as a share, and the correlation of neighbours.
    public var idleNoise = 0.0
    public var idleCorrelation = 0.5
    /// Standard deviation, as a share, of the idle power from run to run, and of its change at a random
    /// moment within a run.
    public var idleOffset = 0.0

    /// The counter: seconds between updates, lateness of each as a share of it, lag, reads.
    public var period = 0.1
    public var jitter = 0.02
    public var lag = 0.05
    public var poll = 0.01
    /// Whether the gap between cycles is dithered where `CycleDither` asks for it.
    public var dithers = false

    public static let promptTokens = 128
    public static let generatedTokens = 256

    public init() {}

    /// 500 replays of it are what coverage is tested on: 5 % AR(1) noise of cycles, drift, lag, idle offset.
    public static var coverage: Scenario {
        var scenario = Scenario()
        scenario.cycleNoise = 0.05
        scenario.drift = 0.02
        scenario.idleNoise = 0.05
        scenario.idleOffset = 0.03
        return scenario
    }

    /// Even power, so that what the fit itself errs by is seen.
    public static var accuracy: Scenario {
        var scenario = Scenario()
        scenario.idleNoise = 0.05
        return scenario
    }

    /// A cycle of 1.000 s on a counter that is renewed every second: every step holds the same.
    public static var locked: Scenario {
        var scenario = Scenario()
        scenario.decode = 0.75
        scenario.gap = 0
        scenario.lengthNoise = 0
        scenario.period = 1
        scenario.jitter = 0.001
        scenario.poll = 0.01
        scenario.idleSeconds = 25
        return scenario
    }

    /// The same with the gap between cycles varied.
    public static var dithered: Scenario {
        var scenario = Scenario.locked
        scenario.dithers = true
        return scenario
    }

    /// A board whose counter may be read every 50 ms only, in step with its renewals every 100 ms: prefills of 46 ms in
    /// cycles of 0.8 s, as of an 8B model there.
    public static var short: Scenario {
        var scenario = Scenario()
        scenario.prefill = 0.046
        scenario.decode = 0.75
        scenario.gap = 0.001
        scenario.cycleNoise = 0.01
        scenario.idleNoise = 0.05
        scenario.jitter = 0.005
        scenario.lag = 0.02
        scenario.poll = 0.05
        return scenario
    }

    /// A meter that is renewed every second and read ten times as often: prefills of 0.25 s out of step with it.
    public static var slow: Scenario {
        var scenario = Scenario()
        scenario.decode = 1.1
        scenario.lengthNoise = 0.03
        scenario.cycleNoise = 0.01
        scenario.idleNoise = 0.05
        scenario.idleSeconds = 25
        scenario.period = 1
        scenario.jitter = 0.005
        scenario.poll = 0.1
        return scenario
    }

    public static let names = ["coverage", "accuracy", "locked", "dithered", "short", "slow"]

    public static func named(_ name: String) -> Scenario? {
        switch name {
        case "coverage": coverage
        case "accuracy": accuracy
        case "locked": locked
        case "dithered": dithered
        case "short": short
        case "slow": slow
        default: nil
        }
    }
}
