import Analysis
import CPower

/// What NVML answered instead of what it was asked for.
struct NvmlFailure: Error, Hashable {
    /// NVML's code (nvmlReturn_t).
    let code: Int32
    /// The function that answered so.
    let function: String
    /// NVML's own words for the code, or the loader's.
    let text: String

    /// For a row: which function said what.
    var cause: String { "\(function): \(text)" }

    var errno: Int32 { cpower_nvml_errno(code) }

    var status: SourceLine.Status { Findings.status(of: errno) }

    /// What the user can do; nil where there is nothing to do.
    ///
    /// - Parameter index: of the device, where it is one's.
    func remedy(device index: Int?) -> String? {
        switch Int(code) {
        case CPOWER_NVML_DRIVER_NOT_LOADED: return "sudo modprobe nvidia"
        case CPOWER_NVML_NO_PERMISSION:
            return
                "let your user read and write /dev/nvidiactl and /dev/nvidia*; in a container: --gpus all"
        case CPOWER_NVML_LIB_RM_VERSION_MISMATCH:
            return "reboot: the NVIDIA driver was updated while its old kernel module stays loaded"
        case CPOWER_NVML_INSUFFICIENT_POWER: return "connect the external power of the GPU"
        case CPOWER_NVML_GPU_IS_LOST, CPOWER_NVML_RESET_REQUIRED:
            let which = index.map { " -i \($0)" } ?? ""
            return "sudo nvidia-smi --gpu-reset\(which), or reboot; `sudo dmesg | grep Xid` tells why"
        default: return nil
        }
    }

    func failure(of thing: String, device index: Int? = nil) -> Failure {
        Failure(thing: thing, cause: cause, errno: errno, remedy: remedy(device: index))
    }
}
