import Analysis
import Glibc

/// The sidecars of a run: meters' logs that were read after it (`--power csv:FILE`).
enum MeterImport {
    /// A day at 10 Hz is below it.
    private static let largestLog = 64 << 20
    private static let largestSidecar = 1 << 30
    private static let mostSidecars = 64

    /// Reads a meter's log and writes it beside the trace, on the trace's clock. What is wrong with the log is
    /// written there too: it never ends a run.
    static func add(log path: String, id: String, to directory: RunDirectory) throws(Failure) {
        let bytes = try BoundedFile.read(directory.tracePath, limit: AnalyzedRun.largestTrace)
        let trace = try Trace.parse(bytes, name: directory.tracePath)
        let log: Result<[UInt8], Failure>
        do {
            log = .success(
                try BoundedFile.read(path, limit: largestLog, remedy: "cut the log to the time of the run"))
        } catch {
            log = .failure(error)
        }
        let sidecar = try ImportedLog.sidecar(log, file: path, id: id, of: trace)
        try AtomicFile.write(sidecar, to: directory.path + "/import-1.jsonl")
    }

    /// Adds the sidecars that lie beside a trace; one that cannot be read is a warning of the record.
    static func merge(beside directory: String, into trace: inout Trace) {
        for number in 1...mostSidecars {
            let name = "import-\(number).jsonl"
            do {
                let bytes = try BoundedFile.read(directory + name, limit: largestSidecar)
                try trace.add(sidecar: bytes, name: name)
            } catch {
                if error.isMissingFile { return }
                trace.warnings.append("\(name): \(error.cause)")
            }
        }
    }
}

extension Failure {
    /// ENOENT of the file itself.
    fileprivate var isMissingFile: Bool { errno == ENOENT }
}
