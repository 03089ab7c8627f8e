import Analysis
import CPower

/// One GPU as its driver's management library (NVML) shows it.
public struct GPUDevice: Sendable {
    /// `nvml:0`: the number is NVML's, which orders devices by PCI address.
    public let id: String
    /// The device in the scope of its sources: its PCI address, "0000:65:00.0", else its UUID, else its id.
    public let device: String
    /// As sysfs writes it: "0000:65:00.0".
    public let pci: Maybe<String>
    public let uuid: Maybe<String>
    public let name: Maybe<String>
    public let vbios: Maybe<String>
    /// Version of the driver.
    public let driver: Maybe<String>
    /// The power limit in force, and the one it had from the factory.
    public let powerLimit: Maybe<Watts>
    public let defaultPowerLimit: Maybe<Watts>
    /// Whether the board is divided into instances (MIG): its energy is that of all of them.
    public let isDivided: Maybe<Bool>
    let nvml: NvmlDevice

    init(index: Int, _ nvml: NvmlDevice) {
        id = "nvml:\(index)"
        self.nvml = nvml
        func text(_ item: Int, _ function: String) -> Maybe<String> {
            Maybe(nvml.text(item, named: function))
        }
        func watts(_ item: Int) -> Maybe<Watts> {
            Maybe(nvml.value(item).map { Watts(Double($0) * 1e-3) })
        }
        pci = Maybe(
            nvml.text(CPOWER_NVML_PCI, named: "nvmlDeviceGetPciInfo_v3").map(Self.sysfsAddress))
        uuid = text(CPOWER_NVML_UUID, "nvmlDeviceGetUUID")
        name = text(CPOWER_NVML_NAME, "nvmlDeviceGetName")
        vbios = text(CPOWER_NVML_VBIOS, "nvmlDeviceGetVbiosVersion")
        driver = text(CPOWER_NVML_DRIVER, "nvmlSystemGetDriverVersion")
        powerLimit = watts(CPOWER_NVML_POWER_LIMIT)
        defaultPowerLimit = watts(CPOWER_NVML_POWER_DEFAULT_LIMIT)
        isDivided = Maybe(nvml.value(CPOWER_NVML_MIG_MODE).map { $0 == 1 })
        device = pci.value ?? uuid.value ?? id
    }

    /// NVML writes the PCI domain with eight digits and in capitals, sysfs with four and in small letters.
    private static func sysfsAddress(_ address: String) -> String {
        let small = address.lowercased()
        return small.hasPrefix("0000")
            && small.firstIndex(of: ":") == small.index(small.startIndex, offsetBy: 8)
            ? String(small.dropFirst(4)) : small
    }

    /// Bytes of the board's memory that can still be had now (nvmlDeviceGetMemoryInfo), or why that is not told.
    /// Asks the driver: keep it out of timed windows.
    public func freeMemory() -> Maybe<UInt64> {
        Maybe(nvml.value(CPOWER_NVML_MEMORY_FREE).map { UInt64(clamping: $0) })
    }

    /// The processes that the driver lists on the device now, those that compute first.
    ///
    /// In a container the list is often empty, or of the host's process ids. That a board cannot draw or is not
    /// shared out is no failure. Asks the driver: keep it out of timed windows.
    ///
    /// - Returns: a failure where the processes that compute cannot be listed, or where the board is divided and
    ///   lists none: then only a privileged program is told of them.
    public func processes() -> Result<[GPUProcess], Failure> {
        switch nvml.processes(CPOWER_NVML_COMPUTING) {
        case .failure(let failure): return .failure(failure.failure(of: id))
        case .success(let computing):
            if computing.isEmpty, isDivided.value == true {
                return .failure(
                    Failure(thing: id, cause: "MIG is enabled: processes are listed to privileged users only")
                )
            }
            let sharing = (try? nvml.processes(CPOWER_NVML_SHARING).get()) ?? []
            let drawing = (try? nvml.processes(CPOWER_NVML_DRAWING).get()) ?? []
            return .success(
                (computing + sharing).map { GPUProcess($0, computes: true) }
                    + drawing.map { GPUProcess($0, computes: false) })
        }
    }
}

extension GPUDevice {
    /// What the driver's own samples credit processes with (nvmlDeviceGetProcessUtilization): one entry a process
    /// that has a part in them, empty where there is no sample or no process has one.
    ///
    /// Seen on an H200 with driver 580: a sample is made every 200 ms and credits the one process that ran; a
    /// percentage is the mean over all samples since `microseconds`; the last 72 samples, 14 s, are kept. A process
    /// that runs less than a sample now and then may have no part in a few of them. Asks the driver, which takes
    /// about 2 ms: keep it out of timed windows.
    ///
    /// - Parameter microseconds: only later samples count, by the clock of `GPUUtilization.microseconds`; 0 is all.
    /// - Returns: a failure where the driver keeps none: of boards before Maxwell, or divided ones.
    public func utilization(after microseconds: UInt64) -> Result<[GPUUtilization], Failure> {
        switch nvml.utilization(after: microseconds) {
        case .failure(let failure): .failure(failure.failure(of: id))
        case .success(let samples):
            // Some drivers fill what they do not use with entries of no time.
            .success(samples.filter { $0.time_us > microseconds }.map(GPUUtilization.init))
        }
    }
}

/// What the samples of a driver credit one process with.
public struct GPUUtilization: Sendable, Hashable {
    public let pid: Int32
    /// Of the newest sample, by the driver's clock.
    public let microseconds: UInt64
    /// Of the time of the device's multiprocessors. Drivers have been seen to tell more than 100.
    public let smPercent: Int

    init(_ raw: cpower_nvml_utilization) {
        pid = Int32(clamping: raw.pid)
        microseconds = raw.time_us
        smPercent = Int(raw.sm)
    }
}

/// A process on a GPU.
public struct GPUProcess: Sendable, Hashable {
    public let pid: Int32
    /// Bytes of the device's memory; nil where the driver does not tell.
    public let memoryBytes: UInt64?
    /// False for one that draws only.
    public let computes: Bool

    init(_ raw: cpower_nvml_process, computes: Bool) {
        pid = Int32(clamping: raw.pid)
        memoryBytes = raw.memory == .max ? nil : raw.memory
        self.computes = computes
    }
}

extension Maybe {
    init(_ result: Result<Value, NvmlFailure>) {
        switch result {
        case .success(let value): self = .known(value)
        case .failure(let failure): self = .unavailable(failure.cause)
        }
    }
}
