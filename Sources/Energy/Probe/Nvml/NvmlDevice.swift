import Analysis
import CPower
import Glibc

/// One device of NVML and the numbers, texts and processes it tells.
///
/// Unchecked Sendable: `raw` points to what the library keeps until the process ends, and never changes.
struct NvmlDevice: @unchecked Sendable {
    let library: NvmlLibrary
    let raw: UnsafeRawPointer

    func value(_ item: Int) -> Result<Int64, NvmlFailure> {
        var value: Int64 = 0
        var code: Int32 = 0
        let error = cpower_nvml_value(raw, Int32(item), &value, &code)
        if error == 0 { return .success(value) }
        let name = String(cString: cpower_nvml_item_name(Int32(item)))
        guard code == CPOWER_NVML_SUCCESS else { return .failure(library.failure(code, name)) }
        // The answer was a number that cannot be used; the nearest of NVML's codes is "not supported".
        return .failure(
            NvmlFailure(
                code: Int32(CPOWER_NVML_NOT_SUPPORTED), function: name,
                text: error == ERANGE ? "a number beyond 63 bits" : "a number of an unknown type"))
    }

    func text(_ item: Int, named function: String) -> Result<String, NvmlFailure> {
        var bytes = [CChar](repeating: 0, count: 96)
        let code = cpower_nvml_text(raw, Int32(item), &bytes, bytes.count)
        guard code == CPOWER_NVML_SUCCESS else { return .failure(library.failure(code, function)) }
        return .success(
            String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    /// More than any device has clients.
    private static let mostProcesses: UInt32 = 4096

    /// - Parameter kind: CPOWER_NVML_COMPUTING, ..._DRAWING or ..._SHARING.
    func processes(_ kind: Int) -> Result<[cpower_nvml_process], NvmlFailure> {
        var room: UInt32 = 64
        // Their number may grow between two calls.
        while true {
            var found = [cpower_nvml_process](repeating: cpower_nvml_process(), count: Int(room))
            var count = room
            let code = cpower_nvml_processes(raw, Int32(kind), &found, &count)
            if code == CPOWER_NVML_SUCCESS { return .success(Array(found.prefix(Int(count)))) }
            guard code == CPOWER_NVML_INSUFFICIENT_SIZE, room < Self.mostProcesses else {
                return .failure(library.failure(code, "list of processes"))
            }
            room = min(Self.mostProcesses, max(room * 2, count))
        }
    }

    /// Drivers want room for all samples that they may keep: 72 or 100, 4096 have been seen.
    private static let mostSamples: UInt32 = 65_536

    /// What samples later than `microseconds` say of each process; nothing where there is no such sample.
    func utilization(after microseconds: UInt64) -> Result<[cpower_nvml_utilization], NvmlFailure> {
        var room: UInt32 = 128
        while true {
            var found = [cpower_nvml_utilization](repeating: cpower_nvml_utilization(), count: Int(room))
            var count = room
            let code = cpower_nvml_utilizations(raw, microseconds, &found, &count)
            switch Int(code) {
            case CPOWER_NVML_SUCCESS: return .success(Array(found.prefix(Int(count))))
            case CPOWER_NVML_NOT_FOUND: return .success([])
            case CPOWER_NVML_INSUFFICIENT_SIZE where room < Self.mostSamples:
                room = min(Self.mostSamples, max(room * 2, count))
            default: return .failure(library.failure(code, "nvmlDeviceGetProcessUtilization"))
            }
        }
    }
}
