import Analysis
import Glibc
import Testing

@testable import Energy

private func call(
    _ id: String,
    _ function: @escaping @convention(c) (UnsafeRawPointer?, Int32, UnsafeMutablePointer<Int64>?) -> Int32,
    item: Int32 = 0
) -> LiveSource {
    LiveSource(
        SourceLine(
            id: id, kind: .gauge, quantity: .power, scale: 1e-6, domain: "rail", device: id, interface: "test"
        ),
        call: DeviceCall(function: function, device: nil, item: item))
}

private let hour = Nanoseconds(3_600_000_000_000)

/// Waits for the first ticks; 20 s are the end of patience, not a statement about speed.
private func ticks(of sampler: Sampler, atLeast count: Int) -> [SampleLine] {
    var lines: [SampleLine] = []
    let deadline = Clock.monotonic() + 20_000_000_000
    while lines.count < count, Clock.monotonic() < deadline {
        usleep(1000)
        sampler.drain { lines.append($0) }
    }
    return lines
}

/// Sources that are read by a call of a library instead of a file.
@Suite struct SamplerCallTests {
    @Test func callsGiveValuesAndErrors() throws {
        let sampler = try Sampler(interval: hour)
        _ = try sampler.add([
            call(
                "item",
                { _, item, value in
                    value?.pointee = Int64(item) * 10
                    return 0
                }, item: 7),
            call("fails", { _, _, _ in ENODEV }),
            call(
                "again",
                { _, _, value in
                    value?.pointee = -1
                    return 0
                }),
        ])
        try sampler.start()
        let samples = ticks(of: sampler, atLeast: 1)
        _ = sampler.stop()
        #expect(samples.first?.values == [70, nil, -1])
        #expect(samples.first?.errors == [1: ENODEV])
    }

    /// A device that does not answer must not hold up the end of a run.
    @Test func aStalledDeviceDoesNotStopTheStop() throws {
        let sampler = try Sampler(interval: hour)
        _ = try sampler.add([
            call(
                "stalls",
                { _, _, _ in
                    usleep(3_000_000)
                    return 0
                })
        ])
        try sampler.start()
        usleep(100_000)
        let cost = sampler.stop(patience: Nanoseconds(1_000_000))
        #expect(cost.isStalled)
        #expect(cost.overhead.ticks == 0)
    }

    /// Deltas have 32 bits: a read that takes longer has no bracket, and the next one a tick of its own.
    @Test func aReadBeyondTheDeltasIsAFailure() throws {
        let sampler = try Sampler(interval: hour)
        _ = try sampler.add([
            call(
                "before",
                { _, _, value in
                    value?.pointee = 1
                    return 0
                }),
            call(
                "slow",
                { _, _, value in
                    usleep(4_400_000)
                    value?.pointee = 2
                    return 0
                }),
            call(
                "after",
                { _, _, value in
                    value?.pointee = 3
                    return 0
                }),
        ])
        try sampler.start()
        let samples = ticks(of: sampler, atLeast: 2)
        _ = sampler.stop()
        #expect(samples.map(\.sources) == [[0, 1], [2]])
        #expect(samples.map(\.values) == [[1, nil], [3]])
        #expect(samples.first?.errors == [1: ETIMEDOUT])
        #expect(samples.first?.deltas.last == UInt32.max)
        let times = samples.map(\.time.nanoseconds)
        #expect(times.count == 2 && times[1] - times[0] >= 4_400_000_000)
    }
}
