import Analysis
import CHost
import Glibc
import WorkerProtocol

extension WorkerProcess {
    /// Messages that teardown keeps for `receive`; a worker that writes without end loses the rest.
    private static let longestBacklog = 4096
    /// A worker that has closed its events is about to end; its end is awaited so long before it is asked.
    private static let closingGrace = Nanoseconds(Seconds(0.2))

    /// Ends the worker and everything left in its process group, and says how it ended.
    ///
    /// The ladder: the `quit` command and the end of the command pipe, SIGTERM to the group, SIGKILL to the
    /// group. Each rung waits for the worker's end and keeps reading its events, so that a worker blocked in
    /// a write can end; `receive` gives them afterwards. A process that has left the group (setsid(2)) is
    /// not reached. Later calls return the first answer.
    ///
    /// - Parameter hurry: whoever may not wait for that: SIGKILL is then next.
    public func finish(_ patience: TeardownPatience = TeardownPatience(), hurry: Hurry? = nil) -> WorkerExit {
        if let ended { return ended }
        let step = climb(patience, hurry)
        let exit = step.map { conclude($0) } ?? .stuck(after: patience.kill)
        ended = exit
        return exit
    }

    /// Climbs until the worker has ended; nil when it outlives the last rung.
    private func climb(_ patience: TeardownPatience, _ hurry: Hurry?) -> WorkerExit.Step? {
        var isHurried = false
        if isClosed && hasEnded(within: Self.closingGrace) { return WorkerExit.Step.none }
        if hasEnded(within: Nanoseconds(0)) { return WorkerExit.Step.none }
        // Whether or not it can still be told: the end of the pipe says the same.
        try? send(.quit)
        closeCommands()
        if hasEnded(within: patience.quit, hurry, &isHurried) {
            // A crash that came before the worker read the command is its own.
            return endedBySignal() ? WorkerExit.Step.none : .quit
        }
        if !isHurried {
            _ = chost_kill_group(pid, SIGTERM)
            if hasEnded(within: patience.terminate, hurry, &isHurried) { return .terminate }
        }
        _ = chost_kill_group(pid, SIGKILL)
        return hasEnded(within: patience.kill) ? .kill : nil
    }

    private func endedBySignal() -> Bool {
        var end = chost_end()
        return chost_wait(processDescriptor, 0, &end) == 1 && end.signal != 0
    }

    private func hasEnded(within patience: Nanoseconds) -> Bool {
        var isHurried = false
        return hasEnded(within: patience, nil, &isHurried)
    }

    /// Waits on the pidfd, reading events meanwhile.
    private func hasEnded(within patience: Nanoseconds, _ hurry: Hurry?, _ isHurried: inout Bool) -> Bool {
        let deadline = Instant(nanoseconds: chost_monotonic_ns()) + patience
        while true {
            var waiting = [
                pollfd(fd: processDescriptor, events: Int16(POLLIN), revents: 0),
                // A negative descriptor is passed over: a closed pipe would be ready for ever.
                pollfd(fd: isClosed ? -1 : eventDescriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: hurry?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            let left = max(Nanoseconds(0), deadline - Instant(nanoseconds: chost_monotonic_ns()))
            let ready = chost_ppoll(&waiting, waiting.count, left.value)
            if waiting[0].revents != 0 { return true }
            if waiting[1].revents != 0 { readAhead() }
            if waiting[2].revents != 0, hurry?.take() == true {
                isHurried = true
                return false
            }
            if ready < 0 || left == Nanoseconds(0) { return false }
        }
    }

    private func readAhead() {
        var received: [Incoming] = []
        drain(into: &received)
        let room = Self.longestBacklog - backlog.count
        backlog += received.prefix(max(0, room))
        if isClosed && room < received.count, let last = received.last { backlog.append(last) }
    }

    /// Kills what is left of the group, reaps the leader and explains its end.
    private func conclude(_ step: WorkerExit.Step) -> WorkerExit {
        closeCommands()
        // Before the leader is reaped: until then its id, and so the group's, belongs to nobody else.
        _ = chost_kill_group(pid, SIGKILL)
        var end = chost_end()
        let result = chost_wait(processDescriptor, 1, &end)
        guard result == 1 else { return .unknown(step: step, error: -result) }
        let evidence = WorkerExit.Evidence(
            step: step, before: outOfMemoryBefore, after: OutOfMemoryCounters.read(),
            logTail: log.tail(64 << 10),
            parentResidentBytes: parentResidentBytes)
        return WorkerExit(end, evidence)
    }

    /// The end of a worker that nobody finished: no quit, no explanation, no process left.
    func abandon() {
        _ = chost_kill_group(pid, SIGKILL)
        var waiting = pollfd(fd: processDescriptor, events: Int16(POLLIN), revents: 0)
        let ready = chost_ppoll(&waiting, 1, TeardownPatience().kill.value)
        var end = chost_end()
        if ready > 0 { _ = chost_wait(processDescriptor, 1, &end) }
    }
}
