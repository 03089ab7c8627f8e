import Glibc
import Testing

/// The tool `energy-check`, which is built beside the test bundle.
func toolPath() throws -> String {
    var link = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &link, link.count)
    try #require(length > 0)
    let bundle = String(decoding: link.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return bundle.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/energy-check"
}

/// What a shell command writes to its standard output; it has to succeed.
func output(of command: String) throws -> String {
    let pipe = try #require(popen(command, "r"))
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { bytes += buffer[..<count] }
    try #require(pclose(pipe) == 0, "\(command)")
    return String(decoding: bytes, as: UTF8.self)
}
