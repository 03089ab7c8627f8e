#if Llama
import CLlama
import Synchronization
import WorkerProtocol

/// A failed assertion inside ggml ends the process by abort(); what it said reaches sustain first.
enum AbortReport {
    private static let events = Atomic<Int32>(-1)

    /// - Parameter descriptor: where events go. The report is written from whatever thread failed; no
    ///   other thread writes while llama.cpp computes.
    static func install(descriptor: Int32) {
        events.store(descriptor, ordering: .relaxed)
        _ = ggml_set_abort_callback { message in
            let text = message.map { String(cString: $0) } ?? "no message"
            StandardError.write("\(text)\n")
            let cause = [EngineLog.complaints, text].compactMap { $0 }.joined(separator: "; ")
            let report = WorkerError(
                thing: "llama.cpp", cause: cause,
                code: MemoryShortage.code(in: cause, devices: []) ?? ErrorCode.aborted, fatal: true)
            LineCodec.encode(.error(report)).withUnsafeBytes {
                EventChannel.write($0, to: AbortReport.events.load(ordering: .relaxed))
            }
        }
    }
}
#endif
