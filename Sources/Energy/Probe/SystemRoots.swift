/// Where sysfs and procfs are mounted (`--path.sysfs`, `--path.procfs`), as node_exporter has it: a container
/// sees the host's under another path.
public struct SystemRoots: Sendable, Hashable {
    public var sysfs: String
    public var procfs: String

    public init(sysfs: String = "/sys", procfs: String = "/proc") {
        self.sysfs = Self.withoutTrailingSlashes(sysfs)
        self.procfs = Self.withoutTrailingSlashes(procfs)
    }

    /// Libraries that have "/sys" compiled in see the same tree as we do only then.
    var sysfsIsTheSystems: Bool { sysfs == "/sys" }

    private static func withoutTrailingSlashes(_ path: String) -> String {
        var path = Substring(path)
        while path.count > 1, path.last == "/" { path.removeLast() }
        return String(path)
    }
}
