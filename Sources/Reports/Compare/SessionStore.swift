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

    private static func read(_ path: String) -> SessionDocument? {
        let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? UInt
        guard let size, size <= UInt(Store.maximumBytes),
            let data = try? Data(contentsOf: URL(filePath: path))
        else { return nil }
        return try? CanonicalJSON.decode(SessionDocument.self, from: data)
    }
}
