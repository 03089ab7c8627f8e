/// The number of threads llama-bench would take by default on a machine of equal cores.
enum UsableCores {
    /// Physical cores among the CPUs this process may run on; at least 1.
    ///
    /// Sources: Cpus_allowed_list of /proc/self/status (proc_pid_status(5)),
    /// /sys/devices/system/cpu/cpuN/topology/thread_siblings_list (Documentation/admin-guide/cputopology.rst).
    static func count() -> Int {
        let allowed = allowedCPUs()
        let cores = Set(
            allowed.map { cpu in
                SmallFile.text("/sys/devices/system/cpu/cpu\(cpu)/topology/thread_siblings_list")
                    ?? "\(cpu)\n"
            })
        return max(1, cores.count)
    }

    private static func allowedCPUs() -> [Int] {
        guard
            let line = (SmallFile.text("/proc/self/status") ?? "").split(separator: "\n")
                .first(where: { $0.hasPrefix("Cpus_allowed_list:") })
        else { return [] }
        return line.drop { $0 != "\t" }.dropFirst().split(separator: ",").flatMap { range -> [Int] in
            let ends = range.split(separator: "-").compactMap { Int($0) }
            guard let first = ends.first, let last = ends.last, first <= last else { return [] }
            return Array(first...last)
        }
    }
}
