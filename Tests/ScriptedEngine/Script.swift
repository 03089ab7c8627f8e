import FoundationEssentials
import Glibc
import WorkerProtocol

/// What the engine does and how long it takes. All lengths are nanoseconds; README.md explains each key.
struct Script: Decodable {
    var seed: UInt64 = 0
    var startNanoseconds: UInt64 = 0
    var hello = HelloPart()
    var vocabularyTokens: UInt32 = 32_000
    var load = LoadPart()
    var prefill = PrefillPart()
    var decode = DecodePart()
    var score = ScorePart()
    var gapNanoseconds: UInt64 = 0
    var unloadNanoseconds: UInt64 = 20_000_000
    var phases: [String: String] = [:]
    var phaseAppend = false
    var memory: [String: [String: UInt64]] = [:]
    var faults: [Fault] = []

    /// The lines of the phase file that may be given.
    static let phaseNames: Set<String> = ["load", "loaded", "prefill", "decode", "gap", "idle", "unload"]

    enum CodingKeys: String, CodingKey, CaseIterable {
        case seed, hello, load, prefill, decode, score, phases, memory, faults
        case startNanoseconds = "start_ns"
        case vocabularyTokens = "vocabulary_tokens"
        case gapNanoseconds = "gap_ns"
        case unloadNanoseconds = "unload_ns"
        case phaseAppend = "phase_append"
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try Values<CodingKeys>(decoder)
        try values.read(.seed, into: &seed)
        try values.read(.startNanoseconds, into: &startNanoseconds)
        try values.read(.hello, into: &hello)
        try values.read(.vocabularyTokens, into: &vocabularyTokens)
        try values.read(.load, into: &load)
        try values.read(.prefill, into: &prefill)
        try values.read(.decode, into: &decode)
        try values.read(.score, into: &score)
        try values.read(.gapNanoseconds, into: &gapNanoseconds)
        try values.read(.unloadNanoseconds, into: &unloadNanoseconds)
        try values.read(.phases, into: &phases)
        try values.read(.phaseAppend, into: &phaseAppend)
        try values.read(.memory, into: &memory)
        try values.read(.faults, into: &faults)
        if let unknown = phases.keys.first(where: { !Self.phaseNames.contains($0) }) {
            throw ScriptError(description: "unknown phase \"\(unknown)\"")
        }
    }

    /// - Parameter path: nil for the script that is all defaults.
    static func read(path: String?) throws -> Script {
        guard let path else { return Script() }
        guard let file = fopen(path, "r") else {
            throw ScriptError(description: "cannot open \(path): errno \(errno)")
        }
        defer { fclose(file) }
        var text = Data()
        var chunk = [UInt8](repeating: 0, count: 4096)
        while case let got = fread(&chunk, 1, chunk.count, file), got > 0 {
            text.append(contentsOf: chunk[..<got])
        }
        do {
            return try JSONDecoder().decode(Script.self, from: text)
        } catch {
            throw ScriptError(description: "\(path): \(error)")
        }
    }
}

/// What the hello says; everything may be wrong on purpose.
struct HelloPart: Decodable {
    var `protocol` = Hello.currentProtocol
    var clock = "CLOCK_MONOTONIC"
    var engine = "scripted"
    var version = "1"
    var build: String?
    var buildType: String?
    var libraries: [String] = []
    /// nil for the engine's own process.
    var pids: [Int32]?
    var location = Hello.Location.local
    var countsTokens = true

    enum CodingKeys: String, CodingKey, CaseIterable {
        case `protocol`, clock, engine, version, build, libraries, pids, location
        case buildType = "build_type"
        case countsTokens = "counts_tokens"
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try Values<CodingKeys>(decoder)
        try values.read(.protocol, into: &`protocol`)
        try values.read(.clock, into: &clock)
        try values.read(.engine, into: &engine)
        try values.read(.version, into: &version)
        try values.read(.build, into: &build)
        try values.read(.buildType, into: &buildType)
        try values.read(.libraries, into: &libraries)
        try values.read(.pids, into: &pids)
        try values.read(.location, into: &location)
        try values.read(.countsTokens, into: &countsTokens)
    }

    var message: Hello {
        var hello = Hello(
            engine: engine, version: version, build: build, buildType: buildType, libraries: libraries,
            pids: pids ?? [getpid()], location: location, countsTokens: countsTokens)
        hello.protocol = `protocol`
        hello.clock = clock
        return hello
    }
}

/// Loading: the first load of a process is the cold one.
struct LoadPart: Decodable {
    var coldNanoseconds: UInt64 = 100_000_000
    var warmNanoseconds: UInt64 = 50_000_000
    var allocateMegabytes = 0
    var description = "scripted model"
    var parameters: UInt64?
    var sizeBytes: UInt64?
    var backends = ["scripted"]
    var devices: [Loaded.Device] = []

    enum CodingKeys: String, CodingKey, CaseIterable {
        case description, parameters, backends, devices
        case coldNanoseconds = "cold_ns"
        case warmNanoseconds = "warm_ns"
        case allocateMegabytes = "allocate_mb"
        case sizeBytes = "size_bytes"
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try Values<CodingKeys>(decoder)
        try values.read(.coldNanoseconds, into: &coldNanoseconds)
        try values.read(.warmNanoseconds, into: &warmNanoseconds)
        try values.read(.allocateMegabytes, into: &allocateMegabytes)
        try values.read(.description, into: &description)
        try values.read(.parameters, into: &parameters)
        try values.read(.sizeBytes, into: &sizeBytes)
        try values.read(.backends, into: &backends)
        try values.read(.devices, into: &devices)
    }
}

struct ScriptError: Error, CustomStringConvertible {
    let description: String
}

/// A JSON object all of whose keys are optional and none of whose keys may be unknown: a misspelt key in a
/// test's script must not quietly mean the default.
struct Values<Key: CodingKey & CaseIterable> {
    private let container: KeyedDecodingContainer<Key>

    private struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(_ decoder: any Decoder) throws {
        container = try decoder.container(keyedBy: Key.self)
        let known = Set(Key.allCases.map(\.stringValue))
        for key in try decoder.container(keyedBy: AnyKey.self).allKeys where !known.contains(key.stringValue)
        {
            throw ScriptError(description: "unknown key \"\(key.stringValue)\"")
        }
    }

    func read<Value: Decodable>(_ key: Key, into value: inout Value) throws {
        if let given = try container.decodeIfPresent(Value.self, forKey: key) { value = given }
    }

    func read<Value: Decodable>(_ key: Key, into value: inout Value?) throws {
        value = try container.decodeIfPresent(Value.self, forKey: key) ?? value
    }
}
