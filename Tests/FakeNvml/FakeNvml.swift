import Glibc

/// A library of the tests' own in the place of NVIDIA's: README.md tells what its state file may hold.
public final class FakeNvml {
    /// For `SystemRoots.nvml` or `SUSTAIN_NVML`.
    public let path: String

    /// Whether there is a C compiler to make it with.
    public static let canBeMade = system("cc --version >/dev/null 2>&1") == 0

    /// Compiles the library into a directory, under a name of its own: dlopen(3) gives one library a file.
    ///
    /// - Parameters:
    ///   - directory: lives as long as the test.
    ///   - missing: functions that the library shall not have.
    public init(in directory: String, state: String, without missing: [String] = []) throws {
        path = "\(directory)/libnvidia-ml.so.1"
        let source = #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/fake_nvml.c"
        let hidden = missing.map { " -D\($0)=hidden_\($0)" }.joined()
        let command =
            "cc -std=gnu11 -D_GNU_SOURCE -O1 -shared -fPIC\(hidden) '\(source)' -o '\(path)'"
        guard system(command) == 0 else { throw FakeNvmlFailure(text: command) }
        try set(state)
    }

    /// Replaces the state in one step: a call sees the old one or the new one.
    public func set(_ state: String) throws {
        let target = path + ".state"
        let written = target + ".new"
        guard let file = fopen(written, "w") else { throw FakeNvmlFailure(text: written) }
        let isWhole = fputs(state + "\n", file) >= 0
        guard fclose(file) == 0, isWhole, rename(written, target) == 0 else {
            throw FakeNvmlFailure(text: target)
        }
    }

    /// A state of boards like an H200, with an energy counter each.
    public static func boards(_ watts: [Double], more: String = "") -> String {
        var lines = ["count \(watts.count)", "driver 580.95.05"]
        for (index, power) in watts.enumerated() {
            let facts = [
                "name NVIDIA H200", "uuid GPU-0000000\(index)", "pci 00000000:\(index + 1)A:00.0",
                "vbios 96.00.AA", "watts \(power)", "temperature \(40 + index)", "clock_sm 1980",
                "clock_memory 3201", "reasons 4", "memory 4519034880", "limit_mw 700000",
                "default_limit_mw 700000", "mig 0", "capability 90",
            ]
            lines += facts.map { "device \(index) \($0)" }
        }
        return (lines + [more]).joined(separator: "\n")
    }
}

/// The library or its state could not be made: a defect of the test or the machine, never a pass.
public struct FakeNvmlFailure: Error { public let text: String }
