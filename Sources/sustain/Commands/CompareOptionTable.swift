import Reports

/// The options of `sustain compare`. What makes a build is list-valued: each combination is a variant.
enum CompareOptionTable {
    static let spec = CommandSpec(
        name: "compare", summary: "tell which of several builds takes less energy, time and memory",
        operands: "[MODEL ...]", mostOperands: 100,
        groups: [variants, workload, measurement, parity, gates, output],
        examples: [
            "sustain compare q4.gguf q8.gguf", "sustain compare -m q4.gguf -t 2,4,8 --budget 20m",
            "sustain compare -m q4.gguf --llama-lib default,build-new/lib -o md",
            "sustain compare q4.gguf q8.gguf --sustained --seconds 600 -r 3",
            "sustain compare old.gguf new.gguf --fail-if 'decode.gross.joules_per_token > +3%' -o junit",
        ])

    /// The options whose values are multiplied, in the order in which they are.
    static let swept = [
        "threads", "n-gpu-layers", "batch-size", "ubatch-size", "cache-type-k", "cache-type-v", "flash-attn",
        "load-mode", "n-prompt", "n-gen", "ctx-size",
    ]

    private static let variants = OptionGroup(
        title: "Variants",
        options: [
            .value(
                "--model", "-m", placeholder: "FILE", list: true,
                help: "GGUF file; several, or further ones as operands, are compared"),
            .value(
                "--llama-lib", placeholder: "DIR", list: true,
                help: "take libllama from DIR; of several each is compared, default is the one built in"),
            .value(
                "--exec", placeholder: "CMD",
                help: "program that speaks the worker protocol, split on spaces; repeated, each is compared"),
            .value(
                "--reference", placeholder: "NAME",
                help: "variant that the others are held against, by its name, model or number; else the first"
            ),
            .value(
                "--baseline", placeholder: "RECORD",
                help: "run.json of an earlier run: its build is measured again and is the reference"),
            .flag(
                "--trust-baseline",
                help: "run the program, or load the library, that only the baseline's record names"),
        ] + RunOptionTable.engine.options.filter { engine.contains($0.key) })

    private static let engine: Set = [
        "engine", "threads", "n-gpu-layers", "batch-size", "ubatch-size", "cache-type-k", "cache-type-v",
        "flash-attn", "load-mode", "engine-timeout", "env",
    ]

    private static let workload = OptionGroup(
        title: "Workload",
        options: RunOptionTable.workload.options.filter {
            ["n-prompt", "n-gen", "ctx-size", "sampling", "seed"].contains($0.key)
        } + [
            .value(
                "--protocol", placeholder: "NAME", default: "sustained-v1",
                help:
                    "sustained-v1, sustained-slow-v1 for builds that take over 30 s for a cycle, or deep (decode to "
                    + "the end of -c); -p or -n without it make a custom one"),
            .value(
                "--repetitions", "-r", placeholder: "N",
                help:
                    "quads (reference, variant, variant, reference) for each variant, 8 or more (default 8); with "
                    + "--sustained rounds of a run each, 2 or more (default 3)"
            ),
            .value(
                "--budget", placeholder: "S",
                help:
                    "make as many quads (or rounds) as fit into this time, \"10m\"; never fewer than 8 (or 2)"
            ),
            .flag(
                "--sustained",
                help: "let whole runs take turns instead of blocks: compares burst, sustained and retained"),
            .value(
                "--seconds", placeholder: "S",
                help: "length of each run's sustained part, with --sustained (default 600)"),
            .value(
                "--cool-down", placeholder: "S",
                help:
                    "with --sustained: longest wait for the temperatures of the first run's start (default 600); where "
                    + "none is read, the wait itself (default 60)"),
            .flag("--reload", help: "keep one variant in memory at a time, also where all would fit"),
        ])

    private static let measurement = RunOptionTable.measurement

    private static let parity = OptionGroup(
        title: "Parity",
        options: [
            .value(
                "--parity-top1", placeholder: "SHARE",
                help:
                    "least share of positions at which both name the same token first, ties included; exit 3 below "
                    + "(default 0.99 for the same weights, else none)"),
            .value(
                "--parity-kl", placeholder: "NATS",
                help:
                    "largest mean divergence from the reference (default 0.01 for the same weights, else none)"
            ),
            .flag("--no-parity", help: "do not ask whether the variants say what the reference says"),
        ])

    private static let gates = OptionGroup(
        title: "Gates",
        options: [
            .value(
                "--fail-if", placeholder: "GATE", list: true,
                help: "exit 3 where a change against the reference is surely beyond it, e.g. "
                    + "'decode.gross.joules_per_token > +3%'; may be repeated"),
            .value(
                "--inconclusive", placeholder: "HOW",
                help: "pass or fail where a gate can be neither passed nor failed; exit 7 without",
                choices: ["pass", "fail"]),
        ])

    private static let output = OptionGroup(
        title: "Output",
        options: [
            .value(
                "--output", placeholder: "DIR", default: "reports",
                help: "directory that the session's directory is made in"),
            .value(
                "--output-format", "-o", placeholder: "FORMAT", default: SessionFormat.text.rawValue,
                help: "text, md, csv, json (the session document), jsonl or junit",
                choices: SessionFormat.allCases.map(\.rawValue)),
            .flag("--json", help: "the same as -o json"),
            .value("--label", placeholder: "TEXT", help: "a name of your own for the session"),
            .flag("--quiet", "-q", help: "no progress on standard error"),
        ])
}
