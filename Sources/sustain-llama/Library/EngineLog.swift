#if Llama
import CLlama
import Synchronization

/// llama.cpp's log: warnings and errors go to the worker's own log; the last of them, and what the log tells
/// of a load, are kept.
enum EngineLog {
    private struct State {
        var facts = LogFacts()
        var errors: [String] = []
        var warnings: [String] = []
        /// A line that came without its line feed, and its level.
        var partial = ""
        var level = GGML_LOG_LEVEL_NONE
    }

    private static let keptLines = 6
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

    /// Forgets what was logged before a load.
    static func beginLoad() {
        forgetComplaints()
        state.withLock { $0.facts = LogFacts() }
    }

    /// Forgets the warnings and errors of the command before.
    static func forgetComplaints() {
        state.withLock {
            $0.errors = []
            $0.warnings = []
        }
    }

    static var facts: LogFacts { state.withLock { $0.facts } }

    /// The last errors, or for want of one the last warnings, in one line; nil when there were none.
    static var complaints: String? {
        let lines = state.withLock { $0.errors.isEmpty ? $0.warnings : $0.errors }
        return lines.isEmpty ? nil : lines.joined(separator: "; ")
    }

    /// A debug line, and what continues it, is left out.
    private static func skip() { state.withLock { $0.level = GGML_LOG_LEVEL_DEBUG } }

    private static func receive(_ level: ggml_log_level, _ text: String) {
        let logged = state.withLock { state -> String in
            // GGML_LOG_LEVEL_CONT goes on with the line before.
            if level != GGML_LOG_LEVEL_CONT { state.level = level }
            if state.level == GGML_LOG_LEVEL_DEBUG { return "" }
            state.partial += text
            while let end = state.partial.firstIndex(of: "\n") {
                let line = state.partial[..<end]
                state.facts.read(line)
                if !line.isEmpty { keep(String(line), in: &state) }
                state.partial = String(state.partial[state.partial.index(after: end)...])
            }
            // A progress bar of dots without a line feed must not grow for ever.
            if state.partial.utf8.count > 64 * 1024 { state.partial = "" }
            let complains = state.level == GGML_LOG_LEVEL_WARN || state.level == GGML_LOG_LEVEL_ERROR
            return complains ? text : ""
        }
        if !logged.isEmpty { StandardError.write(logged) }
    }

    private static func keep(_ line: String, in state: inout State) {
        switch state.level {
        case GGML_LOG_LEVEL_ERROR: state.errors = state.errors.suffix(keptLines - 1) + [line]
        case GGML_LOG_LEVEL_WARN: state.warnings = state.warnings.suffix(keptLines - 1) + [line]
        default: break
        }
    }
}
#endif
