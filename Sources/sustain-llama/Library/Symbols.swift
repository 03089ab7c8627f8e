#if Llama
import Glibc

/// The functions this worker calls, looked up by name before any of them is called.
///
/// Function calls are bound lazily, so a library that lacks one would end the process in the middle of a
/// run with a line from the loader.
enum Symbols {
    static let called = [
        "ggml_backend_dev_backend_reg", "ggml_backend_dev_by_type", "ggml_backend_dev_count",
        "ggml_backend_dev_get", "ggml_backend_dev_get_props", "ggml_backend_dev_name",
        "ggml_backend_dev_type", "ggml_backend_load_all_from_path", "ggml_backend_reg_count",
        "ggml_backend_reg_get_proc_address", "ggml_backend_reg_name", "ggml_commit",
        "ggml_set_abort_callback", "ggml_threadpool_params_default", "ggml_type_name", "ggml_version",
        "llama_attach_threadpool", "llama_backend_init", "llama_batch_get_one",
        "llama_context_default_params", "llama_decode", "llama_free",
        "llama_get_logits_ith", "llama_get_memory", "llama_init_from_model", "llama_log_set",
        "llama_memory_clear", "llama_model_default_params", "llama_model_desc", "llama_model_free",
        "llama_model_get_vocab", "llama_model_has_decoder", "llama_model_has_encoder",
        "llama_model_is_diffusion", "llama_model_is_recurrent", "llama_model_load_from_file",
        "llama_model_n_ctx_train", "llama_model_n_layer", "llama_model_n_params", "llama_model_size",
        "llama_n_batch", "llama_n_ctx", "llama_n_threads", "llama_n_ubatch", "llama_print_system_info",
        "llama_supports_gpu_offload", "llama_synchronize", "llama_tokenize", "llama_version",
        "llama_vocab_n_tokens", "llama_vocab_type",
    ]

    /// The address of a function in the loaded libraries.
    static func address(_ name: String) -> UnsafeMutableRawPointer? { dlsym(nil, name) }

    static var missing: [String] { called.filter { address($0) == nil } }
}
#endif
