import Analysis
import Engines

extension RunOptions.Engine {
    /// What to start as this engine.
    ///
    /// - Parameters:
    ///   - environment: variables added to this process's own.
    ///   - logPath: takes what it prints.
    func launch(
        environment: [(name: String, value: String)], logPath: String
    ) throws(Failure) -> WorkerLaunch {
        var variables = environment
        if case .llama(let libraries?) = self {
            let rest = WorkerLocator.environmentValue("LD_LIBRARY_PATH").map { ":" + $0 } ?? ""
            variables.append((name: "LD_LIBRARY_PATH", value: libraries + rest))
        }
        let names = Set(variables.map(\.name))
        let inherited = WorkerLaunch.inheritedEnvironment().filter { entry in
            !names.contains(String(entry.prefix { $0 != "=" }))
        }
        let command = try command()
        return WorkerLaunch(
            executable: command.executable, arguments: command.arguments,
            environment: inherited + variables.map { "\($0.name)=\($0.value)" }, logPath: logPath)
    }
}
