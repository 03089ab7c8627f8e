import Testing
import WorkerProtocol

/// Every message survives the way over the pipe, with all its fields and with only the required ones.
@Suite struct LineCodecRoundTripTests {
    static let commands: [Command] = {
        var full = LoadRequest(model: "/models/a b/\"q4\".gguf")
        full.contextTokens = 4096
        full.batchTokens = 2048
        full.microBatchTokens = 512
        full.threads = 8
        full.gpuLayers = -1
        full.cacheTypeK = "f16"
        full.cacheTypeV = "q8_0"
        full.flashAttention = "auto"
        full.loadMode = "mmap+mlock"
        let generate = GenerateRequest(
            cycle: 7, stream: 2, promptTokens: 128, generatedTokens: 256, seed: .max, sampling: .random,
            deadlineNanoseconds: .max)
        let plain = GenerateRequest(
            cycle: -1, promptTokens: 1, generatedTokens: 1, seed: 0, sampling: .greedy)
        return [
            .go, .load(full), .load(LoadRequest(model: "m")), .generate(generate), .generate(plain), .unload,
            .stop,
            .quit, .tokenize(TokenizeRequest(text: "a\n\u{1F600}\"")),
            .score(ScoreRequest(tokens: [0, .max], first: 32, file: "/tmp/a b.f32")),
        ]
    }()

    static let events: [Event] = {
        let hello = Hello(
            engine: "llama", version: "0.5.0", build: "gcc 12", buildType: "release",
            libraries: ["/usr/lib/libllama.so.0"], pids: [12, 13], location: .remote, countsTokens: false)
        var request = LoadRequest(model: "m\u{1F600}\n\u{1B}[31m")
        request.threads = 2
        var loaded = Loaded(description: "llama 135M Q4_1", backends: ["CPU", "CUDA"], effective: request)
        loaded.parameters = 134_515_008
        loaded.sizeBytes = .max
        loaded.trainedContextTokens = 2048
        loaded.layers = 30
        loaded.vocabularyTokens = 49152
        loaded.devices = [
            Loaded.Device(name: "CUDA0", pciID: "0000:65:00.0"), Loaded.Device(name: "x", pciID: nil),
        ]
        var done = Done(command: "generate")
        done.cycle = 3
        done.promptTokens = 128
        done.generatedTokens = 256
        done.stop = .truncated
        done.tokenHash = "cbf29ce484222325"
        let error = WorkerError(
            thing: "m.gguf", cause: "no room", remedy: "fewer layers", code: "out_of_memory", fatal: true)
        let marks = Mark.Name.allCases.map { Event.mark(Mark($0, nanoseconds: .max, cycle: 1, stream: 1)) }
        return marks + [
            .hello(hello), .hello(Hello(engine: "e", version: "", pids: [])), .loaded(loaded),
            .mark(Mark(.loadBegin, nanoseconds: 0)),
            .tokens(TokenBatch(cycle: 0, stream: 0, first: 0, startNanoseconds: 5, deltaNanoseconds: [])),
            .tokens(
                TokenBatch(
                    cycle: 1, stream: 2, first: 3, startNanoseconds: .max, deltaNanoseconds: [1, .max])),
            .memory(MemoryReport(point: "after_load", bytes: ["CUDA0": .max, "": 0])), .done(done),
            .tokenized(Tokenized(tokens: [])), .tokenized(Tokenized(tokens: [1, .max])),
            .scored(Scored(first: 32, positions: 2, vocabularyTokens: 49152)),
            .done(Done(command: "unload")), .error(error), .error(WorkerError(thing: "", cause: "")),
        ]
    }()

    @Test(arguments: commands)
    func commandsComeBack(_ command: Command) throws {
        let line = LineCodec.encode(command)
        #expect(try LineCodec.command(from: line) == command)
        #expect(try LineCodec.command(from: line.dropLast()) == command)
        #expect(line.firstIndex(of: 0x0A) == line.count - 1)
    }

    @Test(arguments: events)
    func eventsComeBack(_ event: Event) throws {
        let line = LineCodec.encode(event)
        #expect(try LineCodec.event(from: line) == event)
        #expect(try LineCodec.event(from: line.dropLast()) == event)
        #expect(line.firstIndex(of: 0x0A) == line.count - 1)
    }
}

