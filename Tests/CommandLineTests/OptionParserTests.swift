import Analysis
import Session
import Testing

@testable import sustain

@Suite struct OptionParserTests {
    private func parse(_ words: String) throws -> ParsedOptions {
        try OptionParser.parse(words.split(separator: " ").map(String.init), for: RunOptionTable.spec)
    }

    private func failure(_ words: String) -> Failure? {
        do {
            _ = try RunOptions(try parse(words))
            return nil
        } catch {
            return error as? Failure
        }
    }

    @Test func defaultsAreLlamaBenchsExceptTheShape() throws {
        let options = try RunOptions(try parse("-m a.gguf"))
        #expect(options.workload.name == "sustained-v1")
        #expect(options.workload.promptTokens == 128)
        #expect(options.workload.generatedTokens == 256)
        #expect(options.workload.contextTokens == 384)
        #expect(options.workload.seconds == Seconds(600))
        #expect(options.load.batchTokens == 2048)
        #expect(options.load.microBatchTokens == 512)
        #expect(options.load.cacheTypeK == "f16")
        #expect(options.idle == Seconds(15))
        #expect(options.interval == Nanoseconds(100_000_000))
        #expect(options.output == "reports")
    }

    @Test func shortLongAndAttachedSpellingsAgree() throws {
        for words in [
            "-m a.gguf -p 64 -n 32", "--model=a.gguf --n-prompt=64 --n-gen 32",
            "--model a.gguf -p 64 --n-gen=32",
        ] {
            let options = try RunOptions(try parse(words))
            #expect(options.model == "a.gguf")
            #expect(options.workload.name == "custom-p64-n32")
            #expect(options.workload.contextTokens == 96)
        }
    }

    @Test(arguments: [
        ("600", 600.0), ("1.5", 1.5), ("10m", 600), ("90s", 90), ("250ms", 0.25), ("1h", 3600),
    ])
    func timesAreUnderstood(text: String, seconds: Double) throws {
        let options = try RunOptions(try parse("-m a.gguf --seconds \(text)"))
        #expect(abs(options.workload.seconds.value - seconds) < 1e-12)
    }

