import Foundation

/// The built program, run as a user would run it.
package struct Program {
    /// `SUSTAIN_TEST_BIN` if it is set, else the directory of the running test program, where SwiftPM puts
    /// every product of the build.
    package static let directory: URL = {
        if let named = ProcessInfo.processInfo.environment["SUSTAIN_TEST_BIN"] { return URL(filePath: named) }
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(filePath: own).deletingLastPathComponent()
    }()

    package static func path(_ name: String) -> String { directory.appending(path: name).path }

    package struct Ended {
        package let status: Int32
        package let output: Data
        package let errors: String
        package var text: String { String(decoding: output, as: UTF8.self) }
    }

    private let process = Process()
    private let output: URL
    private let errors: URL

    /// Starts `sustain` with its output going to files in `workplace`, so that nothing can fill a pipe.
    package init(
        _ name: String = "sustain", _ arguments: [String], in workplace: Workplace,
        environment: [String: String] = [:], standardInput: Any = FileHandle.nullDevice
    ) throws {
        try self.init(
            at: Self.path(name), arguments, in: workplace, environment: environment,
            standardInput: standardInput)
    }

    /// Any program, by its path.
    package init(
        at path: String, _ arguments: [String], in workplace: Workplace,
        environment: [String: String] = [:], standardInput: Any = FileHandle.nullDevice
    ) throws {
        let stem = UUID().uuidString
        output = workplace.url.appending(path: "out-\(stem)")
        errors = workplace.url.appending(path: "err-\(stem)")
        for file in [output, errors] { try Data().write(to: file) }
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.currentDirectoryURL = workplace.url
        // Tests run side by side: each has a machine lock of its own.
        process.environment = ProcessInfo.processInfo.environment
            .merging(["SUSTAIN_LOCK_DIR": workplace.url.path]) { _, new in new }
            .merging(environment) { _, new in new }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = standardInput
        try process.run()
    }

    package var pid: Int32 { process.processIdentifier }

    package func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits until the program has a signal blocked, and so to be found when it looks: before that the signal
    /// would end it by its default action.
    package func waitUntilItBlocks(_ number: Int32) throws {
        let bit = UInt64(1) << UInt64(number - 1)
        try wait {
            let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
            let mask = line?.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0, radix: 16) }
            return (mask ?? 0) & bit != 0
        }
    }

    package func wait() throws -> Ended {
        process.waitUntilExit()
        let printed = try Data(contentsOf: output)
        Documents.keep(printed)
        return Ended(
            status: process.terminationStatus, output: printed,
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }

    /// What it has written to standard error up to now.
    package func errorsSoFar() -> String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

    /// Waits until `condition` holds; a run that ends before is a failure of the test's set-up.
    package func wait(until condition: () -> Bool) throws {
        for _ in 0..<3000 {
            if condition() { return }
            if !process.isRunning { break }
            usleep(10_000)
        }
        throw SetUpFailure("the program did not get there: \(errorsSoFar())")
    }

    package static func run(
        _ arguments: [String], in workplace: Workplace, environment: [String: String] = [:]
    ) throws -> Ended {
        try Program("sustain", arguments, in: workplace, environment: environment).wait()
    }
}

/// A test could not be set up: a defect of the test or the machine, never a pass.
package struct SetUpFailure: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// A directory for one test, removed with everything in it when the test is over.
package final class Workplace {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "sustain-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        Documents.keepRecords(below: url)
        try? FileManager.default.removeItem(at: url)
    }

    /// A program of a text's. Another process writes it: a child that a test beside this one is starting could hold
    /// our descriptor for writing for a moment, and what is open for writing cannot be executed (ETXTBSY).
    package func program(_ name: String, _ text: String) throws -> String {
        let place = url.appending(path: name).path
        let writer = Process()
        let input = Pipe()
        writer.executableURL = URL(filePath: "/bin/sh")
        writer.arguments = ["-c", "cat > \"$1\" && chmod 755 \"$1\"", "sh", place]
        writer.standardInput = input
        try writer.run()
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try input.fileHandleForWriting.close()
        writer.waitUntilExit()
        guard writer.terminationStatus == 0 else { throw SetUpFailure("\(place) could not be written") }
        return place
    }

    package func file(_ name: String, _ text: String) throws -> String {
        let place = url.appending(path: name)
        try Data(text.utf8).write(to: place)
        return place.path
    }

    /// The one run directory below `reports`.
    package func runDirectory() throws -> URL {
        let reports = url.appending(path: "reports")
        let names = try FileManager.default.contentsOfDirectory(atPath: reports.path)
        guard names.count == 1 else { throw SetUpFailure("\(names.count) runs in \(reports.path)") }
        return reports.appending(path: names[0])
    }
}
