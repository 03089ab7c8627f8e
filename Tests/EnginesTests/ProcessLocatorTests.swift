import Analysis
import Glibc
import Testing

@testable import Engines

@Suite struct ProcessLocatorTests {
    /// libexec, bin and ../libexec/sustain, each with or without a worker.
    private struct Tree {
        let scratch: ScratchDirectory

        init() throws {
            scratch = try ScratchDirectory()
            for directory in ["own", "bin", "libexec", "libexec/sustain"] {
                guard mkdir(scratch.path + "/" + directory, 0o755) == 0 else { throw SetUpError("mkdir") }
            }
        }

        var locator: WorkerLocator {
            .bundled(libexec: scratch.path + "/own", program: scratch.path + "/bin/sustain")
        }

        func add(_ place: String, mode: mode_t = 0o755) throws {
            let path = try scratch.file(place, "#!/bin/sh\n")
            guard chmod(path, mode) == 0 else { throw SetUpError("chmod") }
        }
    }

    @Test func theFirstPlaceThatHasItWins() throws {
        let tree = try Tree()
        try tree.add("libexec/sustain/sustain-llama")
        #expect(
            try tree.locator.find("sustain-llama") == tree.scratch.path
                + "/bin/../libexec/sustain/sustain-llama")
        try tree.add("bin/sustain-llama")
        #expect(try tree.locator.find("sustain-llama") == tree.scratch.path + "/bin/sustain-llama")
        try tree.add("own/sustain-llama")
        #expect(try tree.locator.find("sustain-llama") == tree.scratch.path + "/own/sustain-llama")
    }

    @Test func aMissingWorkerSaysWhereItWasLookedFor() throws {
        let tree = try Tree()
        guard mkdir(tree.scratch.path + "/bin/sustain-llama", 0o755) == 0 else { throw SetUpError("mkdir") }
        let failure = try #require(#expect(throws: Failure.self) { try tree.locator.find("sustain-llama") })
        #expect(failure.thing == "sustain-llama")
        #expect(failure.exit == .engineFailed)
        #expect(failure.cause.contains(tree.scratch.path + "/own/sustain-llama (No such file or directory)"))
        #expect(failure.cause.contains(tree.scratch.path + "/bin/sustain-llama (not a regular file)"))
        #expect(failure.cause.contains("/bin/../libexec/sustain/sustain-llama (No such file or directory)"))
        #expect(failure.remedy?.contains("SUSTAIN_LIBEXEC") == true)
    }

    @Test func withoutTheVariableTwoPlacesAreLeft() {
        for libexec in [nil, ""] {
            #expect(
                WorkerLocator.bundled(libexec: libexec, program: "/usr/bin/sustain").directories
                    == ["/usr/bin", "/usr/bin/../libexec/sustain"])
        }
        #expect(WorkerLocator.bundled(libexec: nil, program: nil).directories.isEmpty)
        #expect(WorkerLocator.bundled(libexec: nil, program: "/sustain").directories.first == "/")
    }

    @Test func aNameWithASlashIsAPath() throws {
        let tree = try Tree()
        try tree.add("own/worker")
        let path = tree.scratch.path + "/own/worker"
        #expect(try WorkerLocator.inPath("/nonexistent").find(path) == path)
        #expect(throws: Failure.self) { try tree.locator.find("./worker") }
    }

    @Test func aProgramOfTheUsersIsFoundInPath() throws {
        #expect(try WorkerLocator.inPath("/nonexistent:/bin:/usr/bin").find("sh") == "/bin/sh")
        #expect(throws: Failure.self) { try WorkerLocator.inPath("").find("sh") }
    }

    @Test func theRunningProgramIsKnown() throws {
        let program = try #require(WorkerLocator.runningProgram())
        #expect(access(program, X_OK) == 0)
    }
}
