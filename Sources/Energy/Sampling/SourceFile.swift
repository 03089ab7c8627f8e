import Analysis
import CPower
import Glibc

/// A file of sysfs or procfs, opened once and read afresh by each pread at offset 0; or a perf_event counter,
/// which is read by read(2).
///
/// Sources that hold the same `SourceFile` are read in one pread. The descriptor is closed with the last
/// reference, never while the sampler may be reading it.
public final class SourceFile: Sendable {
    public let path: String
    let descriptor: Int32
    let isCounter: Bool

    private init(path: String, descriptor: Int32, isCounter: Bool) {
        self.path = path
        self.descriptor = descriptor
        self.isCounter = isCounter
    }

    /// Takes over the descriptor of a counter; `name` is what errors call it.
    init(counter descriptor: Int32, name: String) {
        path = name
        self.descriptor = descriptor
        isCounter = true
    }

    /// Opens a regular file for reading; the failure holds errno.
    public static func open(_ path: String) throws(Failure) -> SourceFile {
        let descriptor = cpower_open(path)
        guard descriptor >= 0 else {
            throw Failure(thing: path, cause: errnoText(-descriptor), errno: -descriptor)
        }
        return SourceFile(path: path, descriptor: descriptor, isCounter: false)
    }

    /// Reads one field now.
    func value(of field: SourceField) throws(Failure) -> Int64 {
        var buffer = [CChar](repeating: 0, count: sourceTextCapacity)
        let length = readSource(descriptor, isCounter: isCounter, into: &buffer, capacity: buffer.count)
        guard length >= 0 else {
            throw Failure(thing: path, cause: errnoText(Int32(-length)), errno: Int32(-length))
        }
        var value: Int64 = 0
        var raw = field.raw
        let error = cpower_field_parse(buffer, length, &raw, &value)
        guard error == 0 else { throw Failure(thing: path, cause: parseErrorText(error), errno: error) }
        return value
    }

    deinit { _ = cpower_close(descriptor) }
}

/// Reads what a source's descriptor shows now; the number of bytes, or -errno. Allocates nothing.
func readSource(
    _ descriptor: Int32, isCounter: Bool, into buffer: UnsafeMutablePointer<CChar>, capacity: Int
) -> Int {
    isCounter
        ? cpower_perf_read(descriptor, buffer, capacity) : cpower_read_start(descriptor, buffer, capacity)
}

/// More than any file read here needs: /proc/PID/status and /proc/meminfo are under 2 KiB, and of /proc/stat
/// only the first line is wanted.
let sourceTextCapacity = 8192

/// strerror(3) in its thread-safe form, e.g. "Permission denied".
func errnoText(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// What the parser's own codes mean (fields.h); the codes of reads keep their system text.
func parseErrorText(_ code: Int32) -> String {
    switch code {
    case ENODATA: "nothing to read"
    case EBADMSG: "not a number"
    case ERANGE: "number beyond 64 bits"
    default: errnoText(code)
    }
}
