import Glibc

/// What makes energy counters of the powercap class readable, as exact commands.
enum PowercapRemedy {
    /// `energy_uj` is readable by root alone since kernel 5.10 (CVE-2020-8694). On the system's own tree a rule
    /// of udev(7) opens it at each boot; elsewhere the mode is the owner's to change.
    static func permission(root: String, isSystems: Bool) -> String {
        let now = "sudo chmod a+r \(root)/*/energy_uj"
        guard isSystems else { return now + "   (until the next boot)" }
        return "\(now)   (until the next boot); for good: echo 'SUBSYSTEM==\"powercap\", KERNEL==\"*:*\", "
            + "ACTION==\"add\", RUN+=\"/bin/chmod a+r %S%p/energy_uj\"' | sudo tee "
            + "/etc/udev/rules.d/90-energy.rules && sudo udevadm control --reload && sudo udevadm trigger -c add "
            + "-s powercap"
    }

    /// Where no zone is seen: a container is shown none, a processor's need a driver.
    static var driver: String {
        let driver = "on hardware: sudo modprobe intel_rapl_msr; a virtual machine has no energy counter"
        guard isInContainer else { return driver }
        return driver
            + "; in this container: mount the host's tree (docker run -v /sys:/host/sys:ro ...) and "
            + "give --path.sysfs /host/sys"
    }

    /// The marks that Docker and Podman leave.
    private static var isInContainer: Bool {
        access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0
    }
}
