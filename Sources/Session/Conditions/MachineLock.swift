import Analysis
import CHost
import Glibc

/// The lock by which one `sustain` knows of another: two that measure at once disturb each other.
///
/// It is a file in a directory that all users share, so that it holds for the machine (for a container, inside
/// it). The kernel frees it when the process ends, however it does.
final class MachineLock {
    /// Where the lock is looked for when `SUSTAIN_LOCK_DIR` names no other place: all that measure one machine
    /// must agree on it.
    private static let directories = ["/run/lock", "/tmp"]
    private static let name = "sustain.lock"

    private enum State {
        case ours
        case held
        case unknown(String)
    }

    private let path: String
    private let state: State
    private var lock: chost_lock
    /// Another one was started while the lock was ours.
    private var wasTried = false

    /// Takes the lock if it is free; never waits.
    init(directory: String? = MachineLock.directoryOfEnvironment) {
        path = (directory ?? Self.sharedDirectory) + "/" + Self.name
        var lock = chost_lock()
        let result = chost_lock_take(path, &lock)
        self.lock = lock
        switch result {
        case 1: state = .ours
        case 0: state = .held
        case -ELOOP: state = .unknown("\(path) is a symbolic link")
        case -EINVAL: state = .unknown("\(path) is no plain file with one name")
        default: state = .unknown("\(path): \(String(cString: strerror(-result)))")
        }
    }

    deinit { for descriptor in [lock.fd, lock.watch] where descriptor >= 0 { close(descriptor) } }

    /// The first directory where everybody may write: all users choose the same one.
    private static var sharedDirectory: String {
        directories.first { directory in
            var status = stat()
            return stat(directory, &status) == 0 && status.st_mode & S_IWOTH != 0
        } ?? "/tmp"
    }

    static var directoryOfEnvironment: String? {
        getenv("SUSTAIN_LOCK_DIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether another one runs, and which.
    func condition(_ facts: HostFacts) -> Condition {
        switch state {
        case .ours:
            if chost_lock_was_tried(&lock) == 1 { wasTried = true }
            return wasTried
                ? Conditions.check("another_sustain", .fail, "another one was started meanwhile")
                : Conditions.check("another_sustain", .pass, "none")
        case .unknown(let why): return Conditions.check("another_sustain", .cannotTell, why)
        case .held:
            let holder = holder(facts).map { "process \($0)" } ?? "a process that is not shown here"
            return Conditions.check("another_sustain", .fail, "\(holder) holds \(path)")
        }
    }

    /// The process id out of /proc/locks: "1: FLOCK  ADVISORY  WRITE 1234 00:1a:567 0 EOF" (proc_locks(5)), device
    /// in hexadecimal. Some file systems name another device there than stat(2) does: then the inode alone must do.
    private func holder(_ facts: HostFacts) -> Int32? {
        guard let text = facts.proc("locks").value else { return nil }
        var exact: [Int32] = []
        var alike: [Int32] = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 6, words[1] == "FLOCK", let pid = Int32(words[4]), pid > 0 else { continue }
            let place = words[5].split(separator: ":")
            guard place.count == 3, UInt64(place[2]) == lock.inode else { continue }
            let isSame =
                UInt32(place[0], radix: 16) == lock.major && UInt32(place[1], radix: 16) == lock.minor
            if isSame { exact.append(pid) } else { alike.append(pid) }
        }
        return exact.first ?? (alike.count == 1 ? alike.first : nil)
    }
}
