import Analysis
import Energy
import Testing

/// The example of the README, as a program that imports the library would have it.
@Suite struct MeterExampleTests {
    @Test func theReadmesExampleWorks() throws {
        func prefill() {}
        func decode() {}

        let meter = try EnergyMeter()
        let request = meter.begin("request")
        let prefillReading = meter.measure("prefill") { prefill() }
        decode()
        meter.end(request)
        for reading in [prefillReading, meter.reading(of: request)] {
            switch reading.joules {
            case .value(let joules, _, let method): print(reading.name, joules, "J", method)
            case .unavailable(let why): print(reading.name, "unavailable:", why.reason)
            }
        }
        meter.finish()

        #expect(prefillReading.seconds <= meter.reading(of: request).seconds)
        // On a machine without counters there is a reason, never a 0.
        if meter.sources.isEmpty { #expect(prefillReading.joules.reason != nil) }
    }
}
