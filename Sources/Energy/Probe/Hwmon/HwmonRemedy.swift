import Analysis
import Glibc

/// What makes sensors of power readable, as exact commands.
enum HwmonRemedy {
    /// Where no chip tells power: its driver is not loaded, or there is none.
    static let driver =
        "on hardware: sudo sensors-detect --auto, and sudo modprobe the drivers it names (boards: amdgpu, xe, "
        + "ina2xx, acpi_power_meter); a virtual machine has no such sensor"

    /// libsensors has /sys compiled in.
    static let root =
        "leave --path.sysfs out where /sys is this machine's; in a container: mount the host's tree there "
        + "(docker run -v /sys:/sys:ro ...)"

    /// Some drivers let root alone read energy (amd_energy since Linux 5.8).
    static func permission(_ failure: Failure) -> String? {
        guard failure.errno == EACCES || failure.errno == EPERM else { return nil }
        return "sudo chmod a+r \(PerfRemedy.shellWord(failure.thing))   (until the next boot)"
    }
}
