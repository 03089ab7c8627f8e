import Reports

/// The options of `sustain run`. Workload flags are llama-bench's, with its defaults except `-p` and `-n`.
enum RunOptionTable {
    static let spec = CommandSpec(
        name: "run",
        summary: "measure a build for --seconds and write its record; lists of values make a sweep",
        operands: "",
        mostOperands: 0, groups: [workload, engine, measurement, output],
        examples: [
            "sustain run --seconds 600 --model q4.gguf",
            "sustain run -m q4.gguf -t 4 -ctk q8_0 -r 20 --json",
            "sustain run -m q4.gguf,q8.gguf -t 2,4 --seconds 120",
        ])

    static let workload = OptionGroup(
        title: "Workload",
        options: [
            .value(
                "--model", "-m", placeholder: "FILE", list: true,
                help:
                    "GGUF file to measure; options that take lists (\"-t 2,4\", or repeated) make a run for each "
                    + "combination"),
            .value(
                "--seconds", placeholder: "S", default: "600",
                help: "length of the sustained part, after warm-up; \"90\", \"10m\""),
            .value(
                "--n-prompt", "-p", placeholder: "N", default: "128", list: true,
                help: "prompt tokens a cycle"),
            .value(
                "--n-gen", "-n", placeholder: "N", default: "256", list: true,
                help: "generated tokens a cycle"),
            .value(
                "--repetitions", "-r", placeholder: "N",
                help: "end after N cycles, even if --seconds are not over"),
            .value(
                "--ctx-size", "-c", placeholder: "N", list: true,
                help: "context in tokens; prompt + generated when not given, at most 4096 for deep"),
            .value(
                "--protocol", placeholder: "NAME", default: "sustained-v1",
                help: "sustained-v1, sustained-slow-v1 (taken unasked where a cycle would take over 30 s), "
                    + "deep (decode to the end of -c), pb-random-v1 or until-failure-v1; -p or -n without it make a custom one"
            ),
            .flag(
                "--until-failure",
                help:
                    "decode ever longer contexts, up to -c or what the model was trained with, and record where it "
                    + "ends: protocol until-failure-v1"),
            .value(
                "--sampling", placeholder: "HOW", default: "greedy",
                help: "greedy, or random as llama-bench feeds tokens",
                choices: ["greedy", "random"]),
            .value(
                "--seed", placeholder: "N", default: "0", help: "seed of the prompts (and of random sampling)"
            ),
            .value(
                "--warmup", placeholder: "N|auto", default: "auto",
                help: "warm-up cycles; auto: until two in a row agree, at most a tenth of --seconds"),
        ])

    static let engine = OptionGroup(
        title: "Engine",
        options: [
            .value(
                "--engine", placeholder: "NAME", default: "llama", help: "llama or exec",
                choices: ["llama", "exec"]),
            .value(
                "--llama-lib", placeholder: "DIR",
                help: "take libllama from DIR (another build of the same version)"),
            .value(
                "--exec", placeholder: "CMD",
                help: "program that speaks the worker protocol, split on spaces; implies --engine exec"),
            .value(
                "--threads", "-t", placeholder: "N", list: true,
                help: "CPU threads; the engine's default when not given"),
            .value(
                "--n-gpu-layers", "-ngl", placeholder: "N", list: true,
                help: "layers on the GPU; the engine's default when not given"),
            .value(
                "--batch-size", "-b", placeholder: "N", default: "2048", list: true,
                help: "logical batch in tokens"),
            .value(
                "--ubatch-size", "-ub", placeholder: "N", default: "512", list: true,
                help: "physical batch in tokens"),
            .value(
                "--cache-type-k", "-ctk", placeholder: "TYPE", default: "f16", list: true,
                help: "type of the K cache: " + LlamaCacheType.words,
                choices: LlamaCacheType.allCases.map(\.rawValue)),
            .value(
                "--cache-type-v", "-ctv", placeholder: "TYPE", default: "f16", list: true,
                help: "type of the V cache, one of the same", choices: LlamaCacheType.allCases.map(\.rawValue)
            ),
            .value(
                "--flash-attn", "-fa", placeholder: "HOW", default: "auto", list: true,
                help: "on, off (1, 0) or auto", choices: FlashAttention.allCases.map(\.rawValue)),
            .value(
                "--load-mode", "-lm", placeholder: "MODE", default: "auto", list: true,
                help: "auto, none, mmap, mlock, mmap+mlock or direct-io",
                choices: LoadMode.allCases.map(\.rawValue)),
            .value(
                "--engine-timeout", placeholder: "S", default: "300",
                help: "end an engine that owes an answer and says nothing for this long"),
            .value("--env", placeholder: "K=V", help: "set a variable for the engine; may be repeated"),
        ])

    static let measurement = OptionGroup(
        title: "Measurement",
        options: [
            .value(
                "--idle", placeholder: "S", default: "15",
                help: "length of each idle window; 0 leaves net figures unavailable"),
            .value(
                "--interval", placeholder: "T", default: "100ms", help: "time between reads of the counters"),
            MachineOptions.power,
            .flag("--require-energy", help: "exit 6 when nothing counts energy"),
            .flag("--strict", help: "refuse to run (exit 4) when a condition fails"),
        ] + MachineOptions.roots)

    static let output = OptionGroup(
        title: "Output",
        options: [
            .value(
                "--output", placeholder: "DIR", default: "reports",
                help: "directory that the run's directory is made in"),
            ReportFormat.option(default: .text),
            .flag(
                "--json",
                help: "print the record on standard output instead of the table; of a sweep an array"),
            .flag(
                "--again",
                help: "measure also the points of a sweep that the output directory has complete records of"),
            .value("--label", placeholder: "TEXT", help: "a name of your own, shown in reports"),
            .value(
                "--submitter", placeholder: "NAME",
                help: "who publishes the run: reports over several take the median of their medians"),
            .flag("--quiet", "-q", help: "no progress on standard error"),
        ])
}
