import Analysis

/// The throttle bits of a Raspberry Pi's firmware (drivers/firmware/raspberrypi.c; bits as `vcgencmd
/// get_throttled` documents them): 0 under-voltage, 1 frequency capped, 2 throttled, 3 soft temperature limit,
/// and 16 to 19 the same since the boot.
struct RaspberryPi {
    private let path: String

    init(_ roots: SystemRoots) {
        path = "\(roots.sysfs)/devices/platform/soc/soc:firmware/get_throttled"
    }

    /// Most machines are none: without the file there is no row.
    func find(into findings: inout Findings) {
        do {
            findings.add(
                LiveSource(
                    SourceLine(
                        id: "throttle:firmware", kind: .gauge, quantity: .state, scale: 1, domain: "system",
                        device: "firmware", interface: "raspberrypi:get_throttled"),
                    file: try SourceFile.open(path), field: .hexadecimal, interval: contextInterval))
        } catch {
            if !error.isAbsence { findings.note("throttle:firmware", failure: error) }
        }
    }
}
