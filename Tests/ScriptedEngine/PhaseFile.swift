import Glibc

/// The file named by `SUSTAIN_PHASE_FILE`: told of each phase just before its mark, so that a simulated
/// machine changes its power exactly at the edge.
struct PhaseFile {
    private let descriptor: Int32
    private let lines: [String: String]
    private let append: Bool

    init(path: String?, script: Script) {
        lines = script.phases
        append = script.phaseAppend
        guard let path else {
            descriptor = -1
            return
        }
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : 0), 0o644)
        if descriptor < 0 { leave("cannot open \(path): errno \(errno)") }
    }

    /// Writes the script's line for the first of the phases that has one, in one write(2). `{t_ns}` and
    /// `{cycle}` in it stand for the stamp of the mark that follows and its generation.
    func enter(_ phases: [String], at stamp: UInt64, cycle: Int? = nil) {
        guard descriptor >= 0, let line = phases.lazy.compactMap({ lines[$0] }).first else { return }
        let text = line.replacing("{t_ns}", with: String(stamp))
            .replacing("{cycle}", with: cycle.map(String.init) ?? "-")
        let bytes = Array(text.utf8) + [0x0A]
        let written = bytes.withUnsafeBytes {
            append
                ? write(descriptor, $0.baseAddress, $0.count)
                : pwrite(descriptor, $0.baseAddress, $0.count, 0)
        }
        if written != bytes.count { leave("cannot write the phase file: errno \(errno)") }
    }
}
