import Analysis
import CHost
import Glibc
import WorkerProtocol

@testable import Engines

/// The worker over libllama, found by path like every other; tests of it need a model to load.
enum LlamaWorker {
    /// Path of the model in `SUSTAIN_TEST_MODEL`; nil where the tests run without one.
    static let model: String? = getenv("SUSTAIN_TEST_MODEL").map { String(cString: $0) }

    /// The worker with its hello already read.
    static func started(environment: [String] = []) throws -> (worker: ScriptedWorker, hello: Hello) {
        let worker = try ScriptedWorker.llama(environment: environment)
        guard case .hello(let hello)? = try worker.events(until: "hello").last else {
            throw SetUpError("no hello")
        }
        return (worker, hello)
    }

    /// A request for the test model with little of everything: the tests share the machine.
    static func request(_ change: (inout LoadRequest) -> Void = { _ in }) -> LoadRequest {
        var request = LoadRequest(model: model ?? "")
        request.contextTokens = 256
        request.threads = 1
        change(&request)
        return request
    }

    /// The worker with the model loaded.
    static func loaded() throws -> (worker: ScriptedWorker, loaded: Loaded) {
        let worker = try started().worker
        try worker.process.send(.go)
        guard case .loaded(let loaded)? = try worker.ask(.load(request()), until: "loaded").last else {
            throw SetUpError("not loaded")
        }
        return (worker, loaded)
    }
}

extension ScriptedWorker {
    init(directory: ScratchDirectory, process: WorkerProcess) {
        self.directory = directory
        self.process = process
    }

    /// The llama worker behind the same helpers.
    /// - Parameter addressSpace: KiB it may take, as the shell's `ulimit -v`; nil for no limit.
    static func llama(environment: [String] = [], addressSpace: Int? = nil) throws -> ScriptedWorker {
        let directory = try ScratchDirectory()
        let program = TestPrograms.path(of: "sustain-llama")
        let limited = addressSpace.map { ["-c", "ulimit -v \($0) && exec \"$0\"", program] }
        let process = try WorkerProcess.spawn(
            WorkerLaunch(
                executable: limited == nil ? program : "/bin/sh", arguments: limited ?? [],
                environment: WorkerLaunch.inheritedEnvironment() + environment,
                logPath: directory.path + "/worker.log"))
        return ScriptedWorker(directory: directory, process: process)
    }

    /// The answer to a command that must fail.
    func failure(of command: Command) throws -> WorkerError {
        guard case .error(let error)? = try ask(command, until: "error").last else {
            throw SetUpError("no error")
        }
        return error
    }
}
