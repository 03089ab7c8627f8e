import Analysis
import Glibc
import Synchronization
import Testing

@testable import Energy

/// A package whose counter goes on at a constant power, renewed every millisecond by a thread.
final class LiveCounter {
    let tree: TemporaryTree
    private let stopping: StopFlag
    private var thread = pthread_t()

    private final class StopFlag: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    private final class Work {
        let descriptor: Int32
        let watts: UInt64
        let flag: StopFlag
        let start = Clock.monotonic()
        init(descriptor: Int32, watts: UInt64, flag: StopFlag) {
            self.descriptor = descriptor
            self.watts = watts
            self.flag = flag
        }

        func run() {
            while !flag.isSet.load(ordering: .acquiring) {
                let joules = (Clock.monotonic() - start) * watts / 1000 + 1_000_000
                let digits = String(joules)
                // Sixteen digits in one write: a reader never sees a shorter file.
                let text = Array((String(repeating: "0", count: 16 - digits.count) + digits + "\n").utf8)
                _ = pwrite(descriptor, text, text.count, 0)
                usleep(1000)
            }
            close(descriptor)
        }
    }

    init(watts: UInt64) throws {
        tree = try TemporaryTree()
        stopping = StopFlag()
        let zone = "class/powercap/intel-rapl:0"
        try tree.write("package-0\n", to: "\(zone)/name")
        try tree.write("262143328850\n", to: "\(zone)/max_energy_range_uj")
        let path = try tree.write("0000000001000000\n", to: "\(zone)/energy_uj")
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        let work = Unmanaged.passRetained(Work(descriptor: descriptor, watts: watts, flag: stopping))
        let error = pthread_create(
            &thread, nil,
            { raw in
                guard let raw else { return nil }
                Unmanaged<Work>.fromOpaque(raw).takeRetainedValue().run()
                return nil
            }, work.toOpaque())
        try #require(error == 0)
    }

    deinit {
        stopping.isSet.store(true, ordering: .releasing)
        pthread_join(thread, nil)
    }

    func configuration(interval: Int64 = 10_000_000) -> EnergyMeter.Configuration {
        EnergyMeter.Configuration(
            roots: SystemRoots(sysfs: tree.root), power: .rapl, interval: Nanoseconds(interval))
    }
}
