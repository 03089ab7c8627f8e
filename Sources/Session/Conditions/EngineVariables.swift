import Analysis

/// Variables of the engine's environment that change how fast it runs, as they are in force: after `--env`.
public enum EngineVariables {
    private static let prefixes = [
        "OMP_", "GOMP_", "KMP_", "GGML_", "LLAMA_", "CUDA_", "MALLOC_", "GLIBC_TUNABLES", "LD_",
        "SUSTAIN_NVML",
    ]
    /// Words in the name of a variable whose value is nobody's business: llama.cpp takes LLAMA_API_KEY.
    private static let secrets = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"]
    private static let most = 100

    /// For the identity of a run: "env:OMP_NUM_THREADS" and the value.
    /// - Parameter environment: the engine's, as `KEY=VALUE`.
    static func identity(_ environment: [String]) -> [String: Maybe<String>] {
        var found: [String: Maybe<String>] = [:]
        for entry in environment.sorted() where prefixes.contains(where: entry.hasPrefix) {
            guard found.count < most, let sign = entry.firstIndex(of: "=") else { continue }
            let name = String(entry[..<sign])
            found["env:" + name.bounded(to: 100)] =
                isSecret(name)
                ? .unavailable("a secret by its name")
                : .known(entry[entry.index(after: sign)...].bounded(to: 400))
        }
        return found
    }

    /// A `NAME=VALUE` as a record may keep it: without the value of a secret.
    public static func recorded(_ pair: String) -> String {
        let name = pair.prefix { $0 != "=" }
        return isSecret(String(name)) ? "\(name)=..." : pair
    }

    private static func isSecret(_ name: String) -> Bool {
        let name = name.uppercased()
        return secrets.contains { name.contains($0) }
    }
}