/// The lines as docs/worker-protocol.md shows them: other people's programs write these, not our encoder.
@Suite struct LineCodecWireTests {
    @Test func commandsLookLikeThis() {
        #expect(LineCodec.encode(Command.go) == Array(#"{"command":"go"}"#.utf8) + [0x0A])
        let generate = GenerateRequest(
            cycle: 0, promptTokens: 2, generatedTokens: 3, seed: 4, sampling: .greedy)
        #expect(
            String(decoding: LineCodec.encode(.generate(generate)), as: UTF8.self)
                == #"{"command":"generate","cycle":0,"generated_tokens":3,"prompt_tokens":2,"#
                + #""sampling":"greedy","seed":4,"stream":0}"# + "\n")
        var load = LoadRequest(model: "/m/a.gguf")
        load.gpuLayers = 99
        #expect(
            String(decoding: LineCodec.encode(.load(load)), as: UTF8.self)
                == #"{"command":"load","gpu_layers":99,"model":"/m/a.gguf"}"# + "\n")
    }

    @Test func fieldsOfLaterVersionsAreIgnored() throws {
        let line = #"{"event":"mark","mark":"submit","t_ns":12,"stream":0,"cycle":1,"colour":{"r":[1]}}"#
        #expect(
            try LineCodec.event(from: Array(line.utf8)) == .mark(Mark(.submit, nanoseconds: 12, cycle: 1)))
    }

    @Test func orderAndBlanksAreFree() throws {
        let line = " { \"t_ns\" : 12 , \"stream\":0, \"mark\":\"load_end\", \"event\":\"mark\" }\r"
        #expect(try LineCodec.event(from: Array(line.utf8)) == .mark(Mark(.loadEnd, nanoseconds: 12)))
    }

    static let garbage = [
        "", " ", "null", "[]", "12", "{", "llama_print_timings: load time = 12 ms", "{}", #"{"event":null}"#,
        #"{"event":7}"#, #"{"event":"mark"}"#, #"{"event":"mark","mark":"teatime","t_ns":1,"stream":0}"#,
        #"{"event":"mark","mark":"submit","t_ns":-1,"stream":0}"#,
        #"{"event":"mark","mark":"submit","t_ns":1.5,"stream":0}"#,
        #"{"event":"mark","mark":"submit","t_ns":18446744073709551616,"stream":0}"#,
        #"{"event":"mark","mark":"submit","t_ns":"1","stream":0}"#,
        #"{"event":"tokens","cycle":0,"stream":0,"first":0,"start_ns":1,"delta_ns":[1,-2]}"#,
        #"{"event":"launch"}"#, #"{"command":"go"}"#, #"{"event":"done"}"#,
        #"{"event":"done","command":"go""#,
        "\u{0}\u{1}\u{2}", #"{"event":"hello","engine":"e"}"#,
    ]

    @Test(arguments: garbage)
    func garbageIsNoEvent(_ line: String) {
        #expect(throws: LineCodec.Garbage.self) { try LineCodec.event(from: Array(line.utf8)) }
    }

    @Test func garbageSaysWhatItIs() {
        func garbage(_ bytes: [UInt8]) -> LineCodec.Garbage? {
            do throws(LineCodec.Garbage) {
                _ = try LineCodec.event(from: bytes)
                return nil
            } catch {
                return error
            }
        }
        #expect(garbage(Array(#"{"event":"launch"}"#.utf8))?.cause == #"unknown event "launch""#)
        #expect(garbage(Array("{}".utf8))?.cause == "no event")
        let long = garbage([UInt8](repeating: 0x41, count: 100_000))
        #expect(long?.excerpt == String(repeating: "A", count: 120))
        #expect(garbage([0xFF, 0xFE, 0x80])?.excerpt == "\u{FFFD}\u{FFFD}\u{FFFD}")
    }

    @Test func deepNestingIsGarbageAndNoCrash() {
        let deep = #"{"event":"memory","point":"x","bytes":"# + String(repeating: "[", count: 100_000)
        #expect(throws: LineCodec.Garbage.self) { try LineCodec.event(from: Array(deep.utf8)) }
    }
}
