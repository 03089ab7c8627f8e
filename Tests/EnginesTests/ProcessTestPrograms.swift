import FoundationEssentials
import Glibc

/// Programs that the package builds for its tests, found by path: test targets do not link workers.
enum TestPrograms {
    /// Path of the worker that obeys a script (Tests/ScriptedEngine/README.md).
    static let scriptedEngine = path(of: "scripted-engine")

    /// `SUSTAIN_TEST_BIN` if it is set, else the directory of the running test program, where SwiftPM puts
    /// every product of the build.
    static func path(of program: String) -> String {
        if let directory = getenv("SUSTAIN_TEST_BIN") { return String(cString: directory) + "/" + program }
        var characters = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = max(0, readlink("/proc/self/exe", &characters, characters.count))
        let bundle = String(decoding: characters[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return bundle.split(separator: "/").dropLast().reduce(into: "") { $0 += "/" + $1 } + "/" + program
    }
}

/// A directory for one test, removed with everything in it when the test is over.
final class ScratchDirectory {
    let path: String

    init() throws {
        let template = FileManager.default.temporaryDirectory.path + "/sustain-test-XXXXXX"
        var characters = Array(template.utf8CString)
        guard mkdtemp(&characters) != nil else { throw SetUpError("mkdtemp: errno \(errno)") }
        path = String(decoding: characters.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and returns its path.
    func file(_ name: String, _ text: String) throws -> String {
        let place = path + "/" + name
        try Data(text.utf8).write(to: URL(filePath: place))
        return place
    }
}

/// A test could not be set up: a defect of the test or the machine, never a pass.
struct SetUpError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
