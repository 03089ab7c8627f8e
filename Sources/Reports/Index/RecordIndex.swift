import Analysis
import FoundationEssentials

/// What identifies the contents of a file: a record that changes is another file (it is replaced by renaming), and
/// one that is edited in place has another time.
public struct FileStamp: Sendable, Hashable {
    public var device: UInt64
    public var inode: UInt64
    public var sizeBytes: UInt64
    public var modifiedNanoseconds: Int64
    public var changedNanoseconds: Int64
    /// False for a file that changed a moment ago: another change may leave the same times.
    public var isSettled: Bool

    public init(
        device: UInt64, inode: UInt64, sizeBytes: UInt64, modifiedNanoseconds: Int64,
        changedNanoseconds: Int64,
        isSettled: Bool = true
    ) {
        self.isSettled = isSettled
        self.device = device
        self.inode = inode
        self.sizeBytes = sizeBytes
        self.modifiedNanoseconds = modifiedNanoseconds
        self.changedNanoseconds = changedNanoseconds
    }
}

/// What the index needs of the system, and where it lives (docs/decisions/0018).
public struct IndexPlace: Sendable {
    /// A directory of the user's own cache; it need not exist.
    public var directory: String
    /// Of a regular file, links followed; nil for anything else.
    public var stamp: @Sendable (_ path: String) -> FileStamp?
    /// Replaces a file as a whole, and makes its directory; why it could not, or nil.
    public var write: @Sendable (_ bytes: [UInt8], _ path: String) -> String?

    public init(
        directory: String, stamp: @escaping @Sendable (String) -> FileStamp?,
        write: @escaping @Sendable ([UInt8], String) -> String?
    ) {
        self.directory = directory
        self.stamp = stamp
        self.write = write
    }
}

/// The digests of the records of one directory, by path. It only ever saves time: one that is missing, of another
/// version, torn or damaged is as good as an empty one.
struct RecordIndex: Sendable {
    struct Entry: Sendable {
        var stamp: FileStamp
        var run: Run
    }

    private static let magic = "sustain.index/1"

    /// What the bytes mean: another list of figures, or another major version of records, is another layout.
    static var layout: String {
        let figures = RunFigure.allCases.map { "\($0)" } + PhaseFigure.allCases.map { "\($0)" }
        return ([magic, Record.currentSchema] + figures).joined(separator: " ")
    }

    var entries: [String: Entry] = [:]

    /// The file of a directory's index: named by a hash of the directory's own path.
    static func path(of directory: String, in place: IndexPlace) -> String {
        let name = String(hash(directory.utf8), radix: 16)
        return "\(place.directory)/records-\(String(repeating: "0", count: 16 - name.count))\(name).index"
    }

    /// FNV-1a, 64 bits: tells a torn or damaged file, and keeps names apart. It keeps out nobody who means to
    /// deceive, and need not: who can write here can write the records too.
    static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }

    init() {}

    /// - Parameters:
    ///   - path: of the record that an entry names.
    ///   - keepsSamples: false leaves the runs without their samples, which only exports show.
    init(_ bytes: [UInt8], keepsSamples: Bool = true, path: (String) -> String = { $0 }) {
        guard let entries = try? Self.entries(bytes, keepsSamples, path) else { return }
        self.entries = entries
    }

    private static func entries(
        _ bytes: [UInt8], _ keepsSamples: Bool, _ place: (String) -> String
    ) throws(IndexReader.Damaged) -> [String: Entry] {
        let end = bytes.count - 8
        guard end > 0 else { throw IndexReader.Damaged() }
        var tail = IndexReader(bytes, in: end..<bytes.count)
        guard try tail.fixed() == bytes[..<end].withUnsafeBytes({ hash($0) }) else {
            throw IndexReader.Damaged()
        }
        var reader = IndexReader(bytes, in: 0..<end, keepsSamples: keepsSamples)
        guard try reader.text() == layout else { throw IndexReader.Damaged() }
        var entries: [String: Entry] = [:]
        let count = try reader.count()
        entries.reserveCapacity(min(count, 1 << 20))
        for _ in 0..<count {
            let path = try reader.text()
            let stamp = FileStamp(
                device: try reader.number(), inode: try reader.number(), sizeBytes: try reader.number(),
                modifiedNanoseconds: Int64(bitPattern: try reader.fixed()),
                changedNanoseconds: Int64(bitPattern: try reader.fixed()))
            entries[path] = Entry(stamp: stamp, run: Run(try reader.run(), path: place(path)))
        }
        guard reader.isAtEnd else { throw IndexReader.Damaged() }
        return entries
    }

    /// nil where a digest cannot be written, which no record makes happen.
    var bytes: [UInt8]? {
        var writer = IndexWriter()
        writer.put(Self.layout)
        writer.number(UInt64(entries.count))
        do {
            for (path, entry) in entries.sorted(by: { $0.key < $1.key }) {
                writer.put(path)
                writer.number(entry.stamp.device)
                writer.number(entry.stamp.inode)
                writer.number(entry.stamp.sizeBytes)
                writer.fixed(UInt64(bitPattern: entry.stamp.modifiedNanoseconds))
                writer.fixed(UInt64(bitPattern: entry.stamp.changedNanoseconds))
                try writer.put(entry.run.digest)
            }
        } catch {
            return nil
        }
        var tail = IndexWriter()
        tail.fixed(writer.bytes.withUnsafeBytes { Self.hash($0) })
        return writer.bytes + tail.bytes
    }
}
