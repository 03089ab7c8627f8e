import Analysis
import FoundationEssentials

/// Stored comparisons.
public enum SessionStore {
    /// As many of the latest sessions are looked at: older ones are of older builds.
    private static let most = 200

    /// What can be read of the latest sessions in a directory; empty where there is none. Whatever is no session of
    /// this version is left out: they are asked only how the machine drifts.
    public static func latest(in place: String) -> [SessionDocument] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        var found: [SessionDocument] = []
        for name in names.sorted(by: >) {
            let path = "\(place)/\(name)/session.json"
            guard Store.type(of: path) == .typeRegular, let session = read(path) else { continue }
            found.append(session)
            if found.count == most { break }
        }
        return found
    }

    /// The directories of sessions at places where a report looks for runs, and no deeper; sorted within each.
    static func directories(in places: [String]) -> [String] {
        places.flatMap { place in
            let inner = (Store.entries(of: place) ?? []).prefix(Store.maximumEntries).map {
                Store.joined(place, $0)
            }
            return ([place] + inner).filter {
                // Most are of runs: the cheap question first.
                let file = Store.joined($0, "session.json")
                return FileManager.default.fileExists(atPath: file) && Store.type(of: file) == .typeRegular
            }
        }
    }

    /// That there are comparisons, which are no runs and so in no report of runs; nil where there is none.
    public static func note(in places: [String]) -> String? {
        let found = directories(in: places)
        guard let last = found.last?.escapedForDisplay else { return nil }
        return found.count == 1
            ? "1 comparison is not shown here: `sustain analyze \(last)` prints it"
            : "\(found.count) comparisons are not shown here: `sustain analyze DIR` prints one (the last is \(last))"
    }

    /// A session's document; nil for what is none of this version, or cannot be read.
    public static func read(_ path: String) -> SessionDocument? {
        let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? UInt
        guard let size, size <= UInt(Store.maximumBytes),
            let data = try? Data(contentsOf: URL(filePath: path))
        else { return nil }
        return try? CanonicalJSON.decode(SessionDocument.self, from: data)
    }
}
