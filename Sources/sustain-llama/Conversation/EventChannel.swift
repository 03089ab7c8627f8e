import Glibc
import WorkerProtocol

/// Writes events to sustain. Marks and token stamps are formatted by hand into memory allocated once; all
/// other events are outside the timed windows and go through the codec.
final class EventChannel {
    let descriptor: Int32
    private static let lineBytes = 64 * 1024
    /// A stamp takes 20 digits and a comma at most; the rest is for the keys.
    private static let stampsPerLine = (lineBytes - 256) / 21
    private var line = ByteLine(capacity: lineBytes)

    init(descriptor: Int32) { self.descriptor = descriptor }

    func send(_ event: Event) {
        LineCodec.encode(event).withUnsafeBytes { Self.write($0, to: descriptor) }
    }

    func mark(_ mark: Mark.Name, at nanoseconds: UInt64, cycle: Int? = nil, stream: Int = 0) {
        line.clear()
        line.append("{\"event\":\"mark\",\"mark\":\"")
        line.append(Self.text(of: mark))
        line.append("\",\"t_ns\":")
        line.append(nanoseconds)
        if let cycle {
            line.append(",\"cycle\":")
            line.append(cycle)
        }
        line.append(",\"stream\":")
        line.append(stream)
        line.append("}\n")
        Self.write(line.contents, to: descriptor)
    }

    /// - Parameters:
    ///   - first: index in the generation of the first stamp given.
    ///   - stamps: CLOCK_MONOTONIC nanoseconds, never falling; any number of them.
    func tokens(cycle: Int, stream: Int, first: Int, stamps: UnsafeBufferPointer<UInt64>) {
        var begin = 0
        while begin < stamps.count {
            let end = min(begin + Self.stampsPerLine, stamps.count)
            line.clear()
            line.append("{\"event\":\"tokens\",\"cycle\":")
            line.append(cycle)
            line.append(",\"stream\":")
            line.append(stream)
            line.append(",\"first\":")
            line.append(first + begin)
            line.append(",\"start_ns\":")
            line.append(stamps[begin])
            line.append(",\"delta_ns\":[")
            for index in (begin + 1)..<max(begin + 1, end) {
                if index > begin + 1 { line.append(",") }
                line.append(stamps[index] &- stamps[index - 1])
            }
            line.append("]}\n")
            Self.write(line.contents, to: descriptor)
            begin = end
        }
    }

    /// Writes all of it. A parent that is gone ends the process: there is nobody to report to.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = Glibc.write(
                descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written > 0 {
                rest = rest.dropFirst(written)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wait, 1, -1)
            case EPIPE: _exit(ExitCode.done)
            default:
                StandardError.write("sustain-llama: events: \(String(cString: strerror(errno)))\n")
                _exit(ExitCode.engine)
            }
        }
    }

    private static func text(of mark: Mark.Name) -> StaticString {
        switch mark {
        case .loadBegin: "load_begin"
        case .loadEnd: "load_end"
        case .submit: "submit"
        case .firstToken: "first_token"
        case .lastToken: "last_token"
        case .unloadBegin: "unload_begin"
        case .unloadEnd: "unload_end"
        }
    }
}
