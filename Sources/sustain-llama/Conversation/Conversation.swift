#if Llama
import Glibc
import WorkerProtocol

/// The worker's side of docs/worker-protocol.md: one command after the other until the parent is gone.
struct Conversation {
    private let commands: CommandReader
    private let channel: EventChannel
    private var resident: ResidentModel?
    /// Tokens that `score` has put into the context and nothing has cleared since.
    private var scored = 0

    init(commands: CommandReader, channel: EventChannel) {
        self.commands = commands
        self.channel = channel
    }

    mutating func run() -> Never {
        do throws(WorkerFailure) {
            // Nothing of the library is called before the check.
            let checked = try AbiCheck.run()
            AbortReport.install(descriptor: channel.descriptor)
            EngineLog.install()
            channel.send(.hello(hello(checked: checked)))
            waitForGo()
            try Backends.start()
            let failed = commands.startThread()
            guard failed == 0 else {
                throw WorkerFailure("command thread", String(cString: strerror(failed)), fatal: true)
            }
        } catch {
            end(with: error)
        }
        while true { answer(commands.wait()) }
    }

    /// No thread may exist before `go`: perf counters opened on this process see only threads made later.
    private func waitForGo() {
        while true {
            switch commands.readInPlace() {
            case .command(.go, _): return
            case .command(.quit, _): _exit(ExitCode.done)
            case .command(let command, _):
                report(WorkerFailure(command.name, "it came before go", code: ErrorCode.refused))
            case .garbage(let garbage): report(garbage)
            case .broken(let cause): end(with: WorkerFailure("commands", cause, fatal: true))
            }
        }
    }

    private mutating func answer(_ entry: CommandReader.Entry) {
        do throws(WorkerFailure) {
            switch entry {
            case .command(.go, _), .command(.stop, _): break
            case .command(.load(let request), _): try load(request)
            case .command(.size(let request), _): try size(request)
            case .command(.generate(let request), let number): try generate(request, number)
            case .command(.tokenize(let request), _): try tokenize(request)
            case .command(.score(let request), _): try score(request)
            case .command(.unload, _): try unload()
            case .command(.quit, _): _exit(ExitCode.done)
            case .garbage(let garbage): report(garbage)
            case .broken(let cause): throw WorkerFailure("commands", cause, fatal: true)
            }
        } catch {
            if error.report.fatal { end(with: error) }
            report(error)
        }
    }

    private mutating func load(_ request: LoadRequest) throws(WorkerFailure) {
        guard resident == nil else {
            throw WorkerFailure(
                "load", "a model is loaded already", remedy: "unload it first",
                code: ErrorCode.refused)
        }
        let model = try ResidentModel.load(request, channel: channel)
        resident = model
        channel.send(.memory(model.memoryReport))
        channel.send(.loaded(model.loaded))
    }

    private func size(_ request: LoadRequest) throws(WorkerFailure) {
        guard resident == nil else {
            throw WorkerFailure(
                "size", "a model is loaded already", remedy: "unload it first", code: ErrorCode.refused)
        }
        channel.send(.sized(try ResidentModel.size(request)))
    }

    private func tokenize(_ request: TokenizeRequest) throws(WorkerFailure) {
        guard let resident else {
            throw WorkerFailure("tokenize", "no model is loaded", code: ErrorCode.refused)
        }
        channel.send(.tokenized(Tokenized(tokens: try resident.tokens(of: request.text))))
    }

    private mutating func score(_ request: ScoreRequest) throws(WorkerFailure) {
        guard let resident else {
            throw WorkerFailure("score", "no model is loaded", code: ErrorCode.refused)
        }
        let before = scored
        // After a failure nobody knows what is in the context.
        scored = 0
        channel.send(.scored(try Scoring(request, on: resident, after: before).run()))
        scored = request.first + request.tokens.count
    }

    private mutating func generate(_ request: GenerateRequest, _ number: UInt64) throws(WorkerFailure) {
        guard let resident else {
            throw WorkerFailure("generate", "no model is loaded", code: ErrorCode.refused)
        }
        scored = 0
        var generation = try Generation(request, on: resident, channel: channel) { [commands] in
            commands.isStopped(number)
        }
        channel.send(.done(try generation.run()))
    }

    private mutating func unload() throws(WorkerFailure) {
        guard let model = resident else {
            throw WorkerFailure("unload", "no model is loaded", code: ErrorCode.refused)
        }
        channel.mark(.unloadBegin, at: MonotonicClock.now())
        model.free()
        resident = nil
        scored = 0
        channel.mark(.unloadEnd, at: MonotonicClock.now())
        channel.send(.done(Done(command: "unload")))
    }

    private func hello(checked: String) -> Hello {
        // A plugin build has nothing registered yet; `loaded` tells.
        let system = MappedLibraries.onlyCPU() ? Backends.systemInfo : ""
        let build = [Backends.buildText, LibraryBuild.compiler, checked, system].filter { !$0.isEmpty }
            .joined(separator: ", ")
        return Hello(
            engine: "llama", version: Backends.version, build: build,
            buildType: LibraryBuild.type, libraries: MappedLibraries.paths(),
            pids: [getpid()])
    }

    private func report(_ failure: WorkerFailure) { channel.send(.error(failure.report)) }

    private func report(_ garbage: LineCodec.Garbage) {
        report(WorkerFailure("command", "\(garbage.cause): \(garbage.excerpt)", code: ErrorCode.refused))
    }

    private func end(with failure: WorkerFailure) -> Never {
        report(failure)
        _exit(ExitCode.engine)
    }
}
#endif
