import Analysis
import FakeNvml
import Testing

@testable import Energy

/// A probe of NVML alone, on a library and a tree of one test.
struct NvmlProbe {
    let tree: TemporaryTree

    init() throws { tree = try TemporaryTree() }

    func fake(_ state: String, without missing: [String] = []) throws -> FakeNvml {
        try FakeNvml(in: tree.root, state: state, without: missing)
    }

    func run(_ fake: FakeNvml) -> ProbeResult {
        let roots = SystemRoots(sysfs: tree.path("sys"), procfs: tree.path("proc"), nvml: fake.path)
        return Probe.run(roots: roots, power: .nvml)
    }

    func row(_ result: ProbeResult, _ id: String) -> CapabilitiesLine.Row? {
        result.rows.first { $0.id == id }
    }

    func line(_ result: ProbeResult, _ id: String) -> SourceLine? {
        result.sources.first { $0.line.id == id }?.line
    }

    func total(_ result: ProbeResult) -> Total {
        let lines = result.sources.enumerated().map { index, source in
            var line = source.line
            line.index = index
            return line
        }
        return TotalScope(sources: lines).total
    }
}
