import CHost
import Glibc

/// `--parent SCRIPT LOG`: starts this program as a worker, prints "child PID" and waits to be killed, so that
/// a test can see what becomes of a worker whose parent dies.
enum ParentHelper {
    static func run(_ arguments: [String]) -> Never {
        guard arguments.count == 2 else { leave("usage: scripted-engine --parent SCRIPT LOG") }
        var commands: [Int32] = [-1, -1]
        var events: [Int32] = [-1, -1]
        guard chost_pipe(&commands) == 0, chost_pipe(&events) == 0 else { leave("no pipe") }
        let log = open(arguments[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard log >= 0 else { leave("cannot open \(arguments[1]): errno \(errno)") }

        var argv: [UnsafeMutablePointer<CChar>?] = [strdup("scripted-engine"), strdup(arguments[0]), nil]
        var environment: [UnsafeMutablePointer<CChar>?] = [
            strdup("SUSTAIN_COMMAND_FD=3"), strdup("SUSTAIN_EVENT_FD=4"), nil,
        ]
        var child = chost_spawned()
        let result = argv.withUnsafeMutableBufferPointer { argv in
            environment.withUnsafeMutableBufferPointer { environment in
                "/proc/self/exe".withCString { path in
                    var request = chost_spawn_request(
                        path: path, arguments: argv.baseAddress, environment: environment.baseAddress,
                        log_fd: log,
                        command_fd: commands[0], event_fd: events[1], no_core_dump: 1)
                    return chost_spawn(&request, &child)
                }
            }
        }
        guard result == 0 else {
            leave("\(String(cString: chost_spawn_step_text(child.failed_step))): \(result)")
        }
        say("child \(child.pid)", on: STDOUT_FILENO)
        // The pipes stay open in the child's sight: only the parent-death signal can end it.
        while true { pause() }
    }
}
