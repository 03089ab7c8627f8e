#if Llama
import CLlama
import Synchronization

/// llama.cpp's log: warnings and errors go to the worker's own log, the last of them and the facts of a
/// load are kept.
enum EngineLog {
    private struct State {
        var facts = LogFacts()
        var complaints: [String] = []
        /// A line that came without its line feed, and its level.
        var partial = ""
        var level = GGML_LOG_LEVEL_NONE
    }

    private static let keptComplaints = 6
    private static let state = Mutex(State())

    /// Takes over the log of llama and ggml. Before anything else is called.
    static func install() {
        llama_log_set(
            { level, text, _ in
                guard let text else { return }
                // Dropped before anything is copied: what debug lines cost, every decode would pay.
                if level == GGML_LOG_LEVEL_DEBUG { return EngineLog.skip() }
                EngineLog.receive(level, String(cString: text))
            }, nil)
    }

    /// Forgets what was logged before.
    static func reset() {
        state.withLock {
            $0.facts = LogFacts()
            $0.complaints = []
        }
    }

    static var facts: LogFacts { state.withLock { $0.facts } }

    /// The last warnings and errors in one line, or nil when there were none.
    static var complaints: String? {
        let lines = state.withLock { $0.complaints }
        return lines.isEmpty ? nil : lines.joined(separator: "; ")
    }

    /// A debug line, and what continues it, is left out.
    private static func skip() { state.withLock { $0.level = GGML_LOG_LEVEL_DEBUG } }

    private static func receive(_ level: ggml_log_level, _ text: String) {
        let logged = state.withLock { state -> String in
            // GGML_LOG_LEVEL_CONT goes on with the line before.
            if level != GGML_LOG_LEVEL_CONT { state.level = level }
            if state.level == GGML_LOG_LEVEL_DEBUG { return "" }
            let complaint = state.level == GGML_LOG_LEVEL_WARN || state.level == GGML_LOG_LEVEL_ERROR
            state.partial += text
            while let end = state.partial.firstIndex(of: "\n") {
                let line = state.partial[..<end]
                state.facts.read(line)
                if complaint && !line.isEmpty { state.complaints.append(String(line)) }
                state.partial = String(state.partial[state.partial.index(after: end)...])
            }
            // A progress bar of dots without a line feed must not grow for ever.
            if state.partial.utf8.count > 64 * 1024 { state.partial = "" }
            if state.complaints.count > keptComplaints {
                state.complaints.removeFirst(state.complaints.count - keptComplaints)
            }
            return complaint ? text : ""
        }
        if !logged.isEmpty { StandardError.write(logged) }
    }
}
#endif
