import WorkerProtocol

/// What ends a command: reported to sustain as an `error` event.
struct WorkerFailure: Error {
    let report: WorkerError

    init(_ thing: String, _ cause: String, remedy: String? = nil, code: String? = nil, fatal: Bool = false) {
        report = WorkerError(thing: thing, cause: cause, remedy: remedy, code: code, fatal: fatal)
    }
}

/// The classes of `WorkerError.code` that this worker gives.
enum ErrorCode {
    static let outOfMemory = "out_of_memory"
    static let deviceOutOfMemory = "device_out_of_memory"
    static let refused = "refused"
    static let loadFailed = "load_failed"
    static let generationFailed = "generation_failed"
    static let aborted = "aborted"
}