    @Test(arguments: [
        ("-m a.gguf --secnds 3", "--secnds", "did you mean --seconds?"),
        ("-m a.gguf --seconds", "--seconds", nil),
        ("-m a.gguf --seconds ten", "--seconds ten", nil),
        ("-m a.gguf --seconds nan", "--seconds nan", nil),
        ("-m a.gguf --seconds -5", "--seconds -5", nil),
        ("-m a.gguf -n 0", "--n-gen 0", nil),
        ("-m a.gguf -n 99999999999999999999", "--n-gen 99999999999999999999", nil),
        ("-m a.gguf -c 383", "--ctx-size 383", "give at least 384, or fewer tokens with -p and -n"),
        ("-m a.gguf -t 1,,2", "-t 1,,2", nil),
        ("-m a.gguf --strict=yes", "--strict", nil),
        ("-m a.gguf extra", "extra", "see `sustain run --help`"),
        ("-m a.gguf --engine vllm", "--engine vllm", nil),
        ("-m a.gguf --protocol sustained-v9", "--protocol sustained-v9", "did you mean sustained-v1?"),
        ("-m a.gguf --protocol other", "--protocol other", nil),
        (
            "-m a.gguf --protocol sustained-v1 -p 64", "--protocol sustained-v1",
            "leave out --protocol for a shape of your own, or -p and -n for the protocol's"
        ),
        ("-m a.gguf --protocol deep -n 64", "--protocol deep", nil),
        (
            "-m a.gguf --protocol deep -c 129", "--ctx-size 129",
            "give a longer context (-c), or a shape of your own (-p, -n)"
        ),
        ("-m a.gguf --protocol sustained-slow-v1 -c 64", "--ctx-size 64", nil),
        (
            "-m a.gguf --protocol pb-random-v1 --seed 1", "--seed",
            "leave it out, or take another protocol"
        ),
        ("-m a.gguf --protocol pb-random-v1 -r 9", "--repetitions", nil),
        ("-m a.gguf --protocol pb-random-v1 -p 64", "--protocol pb-random-v1", nil),
        ("-m a.gguf --env =x", "--env =x", nil),
        ("-m a.gguf -ctk f17", "--cache-type-k f17", "did you mean f16?"),
        ("-m a.gguf -ctv q8", "--cache-type-v q8", nil),
        ("-m a.gguf -fa onn", "--flash-attn onn", "did you mean on?"),
        ("-m a.gguf --load-mode mmapp", "--load-mode mmapp", "did you mean mmap?"),
        ("--seconds 5", "--model", "name a GGUF file: sustain run --model q4.gguf"),
        ("-t -ngl 99 -m a.gguf", "-t", nil),
        ("-m a.gguf --output=", "--output", "is a variable of your script unset?"),
        ("--engine exec", "--exec", "--exec \"./my-worker --flag\""),
    ])
    func mistakesNameTheOptionAndTheRemedy(words: String, thing: String, remedy: String?) {
        let failure = failure(words)
        #expect(failure?.exit == .usage)
        #expect(failure?.thing == thing)
        if let remedy { #expect(failure?.remedy == remedy) }
    }

    @Test func execNeedsNoModel() throws {
        let options = try RunOptions(
            try OptionParser.parse(["--exec", "./worker --flag"], for: RunOptionTable.spec))
        #expect(options.engine == .exec(["./worker", "--flag"]))
        #expect(options.model == nil)
    }

    @Test func everyOptionIsInTheHelpOnce() {
        for command in Sustain.commands {
            let names = command.spec.options.flatMap(\.names)
            #expect(Set(names).count == names.count)
            let help = HelpText.of(command.spec)
            for option in command.spec.options { #expect(help.contains(option.names[0])) }
            for line in help.split(separator: "\n") { #expect(line.count <= 100) }
        }
    }

    @Test(arguments: [
        ("", "sustained-v1", 128, 256, 384), ("-p 128 -n 256", "sustained-v1", 128, 256, 384),
        ("--protocol sustained-v1 -p 128", "sustained-v1", 128, 256, 384),
        ("--protocol sustained-slow-v1", "sustained-slow-v1", 32, 64, 384),
        ("-p 32 -n 64", "custom-p32-n64", 32, 64, 96),
        ("--protocol deep", "deep", 128, 3968, 4096), ("--protocol deep -c 300", "deep", 128, 172, 300),
        ("--protocol pb-random-v1", "pb-random-v1", 128, 256, 384),
        ("--until-failure -c 3000", "until-failure-v1", 128, 2872, 3000),
        ("--until-failure", "until-failure-v1", 128, 130_944, 131_072),
    ])
    func protocolsFixTheShape(words: String, name: String, prompt: Int, generated: Int, context: Int) throws {
        let workload = try RunOptions(try parse("-m a.gguf " + words)).workload
        #expect(workload.name == name)
        #expect(workload.promptTokens == prompt && workload.generatedTokens == generated)
        #expect(workload.contextTokens == context)
    }

    @Test func recordedOptionsHoldTheValuesInForce() throws {
        let options = try RunOptions(try parse("-m a.gguf -t 2 --strict"))
        #expect(options.recorded["threads"] == .array([.string("2")]))
        #expect(options.recorded["strict"] == .bool(true))
        #expect(options.recorded["seconds"] == .string("600"))
        #expect(options.recorded["n-gen"] == .array([.string("256")]))
        // The table's shape is not that of a protocol that was named.
        let deep = try RunOptions(try parse("-m a.gguf --protocol deep"))
        #expect(deep.recorded["protocol"] == .string("deep") && deep.recorded["n-gen"] == nil)
    }
}

@Suite struct SuggestionTests {
    @Test func distanceHasKnownValues() {
        #expect(Suggestion.distance("", "abc") == 3)
        #expect(Suggestion.distance("kitten", "sitting") == 3)
        #expect(Suggestion.distance("ab", "ba") == 1)
        #expect(Suggestion.distance("same", "same") == 0)
    }

    @Test func aWordFarFromEverythingSuggestsNothing() {
        #expect(Suggestion.nearest(to: "xyzzy", among: ["run", "report"]) == nil)
        #expect(Suggestion.nearest(to: "repotr", among: ["run", "report"]) == "report")
    }
}
