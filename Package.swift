// swift-tools-version: 6.2
import PackageDescription

// The commit and the llama.cpp version are facts of the build, not of the sources: the scripts pass them
// through the environment, because SwiftPM re-evaluates a manifest when an environment variable it reads
// changes, and caches everything else.
let commit = Context.environment["SUSTAIN_COMMIT"] ?? "unknown"
let llamaVersion = Context.environment["SUSTAIN_LLAMA_VERSION"] ?? ""

let swift: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let c: [CSetting] = [.treatAllWarnings(as: .error), .define("_GNU_SOURCE")]

let package = Package(
    name: "sustain",
    products: [
        .library(name: "Energy", targets: ["Energy", "Analysis"]),
        .executable(name: "sustain", targets: ["sustain"]),
        .executable(name: "sustain-llama", targets: ["sustain-llama"]),
    ],
    traits: [
        .trait(name: "Llama", description: "Build the llama.cpp worker against an installed libllama."),
        .trait(name: "Simulator", description: "Build the simulated machine of the tests with libfuse3."),
    ],
    targets: [
        // C: one module per kind of system interface, no policy in either.
        .target(name: "CPower", cSettings: c),
        .target(
            name: "CHost",
            cSettings: c + [
                .define("SUSTAIN_COMMIT", to: "\"\(commit)\""),
                .define("SUSTAIN_LLAMA_VERSION", to: "\"\(llamaVersion)\""),
            ]),
        .systemLibrary(name: "CLlama", pkgConfig: "llama"),

        // Swift: data flows sources -> sampler -> trace -> windows -> metrics -> record -> report.
        .target(name: "WorkerProtocol", swiftSettings: swift),
        .target(name: "Analysis", swiftSettings: swift),
        .target(name: "Energy", dependencies: ["CPower", "Analysis"], swiftSettings: swift),
        .target(
            name: "Engines", dependencies: ["WorkerProtocol", "CHost", "Analysis"], swiftSettings: swift),
        .target(
            name: "Session", dependencies: ["Energy", "Engines", "WorkerProtocol", "CHost", "Analysis"],
            swiftSettings: swift),
        .target(name: "Reports", dependencies: ["Analysis"], swiftSettings: swift),

        // Programs.
        .executableTarget(
            name: "sustain", dependencies: ["Session", "Reports", "Analysis"], swiftSettings: swift),
        .executableTarget(
            name: "sustain-llama",
            dependencies: [
                "WorkerProtocol", "CHost",
                .target(name: "CLlama", condition: .when(traits: ["Llama"])),
            ],
            swiftSettings: swift),

        // Tests. None depends on a worker or on CLlama: the whole bundle would link libllama.
        .executableTarget(
            name: "scripted-engine", dependencies: ["WorkerProtocol", "CHost"],
            path: "Tests/ScriptedEngine", exclude: ["README.md"], swiftSettings: swift),
        .executableTarget(
            name: "power-tree", dependencies: ["CHost"], path: "Tests/PowerTree", swiftSettings: swift),
        .executableTarget(
            name: "energy-check", dependencies: ["Energy", "Engines"], path: "Tests/EnergyCheck",
            swiftSettings: swift),
        .target(
            name: "SyntheticTraces", dependencies: ["Analysis"], path: "Tests/SyntheticTraces",
            swiftSettings: swift),
        .executableTarget(
            name: "analysis-check", dependencies: ["SyntheticTraces", "Analysis"],
            path: "Tests/AnalysisCheck", swiftSettings: swift),
        .target(
            name: "FakeNvml", path: "Tests/FakeNvml",
            exclude: ["README.md", "fake_nvml.c", "fake_processes.h", "fake_state.h"], swiftSettings: swift),
        .executableTarget(
            name: "simulator", path: "Tests/Simulator", exclude: ["README.md", "Scenarios"],
            cSettings: c + [
                .define("_FILE_OFFSET_BITS", to: "64"),
                .define("SIMULATOR_FUSE", .when(traits: ["Simulator"])),
            ],
            linkerSettings: [
                .linkedLibrary("m"), .linkedLibrary("fuse3", .when(traits: ["Simulator"])),
            ]),
        .target(name: "Replay", dependencies: ["Analysis"], path: "Tests/Replay", swiftSettings: swift),
        .executableTarget(
            name: "replay-runs", dependencies: ["Replay", "Analysis"], path: "Tests/ReplayRuns",
            swiftSettings: swift),
        .testTarget(name: "WorkerProtocolTests", dependencies: ["WorkerProtocol"], swiftSettings: swift),
        .testTarget(
            name: "AnalysisTests", dependencies: ["Analysis", "SyntheticTraces", "Replay"],
            swiftSettings: swift),
        .testTarget(name: "EnergyTests", dependencies: ["Energy", "FakeNvml"], swiftSettings: swift),
        .testTarget(name: "EnginesTests", dependencies: ["Engines"], swiftSettings: swift),
        .testTarget(
            name: "SessionTests", dependencies: ["Session", "Energy", "CHost", "TestSupport", "FakeNvml"],
            swiftSettings: swift),
        .testTarget(name: "ReportsTests", dependencies: ["Reports", "Replay"], swiftSettings: swift),
        .target(
            name: "TestSupport", dependencies: ["Analysis"], path: "Tests/TestSupport", swiftSettings: swift),
        .testTarget(
            name: "CommandLineTests", dependencies: ["sustain", "Reports", "TestSupport", "FakeNvml"],
            swiftSettings: swift),
        .testTarget(name: "MachineTests", dependencies: ["Analysis", "TestSupport"], swiftSettings: swift),
        .testTarget(name: "SimulatorTests", swiftSettings: swift),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu11
)
