import Analysis
import CHost
import Energy
import Glibc

extension EventLoop {
    /// How long a probe may go on after a signal that is to end the program.
    private static let patience: Int32 = 1000

    /// Looks for sources. It asks drivers and libraries of others, some of which have been seen to hang: a signal
    /// that comes meanwhile ends the program, at once where the probe does not return.
    ///
    /// - Parameter exit: of the program then; nil for 128 and the number of the signal.
    /// - Throws: when the watch cannot be started.
    func probe(
        _ roots: SystemRoots, _ power: PowerSelection, context: Bool = true, exit: ExitCode? = nil
    ) throws(Failure) -> ProbeResult {
        let words: StaticString = "sustain: interrupted while the sources of this machine were looked for\n"
        // The watch's thread holds its address.
        let guarding = UnsafeMutablePointer<chost_guard>.allocate(capacity: 1)
        guarding.initialize(to: chost_guard())
        defer { guarding.deallocate() }
        guarding.pointee.signals_fd = signalDescriptor
        guarding.pointee.patience_ms = Self.patience
        guarding.pointee.status = exit?.rawValue ?? 0
        guarding.pointee.message = UnsafeRawPointer(words.utf8Start).assumingMemoryBound(to: CChar.self)
        let started = chost_guard_start(guarding)
        if started < 0 { throw Failure.of(code: started, "probe", "cannot be watched") }
        let result = Probe.run(roots: roots, power: power, context: context)
        let stopped = chost_guard_stop(guarding)
        if stopped < 0 { throw Failure.of(code: stopped, "probe", "its watch cannot be ended") }
        return result
    }
}
