"""What one sample of a peer costs: runs in the peers' environment, prints microseconds of CPU time.

Usage: costs.py TOOL DIRECTORY SAMPLES. DIRECTORY is laid out as /sys/class/powercap/intel-rapl is. The samples
follow each other without a pause, in warm caches: a lower bound of what they cost beside real work.
"""

import sys
import time
from typing import Callable


def pyjoules(directory: str) -> Callable[[], None]:
    from pyJoules.device import rapl_device
    from pyJoules.energy_meter import EnergyMeter

    rapl_device.RAPL_API_DIR = directory
    device = rapl_device.RaplDevice()
    device.configure(rapl_device.RaplDevice.available_package_domains())
    meter = EnergyMeter([device])

    def sample() -> None:
        meter.start()  # one state; record() would keep every state before it as well

    return sample


def zeus(directory: str) -> Callable[[], None]:
    from zeus.device.cpu import rapl
    from zeus.monitor import ZeusMonitor

    rapl.RAPL_DIR = directory
    monitor = ZeusMonitor()
    assert len(monitor.cpu_indices) == 4
    is_open = False

    def edge() -> None:
        nonlocal is_open
        monitor.end_window("w") if is_open else monitor.begin_window("w")
        is_open = not is_open

    return edge


def codecarbon_counters(directory: str) -> Callable[[], None]:
    from codecarbon.core.cpu import IntelRAPL
    from codecarbon.core.units import Time

    counters = IntelRAPL(rapl_dir=directory)
    counters.start()
    second = Time(seconds=1)
    assert len(counters.get_cpu_details(second)) >= 4

    def sample() -> None:
        counters.get_cpu_details(second)

    return sample


def codecarbon_task(directory: str) -> Callable[[], None]:
    from codecarbon import OfflineEmissionsTracker
    from codecarbon.core import cpu, resource_tracker

    # The tracker takes no directory; its class of counters does.
    class Counters(cpu.IntelRAPL):
        def __init__(self, rapl_dir: str = "", **more) -> None:
            super().__init__(rapl_dir=directory, **more)

    from codecarbon.external import hardware

    hardware.IntelRAPL = Counters
    resource_tracker.cpu.is_rapl_available = lambda *_: True
    tracker = OfflineEmissionsTracker(
        country_iso_code="USA", tracking_mode="machine", save_to_file=False, log_level="error",
        allow_multiple_runs=True,
    )
    tracker.get_detected_hardware()
    count = 0
    is_open = False

    def edge() -> None:
        nonlocal count, is_open
        if is_open:
            tracker.stop_task(f"task {count}")
        else:
            count += 1
            tracker.start_task(f"task {count}")
        is_open = not is_open

    return edge


TOOLS = {
    "pyJoules": (pyjoules, "a state of its meter"),
    "zeus": (zeus, "an edge of a window"),
    "codecarbon": (codecarbon_counters, "a sample of its RAPL class"),
    "codecarbon task": (codecarbon_task, "an edge of a task, with its models"),
}


def main() -> int:
    tool, directory, samples = sys.argv[1], sys.argv[2], int(sys.argv[3])
    sample = TOOLS[tool][0](directory)
    for _ in range(max(20, samples // 10)):
        sample()
    before = time.process_time_ns()
    for _ in range(samples):
        sample()
    print("cost", (time.process_time_ns() - before) / samples / 1000)
    return 0


if __name__ == "__main__":
    sys.exit(main())
