import Analysis
import FoundationEssentials
import Glibc
import Testing

@testable import Reports

/// The index of records saves time and changes nothing else.
@Suite struct IndexTests {
    @Test func digestsSurviveUnchanged() throws {
        var odd = RecordBuilder(id: "odd", label: "模型 \u{1B}", joulesPerToken: nil, sustained: nil).build()
        odd.artifact = .unavailable("no such file")
        odd.engine = .unavailable("never started")
        odd.metrics.burst = Figure(
            -0.0, .bounds(low: -.greatestFiniteMagnitude, high: .leastNonzeroMagnitude), method: "")
        odd.metrics.idleDisturbance = "a neighbour"
        odd.metrics.rolling = []
        var random = RecordBuilder(id: "random", status: .engineFailed).build()
        random.windows[1].tokens = nil
        let digests = [odd, RecordBuilder().build(), random, RecordBuilder(id: "b").build()].map(
            RunDigest.init)
        var index = RecordIndex()
        for (number, digest) in digests.enumerated() {
            index.entries["\(number)"] = .init(stamp: stamp(UInt64(number)), run: Run(digest, path: ""))
        }
        let read = RecordIndex(try #require(index.bytes))
        let without = RecordIndex(try #require(index.bytes), keepsSamples: false)
        #expect(read.entries.count == digests.count)
        for (number, digest) in digests.enumerated() {
            #expect(read.entries["\(number)"]?.run.digest == digest)
            var bare = digest
            bare.prefill.samples = Samples([])
            bare.decode.samples = Samples([])
            #expect(without.entries["\(number)"]?.run.digest == bare)
            #expect(read.entries["\(number)"]?.stamp == stamp(UInt64(number)))
        }
    }

    @Test func whatIsDamagedIsEmpty() throws {
        var index = RecordIndex()
        index.entries["a"] = .init(stamp: stamp(1), run: Run(RecordBuilder().build(), path: ""))
        let bytes = try #require(index.bytes)
        #expect(RecordIndex(bytes).entries.count == 1)
        for length in stride(from: 0, to: bytes.count, by: 37) {
            #expect(RecordIndex(Array(bytes.prefix(length))).entries.isEmpty)
        }
        for place in stride(from: 0, to: bytes.count, by: 29) {
            var other = bytes
            other[place] ^= 0x41
            #expect(RecordIndex(other).entries.isEmpty, "\(place)")
        }
        // Also where the check sum is right: nothing is believed, and nothing is read past the end.
        var generator = SplitMix(state: 11)
        for _ in 0..<400 {
            var body = Array(bytes.dropLast(8))
            let place = Int(generator.next() % UInt64(body.count))
            body[place] = UInt8(truncatingIfNeeded: generator.next())
            var tail = IndexWriter()
            tail.fixed(RecordIndex.hash(body))
            _ = RecordIndex(body + tail.bytes)
        }
    }

    /// The same report with an index, without one, and with one that was written before.
    @Test func reportsAreTheSame() throws {
        try withStore(40) { root, place in
            for format in [ReportFormat.markdown, .csv, .json] {
                let options = ReportOptions(pareto: true, format: format)
                let plain = try Report.render(options, Store.runs(in: [root]).stored).text
                for _ in 0..<2 {
                    let (stored, notes) = Store.runs(in: [root], index: place)
                    #expect(notes.isEmpty)
                    #expect(try Report.render(options, stored).text == plain)
                }
            }
        }
    }

    @Test func recordsThatChangedAreReadAnew() throws {
        try withStore(20) { root, place in
            func sustained(_ id: String) -> Double? {
                Store.runs(in: [root], index: place).stored.compactMap(\.run).first { $0.digest.id == id }?
                    .digest[.sustained].number
            }
            #expect(sustained("run3") == 128.92)
            try write(RecordBuilder(id: "run3", sustained: 99), root)
            #expect(sustained("run3") == 99)
            // In place, and of the same length: the time tells.
            let file = root + "/run3/run.json"
            let text = String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
            let handle = try #require(fopen(file, "r+"))
            fputs(text.replacing("\"value\" : 99\n", with: "\"value\" : 98\n"), handle)
            fclose(handle)
            // Two writes within one tick of the kernel's clock would have one time.
            let times = [timeval(tv_sec: 5, tv_usec: 0), timeval(tv_sec: 5, tv_usec: 0)]
            #expect(utimes(file, times) == 0)
            #expect(sustained("run3") == 98)
            // Gone is gone, and what comes is seen.
            try FileManager.default.removeItem(atPath: root + "/run4")
            try write(RecordBuilder(id: "new"), root)
            #expect(sustained("run4") == nil && sustained("new") == 128.92)
        }
    }

    /// A table passes over the samples; the export after it has them all the same, also where the index was renewed.
    @Test func tablesDoNotCostExportsTheirSamples() throws {
        try withStore(20) { root, place in
            func csv() throws -> String {
                try Report.render(
                    ReportOptions(format: .csv), Store.runs(in: [root], index: place).stored
                ).text
            }
            _ = Store.runs(in: [root], index: place, samples: false)
            let first = try csv()
            try write(RecordBuilder(id: "new", sustained: 7), root)
            _ = Store.runs(in: [root], index: place, samples: false)
            let plain = try Report.render(ReportOptions(format: .csv), Store.runs(in: [root]).stored).text
            #expect(try csv() == plain && first != plain)
        }
    }

    @Test func theIndexIsUsed() throws {
        try withStore(20) { root, place in
            _ = Store.runs(in: [root], index: place)
            // A record that cannot be read any more shows whether it was.
            let file = root + "/run7/run.json"
            var before = stat()
            #expect(stat(file, &before) == 0)
            let length = Int(before.st_size)
            try Data(repeating: 0x20, count: length).write(to: URL(filePath: file + ".blank"))
            let frozen = IndexPlace(
                directory: place.directory,
                stamp: { path in
                    // As before, but for the number of the file that was put in its place.
                    path == file ? stamp(77) : place.stamp(path)
                }, write: place.write)
            _ = Store.runs(in: [root], index: frozen)
            #expect(rename(file + ".blank", file) == 0)
            let known = Store.runs(in: [root], index: frozen).stored.compactMap(\.run?.digest.id)
            #expect(known.contains("run7"))
            let anew = Store.runs(in: [root], index: place).stored.compactMap(\.run?.digest.id)
            #expect(!anew.contains("run7"))
        }
    }

    @Test func brokenForeignAndHalfWrittenRecordsAreNamedEachTime() throws {
        try withStore(20) { root, place in
            for (name, text) in [
                ("broken", "{\"schema\": \"sustain.run/1\", \"id\": 7}"),
                ("foreign", "{\"schema\": \"other/1\"}"),
                ("half", "{\"schema\": \"sustain.run/1\", \"id\": \"x"), ("empty", ""),
            ] {
                try FileManager.default.createDirectory(
                    atPath: root + "/" + name, withIntermediateDirectories: true)
                try Data(text.utf8).write(to: URL(filePath: root + "/\(name)/run.json"))
            }
            let file = RecordIndex.path(of: Store.resolved(root), in: place)
            var inodes: Set<UInt64> = []
            for _ in 0..<3 {
                let stored = Store.runs(in: [root], index: place).stored
                inodes.insert(try #require(place.stamp(file)).inode)
                #expect(stored.compactMap(\.run).count == 20)
                var reasons: [String] = []
                for case .problem(let path, let reason) in stored {
                    reasons.append(path.suffix(16) + ": " + reason)
                }
                #expect(reasons.count == 4)
                #expect(reasons.contains { $0.contains("wrong type at id") })
                #expect(reasons.contains { $0.contains("schema other/1") })
                #expect(reasons.count { $0.contains("half-written") } == 2)
            }
            #expect(inodes.count == 1, "problems are no reason to write the index anew")
        }
    }

    @Test func withoutAPlaceToWriteReportsGoOn() throws {
        try withStore(20) { root, place in
            let readOnly = IndexPlace(
                directory: place.directory, stamp: place.stamp, write: { _, _ in "Read-only file system" })
            for _ in 0..<2 {
                let (stored, notes) = Store.runs(in: [root], index: readOnly)
                #expect(stored.compactMap(\.run).count == 20)
                #expect(notes.count == 1 && notes[0].contains("Read-only file system"))
            }
        }
    }

    /// Two that write at once leave a whole file, and few records need none.
    @Test func writersAtOnce() async throws {
        try await withThrowingTaskGroup(of: Int.self) { group in
            let root = try directory()
            defer { try? FileManager.default.removeItem(atPath: root) }
            for number in 0..<20 { try write(RecordBuilder(id: "run\(number)"), root + "/store") }
            let place = Self.place(root + "/cache")
            for _ in 0..<4 {
                group.addTask {
                    Store.runs(in: [root + "/store"], index: place).stored.compactMap(\.run).count
                }
            }
            for try await count in group { #expect(count == 20) }
            let file = RecordIndex.path(of: Store.resolved(root + "/store"), in: place)
            let bytes = try Data(contentsOf: URL(filePath: file))
            #expect(RecordIndex(Array(bytes)).entries.count == 20)
        }
        try withStore(3) { root, place in
            _ = Store.runs(in: [root], index: place)
            #expect(!FileManager.default.fileExists(atPath: place.directory))
        }
    }

    // MARK: A store in a temporary directory

    private func withStore(_ count: Int, _ body: (String, IndexPlace) throws -> Void) throws {
        let root = try directory()
        defer { try? FileManager.default.removeItem(atPath: root) }
        for number in 0..<count { try write(RecordBuilder(id: "run\(number)"), root + "/store") }
        try body(root + "/store", Self.place(root + "/cache"))
    }

    private func directory() throws -> String {
        let root = FileManager.default.temporaryDirectory.appending(path: "index-" + UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        return root
    }

    private func write(_ builder: RecordBuilder, _ root: String) throws {
        let file = URL(filePath: root + "/\(builder.id)/run.json")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(try CanonicalJSON.document(builder.build())).write(to: file, options: .atomic)
    }

    private static func place(_ directory: String) -> IndexPlace {
        IndexPlace(
            directory: directory,
            stamp: { path in
                var status = stat()
                guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
                return FileStamp(
                    device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
                    sizeBytes: UInt64(status.st_size),
                    modifiedNanoseconds: Int64(status.st_mtim.tv_sec) * 1_000_000_000
                        + Int64(status.st_mtim.tv_nsec),
                    changedNanoseconds: Int64(status.st_ctim.tv_sec) * 1_000_000_000
                        + Int64(status.st_ctim.tv_nsec))
            },
            write: { bytes, path in
                do {
                    try FileManager.default.createDirectory(
                        atPath: directory, withIntermediateDirectories: true)
                    try Data(bytes).write(to: URL(filePath: path), options: .atomic)
                    return nil
                } catch {
                    return "\(error)"
                }
            })
    }

    private func stamp(_ number: UInt64) -> FileStamp {
        FileStamp(
            device: 1, inode: number, sizeBytes: 1 << 40, modifiedNanoseconds: -5, changedNanoseconds: .max)
    }
}
