#if Llama
import CLlama

/// The thread pool llama-bench attaches. Without one, a build without OpenMP makes and ends its threads at
/// every token.
struct ThreadPool {
    private let pool: OpaquePointer
    private let free: Free

    private typealias New =
        @convention(c) (UnsafeMutablePointer<ggml_threadpool_params>?) -> OpaquePointer?
    private typealias Free = @convention(c) (OpaquePointer?) -> Void

    /// The functions are the CPU backend's, which may be a plugin: they are found through its registry.
    init(threads: Int32) throws(WorkerFailure) {
        let device = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU)
        let registry = ggml_backend_dev_backend_reg(device)
        guard let new = ggml_backend_reg_get_proc_address(registry, "ggml_threadpool_new"),
            let free = ggml_backend_reg_get_proc_address(registry, "ggml_threadpool_free")
        else { throw Self.failure("the CPU backend has no thread pool functions") }
        self.free = unsafeBitCast(free, to: Free.self)
        var parameters = ggml_threadpool_params_default(threads)
        guard let pool = unsafeBitCast(new, to: New.self)(&parameters) else {
            throw Self.failure(EngineLog.complaints ?? "ggml made none of \(threads) threads")
        }
        self.pool = pool
    }

    func attach(to context: OpaquePointer) { llama_attach_threadpool(context, pool, nil) }

    /// After the context it was attached to is gone.
    func end() { free(pool) }

    private static func failure(_ cause: String) -> WorkerFailure {
        WorkerFailure("thread pool", cause, code: ErrorCode.loadFailed)
    }
}
#endif
