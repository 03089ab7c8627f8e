import CPower

/// Where the system's interfaces are found: sysfs and procfs (`--path.sysfs`, `--path.procfs`), as
/// node_exporter has it, since a container sees the host's under another path; and NVIDIA's library.
public struct SystemRoots: Sendable, Hashable {
    /// The library's name for dlopen(3).
    public static let nvmlName = "libnvidia-ml.so.1"

    public var sysfs: String
    public var procfs: String
    /// NVIDIA's management library: a path, or a name that dlopen(3) searches.
    public var nvml: String

    public init(sysfs: String = "/sys", procfs: String = "/proc", nvml: String = nvmlName) {
        self.sysfs = Self.withoutTrailingSlashes(sysfs)
        self.procfs = Self.withoutTrailingSlashes(procfs)
        self.nvml = nvml
    }

    /// The library that the environment variable `SUSTAIN_NVML` names, else the system's: for programs, which
    /// pass it to `init`. A program that runs with privileges of its own does not look at the variable.
    public static var nvmlOfEnvironment: String {
        guard let value = cpower_secure_environment("SUSTAIN_NVML") else { return nvmlName }
        let path = String(cString: value)
        return path.isEmpty ? nvmlName : path
    }

    /// Libraries that have "/sys" compiled in see the same tree as we do only then.
    var sysfsIsTheSystems: Bool { sysfs == "/sys" }

    private static func withoutTrailingSlashes(_ path: String) -> String {
        var path = Substring(path)
        while path.count > 1, path.last == "/" { path.removeLast() }
        return String(path)
    }
}
