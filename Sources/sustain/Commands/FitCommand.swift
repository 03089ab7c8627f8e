import Analysis
import Glibc
import Reports
import Session

/// `sustain fit`: whether models fit into memory, before any is loaded.
enum FitCommand: SustainCommand {
    static let spec = CommandSpec(
        name: "fit", summary: "tell whether a model fits into memory, without loading it",
        operands: "[MODEL ...]", mostOperands: 1000,
        groups: [
            OptionGroup(
                title: "Model",
                options: [
                    .value(
                        "--model", "-m", placeholder: "FILE", list: true,
                        help: "GGUF file; of several, further ones as operands, the first that fits is named"),
                    .value("--ctx", "-c", "--ctx-size", placeholder: "N", help: "context in tokens"),
                    .value("--mmproj", placeholder: "FILE", help: "projector that is loaded too"),
                    .value(
                        "--model-draft", "-md", placeholder: "FILE", help: "draft model that is loaded too"),
                ]),
            OptionGroup(
                title: "Engine",
                options: RunOptionTable.engine.options.filter { engineKeys.contains($0.key) }),
            OptionGroup(
                title: "Memory",
                options: [
                    .value(
                        "--limit", placeholder: "SIZE",
                        help: "hold it against this much memory (\"8GiB\") instead of what is available here"),
                    .value(
                        "--records", placeholder: "DIR", default: "reports",
                        help: "runs to learn the engine's own needs from"),
                    .flag("--json", help: "print a document (docs/fit.schema.json) instead of the table"),
                ] + MachineOptions.roots),
        ],
        examples: [
            "sustain fit --model q4.gguf --ctx 8192",
            "sustain fit --model q8.gguf q6.gguf q4.gguf --ctx 32768 -ctk q8_0 -ctv q8_0",
            "sustain fit --model q4.gguf --ctx 4096 --limit 8GiB",
        ])

    private static let engineKeys: Set<String> = [
        "engine", "llama-lib", "exec", "n-gpu-layers", "batch-size", "ubatch-size", "cache-type-k",
        "cache-type-v", "flash-attn", "load-mode",
    ]

    static func run(_ options: ParsedOptions) throws(Failure) -> ExitCode {
        let document = try Fit.examine(try FitOptions(options))
        if options.isSet("json") {
            do {
                try Output.result(try CanonicalJSON.document(document))
            } catch {
                throw error as? Failure ?? Failure(thing: "sustain fit", cause: "cannot be encoded: \(error)")
            }
        } else {
            try Output.result(FitTable.text(document))
        }
        // A file that cannot be read is no model that is too large.
        if document.models.allSatisfy({ $0.fit.code == .metadataNotReady }) { return .failed }
        return document.firstFitting == nil ? .gateFailed : .done
    }
}

extension FitOptions {
    init(_ parsed: ParsedOptions) throws(Failure) {
        let models = parsed.list("model") + parsed.operands
        guard !models.isEmpty, !models.contains("") else {
            throw Failure(
                thing: "--model", cause: models.isEmpty ? "is missing" : "is empty",
                remedy: "name a GGUF file: sustain fit --model q4.gguf --ctx 4096", exit: .usage)
        }
        guard let context = try parsed.integer("ctx", in: 1...100_000_000) else {
            throw Failure(
                thing: "--ctx", cause: "is missing",
                remedy: "say how many tokens of context there shall be: --ctx 4096", exit: .usage)
        }
        self.init(
            models: models, engine: try RunOptions.engine(parsed), load: try RunOptions.load(parsed),
            contextTokens: context, projector: parsed.text("mmproj"), draft: parsed.text("model-draft"),
            limitBytes: try parsed.bytes("limit"), sysfs: parsed.text("path.sysfs") ?? "/sys",
            procfs: parsed.text("path.procfs") ?? "/proc",
            history: try FitHistory.read(named: parsed.isSet("records") ? parsed.text("records") : nil))
    }
}

/// What finished runs tell of memory.
enum FitHistory {
    /// As many of the latest runs as are looked at: older ones are of older builds.
    private static let most = 200

    /// Of a directory that the user names, or of the usual one, which need not be there.
    ///
    /// - Throws: a usage `Failure` for a name that is no directory which can be read: to estimate as if there were
    ///   no runs would not be what was asked for.
    static func read(named directory: String?) throws(Failure) -> [FitObservation] {
        guard let directory else { return read("reports") }
        guard access(directory + "/", R_OK | X_OK) == 0 else {
            let code = errno
            throw Failure(
                thing: "--records \(directory)",
                cause: "is no directory that can be read: \(String(cString: strerror(code)))", errno: code,
                remedy: "name the directory that `sustain run --output` wrote to, or leave it out",
                exit: .usage)
        }
        return read(directory)
    }

    /// Of the latest runs in a directory; empty where there is none.
    static func read(_ directory: String) -> [FitObservation] {
        Store.latest(most, in: directory).compactMap { $0.record.flatMap(FitObservation.init) }
    }
}
