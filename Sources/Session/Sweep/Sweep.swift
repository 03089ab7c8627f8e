import Analysis
import Engines

/// One run of a sweep.
public struct SweepPoint: Sendable {
    /// What tells it from the others, "-m q4.gguf -t 2".
    public let name: String
    public let options: RunOptions

    public init(name: String, options: RunOptions) {
        self.name = name
        self.options = options
    }
}

/// What became of one point.
public struct SweepRow: Sendable {
    public let record: Record
    /// The record's file.
    public let path: String
}

/// What a sweep left behind.
public struct SweepResult: Sendable {
    /// In the order of the points: those measured now, those that were there, those that failed.
    public fileprivate(set) var rows: [SweepRow] = []
    /// In the order in which they happened; the last one may have ended the sweep.
    public fileprivate(set) var failures: [Failure] = []

    public var isInterrupted: Bool { failures.contains { $0.exit == .interrupted } }

    /// That of the first failure; an interrupted sweep is interrupted, whatever failed before.
    public var exit: ExitCode { isInterrupted ? .interrupted : failures.first?.exit ?? .done }
}

/// Runs one after the other. Each is an ordinary run with a directory, a trace and a record of its own; one that
/// fails is a row and does not stop the others.
public struct Sweep {
    private let points: [SweepPoint]
    private let tool: ToolBuild
    private let display: ProgressDisplay
    private let history: () -> [FitObservation]

    /// - Parameter history: read before each run: what finished runs tell of memory.
    public init(
        points: [SweepPoint], tool: ToolBuild, display: ProgressDisplay,
        history: @escaping () -> [FitObservation]
    ) {
        self.points = points
        self.tool = tool
        self.display = display
        self.history = history
    }

    private enum Step {
        case run
        /// A complete record of the same measurement is there.
        case measured(EarlierRun)
        /// Its model cannot be read.
        case broken(Failure)
    }

    /// Measures every point that no earlier run has measured.
    ///
    /// - Throws: failures before the first run: arguments of a point that make no sense, a signal, models of which
    ///   none can be read. Later ones are in the result.
    public func run(earlier: [EarlierRun]) throws(Failure) -> SweepResult {
        let steps = try plan(earlier)
        announce(steps)
        var result = SweepResult()
        for (index, (point, step)) in zip(points, steps).enumerated() {
            do throws(Failure) {
                try carryOut(step, point, number: index + 1, into: &result)
            } catch {
                // No directory could be made, no engine or counter be found: it would be so for every point.
                result.failures.append(error)
                break
            }
            if result.isInterrupted { break }
        }
        return result
    }

    private func carryOut(
        _ step: Step, _ point: SweepPoint, number: Int, into result: inout SweepResult
    ) throws(Failure) {
        let run: RunResult
        switch step {
        case .measured(let earlier):
            result.rows.append(SweepRow(record: earlier.record, path: earlier.path))
            return
        case .broken(let failure): run = try Run.keep(failure, of: point.options, tool: tool)
        case .run:
            display.say("point \(number) of \(points.count): \(point.name)")
            var options = point.options
            if options.model != nil { options.history = history() }
            run = try Run.execute(options, tool: tool, display: display)
        }
        let path = run.directory.recordPath
        result.rows.append(SweepRow(record: run.record, path: path))
        display.say("record: \(path)")
        for failure in ([run.failure].compactMap(\.self) + run.notes.filter { $0 != run.failure }) {
            result.failures.append(failure.named(point.name))
        }
    }

    // MARK: The plan

    private func plan(_ earlier: [EarlierRun]) throws(Failure) -> [Step] {
        let loop = try EventLoop()
        var search = EarlierRuns(earlier) { loop.pendingSignal() == nil }
        var models: [String: Result<ModelFile, Failure>] = [:]
        var steps: [Step] = []
        for point in points {
            var options = point.options
            var model: ModelFile?
            if let path = options.model {
                let inspected = models[path] ?? Self.inspect(path)
                models[path] = inspected
                switch inspected {
                case .success(let file): model = file
                case .failure(let failure):
                    // An argument that can name no model is a mistake to be told now and not after the first run.
                    if failure.exit == .usage { throw failure }
                    steps.append(.broken(failure))
                    continue
                }
            }
            try options.fit(trainedContext: model?.shape.trainedContextTokens)
            let found = try search.find(options, model: model)
            steps.append(found.map(Step.measured) ?? .run)
        }
        let broken = steps.compactMap { if case .broken(let failure) = $0 { failure } else { nil } }
        if broken.count == steps.count, let first = broken.first { throw first }
        return steps
    }

    private static func inspect(_ path: String) -> Result<ModelFile, Failure> {
        do throws(Failure) { return .success(try ModelFile.inspect(path: path)) } catch {
            return .failure(error)
        }
    }

    private func announce(_ steps: [Step]) {
        var seconds = 0.0
        var open = 0
        for (point, step) in zip(points, steps) {
            switch step {
            case .run:
                seconds += Run.expectedSeconds(point.options, idle: point.options.idle.value)
                open += 1
            case .measured(let run):
                let mark = run.record.environment.filter.excluded ? " (excluded from rankings)" : ""
                display.say("measured already: \(point.name): \(run.path)\(mark)")
            case .broken(let failure):
                display.say("will be a failed row: \(point.name): \(failure.cause)")
            }
        }
        let skipped = steps.count { if case .measured = $0 { true } else { false } }
        let rest = skipped == 0 ? "" : ", \(skipped) measured already (--again measures them once more)"
        display.say(
            "sweep: \(points.count) points, \(open) to measure in about \(Int(seconds.rounded(.up))) s\(rest)"
        )
    }
}

extension Failure {
    /// The same, saying in which point of a sweep it happened.
    fileprivate func named(_ point: String) -> Failure {
        Failure(thing: "\(point): \(thing)", cause: cause, errno: errno, remedy: remedy, exit: exit)
    }
}
