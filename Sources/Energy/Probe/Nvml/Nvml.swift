import Analysis
import CPower
import Glibc

/// GPUs of NVIDIA: the counter of each board where there is one, its power, and what explains its speed.
struct Nvml {
    private let roots: SystemRoots

    private static let mostDevices = 64

    init(_ roots: SystemRoots) { self.roots = roots }

    /// Adds what every device offers; returns the devices, for their identity and their processes.
    ///
    /// - Parameter context: whether to add what only explains figures: temperature, clocks, memory.
    func find(into findings: inout Findings, context: Bool) -> [GPUDevice] {
        let library: NvmlLibrary
        let count: Int
        switch NvmlLibrary.open(roots.nvml) {
        case .success(let opened): library = opened
        case .failure(let failure):
            findings.note(
                "nvml", failure.status, failure.cause,
                remedy: failure.remedy(device: nil) ?? missingLibraryRemedy(failure))
            return []
        }
        switch library.deviceCount() {
        case .success(let found): count = found
        case .failure(let failure):
            findings.note("nvml", failure.status, failure.cause, remedy: failure.remedy(device: nil))
            return []
        }
        if count == 0 { findings.note("nvml", .absent, "the driver shows no GPU") }
        findings.noteOmitted("nvml", count - Self.mostDevices, of: "GPUs")
        var devices: [GPUDevice] = []
        for index in 0..<min(count, Self.mostDevices) {
            switch library.device(index) {
            case .success(let device): devices.append(GPUDevice(index: index, device))
            case .failure(let failure):
                findings.note(
                    "nvml:\(index)", failure.status, failure.cause, remedy: failure.remedy(device: index))
            }
        }
        for device in devices { NvmlSources(device).find(into: &findings, context: context) }
        return devices
    }

    /// The library comes with the driver. That it is missing is of no interest on a machine without a board.
    private func missingLibraryRemedy(_ failure: NvmlFailure) -> String? {
        guard failure.code == CPOWER_NVML_LIBRARY_NOT_FOUND else { return nil }
        if access("\(roots.procfs)/driver/nvidia/version", F_OK) == 0 {
            return "start the container with --gpus all and NVIDIA_DRIVER_CAPABILITIES=compute,utility"
        }
        return hasBoard
            ? "install NVIDIA's driver: sudo ubuntu-drivers install (or as your system does)" : nil
    }

    /// Whether a display or 3D controller of NVIDIA (PCI vendor 0x10de, class 0x03) is on the bus.
    private var hasBoard: Bool {
        let root = "\(roots.sysfs)/bus/pci/devices"
        let listing = try? Directory(root, most: 4096, capacity: 256 * 1024) { _ in true }
        return listing?.names.contains { name in
            (try? readTextLine("\(root)/\(name)/vendor")) == "0x10de"
                && (try? readTextLine("\(root)/\(name)/class"))?.hasPrefix("0x03") == true
        } ?? false
    }
}
