import Analysis
import FoundationEssentials

/// Digests of the records under some directories: what reports are made of.
extension Store {
    /// Directories with fewer records are read so fast that an index of them would only lie about.
    static let fewestIndexed = 16

    /// As `find`, but of each record only what a table shows stays in memory, and what was read before comes out of
    /// an index where there is a place for one.
    ///
    /// - Parameter samples: whether the runs' samples are wanted, which only exports show.
    /// - Returns: the runs sorted by id, then the problems sorted by path; and what to tell of the index.
    public static func runs(
        in places: [String] = ["reports"], index place: IndexPlace? = nil, samples: Bool = true
    ) -> (stored: [StoredRun], notes: [String]) {
        var search = RunSearch(place: place, samples: samples)
        for directory in places { search.look(in: directory) }
        return (search.sorted, search.notes)
    }
}

/// One search of the store.
private struct RunSearch {
    let place: IndexPlace?
    let samples: Bool
    private(set) var notes: [String] = []
    private var runs: [Run] = []
    private var problems: [(path: String, reason: String)] = []
    private var seenFiles: Set<FileStamp> = []
    private var seenPaths: Set<String> = []

    init(place: IndexPlace?, samples: Bool) {
        self.place = place
        self.samples = samples
    }

    mutating func look(in directory: String) {
        guard Store.type(of: directory) == .typeDirectory else {
            for stored in Store.search(directory, Store.maximumEntries) { add(stored) }
            return
        }
        let resolved = Store.resolved(directory)
        let file = place.map { RecordIndex.path(of: resolved, in: $0) }
        func record(_ name: String) -> String {
            Store.joined(name.isEmpty ? directory : Store.joined(directory, name), "run.json")
        }
        func index(samples: Bool) -> RecordIndex? {
            file.flatMap { try? Data(contentsOf: URL(filePath: $0)) }.map {
                RecordIndex(Array($0), keepsSamples: samples, path: record)
            }
        }
        let old = index(samples: samples)
        var new = RecordIndex()
        new.entries.reserveCapacity(old?.entries.count ?? 0)
        var fresh: Set<String> = []
        func take(_ name: String, _ search: inout RunSearch) {
            let inner = name.isEmpty ? directory : Store.joined(directory, name)
            let path = record(name)
            guard let stamp = search.place?.stamp(path) else {
                if let stored = Store.run(in: inner) { search.add(stored) }
                return
            }
            guard search.seenFiles.insert(stamp).inserted else { return }
            if let known = old?.entries[name], known.stamp == stamp {
                new.entries[name] = known
                search.runs.append(known.run)
                return
            }
            // Of a file that was replaced while it was read it is not known which one was.
            guard let run = search.add(RecordFile.read(path)), stamp.isSettled,
                search.place?.stamp(path) == stamp
            else { return }
            new.entries[name] = .init(stamp: stamp, run: run)
            fresh.insert(name)
        }
        take("", &self)
        guard let entries = Store.entries(of: directory) else {
            problems.append((directory, "the directory cannot be read"))
            return
        }
        for entry in entries.prefix(Store.maximumEntries) { take(entry, &self) }
        if let problem = Store.tooMany(entries, Store.maximumEntries, in: directory) { add(problem) }
        // Problems are read each time, and are no reason to write anew what is as it was.
        guard let place, let file, !fresh.isEmpty || old?.entries.count != new.entries.count,
            new.entries.count >= Store.fewestIndexed
        else { return }
        if !samples, let whole = index(samples: true) {
            // What was read without its samples must not be kept without them.
            for (name, entry) in new.entries where !fresh.contains(name) {
                let same = whole.entries[name].flatMap { $0.stamp == entry.stamp ? $0 : nil }
                new.entries[name] = same
            }
        }
        guard let bytes = new.bytes else { return }
        if let why = place.write(bytes, file) {
            notes.append(
                "no index of \(directory.escapedForDisplay) was kept (\(why)): all \(new.entries.count) records "
                    + "are read each time; XDG_CACHE_HOME names another place for it")
        }
    }

    /// - Returns: the run that was added; nil for a problem, and for a file that was seen before.
    @discardableResult
    private mutating func add(_ stored: Stored) -> Run? {
        guard seenPaths.insert(Store.resolved(stored.path)).inserted else { return nil }
        switch stored {
        case .record(let record, let path):
            let run = Run(RunDigest(record), path: path)
            runs.append(run)
            return run
        case .problem(let path, let reason):
            problems.append((path, reason))
            return nil
        }
    }

    /// A copy is a problem: a second file with the same run id.
    var sorted: [StoredRun] {
        var first: [String: String] = [:]
        var copies: [(path: String, reason: String)] = []
        let own = runs.filter { run in
            guard let earlier = first[run.digest.id] else {
                first[run.digest.id] = run.path
                return true
            }
            copies.append((run.path, Store.copyReason(earlier)))
            return false
        }
        return own.sorted { $0.digest.id < $1.digest.id }.map(StoredRun.run)
            + (problems + copies).sorted { $0.path < $1.path }.map {
                .problem(path: $0.path, reason: $0.reason)
            }
    }
}
