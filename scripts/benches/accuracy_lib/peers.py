"""Other energy meters of the Python world behind one interface, each through its documented calls.

Runs in the peers' environment; only the tool that is asked for is imported. Joules are those of the scopes that
the tool says it measures: `SCOPES` names them.
"""

import logging
import os

# Whether a tool's figure is for processors and memory, or for processors alone.
SCOPES = {
    "codecarbon": ("package-0",),
    "pyJoules": ("package-0", "dram"),
    "pyRAPL": ("package-0", "dram"),
    "zeus": ("package-0", "dram"),
    "perun": ("package-0", "dram"),
}


class Peer:
    """One tool: windows may be nested one deep."""

    def open(self) -> None:
        """Prepares the tool; may raise."""

    def session(self, program) -> None:
        program()

    def begin(self, name: str) -> None:
        raise NotImplementedError

    def end(self, name: str) -> float | None:
        raise NotImplementedError

    def results(self) -> dict[str, float | None]:
        """What is known only after the session, by window."""
        return {}

    def note(self) -> str | None:
        return None


class CodeCarbon(Peer):
    """A tracker that samples every second for the long window, the task interface for those inside it."""

    def open(self) -> None:
        from codecarbon import OfflineEmissionsTracker

        def tracker():
            made = OfflineEmissionsTracker(
                country_iso_code="USA", measure_power_secs=1, tracking_mode="machine", save_to_file=False,
                log_level="warning", allow_multiple_runs=True,
            )
            made.get_detected_hardware()
            return made

        self.whole, self.tasks = tracker(), tracker()

    def begin(self, name: str) -> None:
        if name == "whole":
            self.whole.start()
        else:
            self.tasks.start_task(name)

    def end(self, name: str) -> float | None:
        if name == "whole":
            self.whole.stop()
            return self.whole.final_emissions_data.cpu_energy * 3.6e6
        return self.tasks.stop_task(name).cpu_energy * 3.6e6

    def note(self) -> str | None:
        modes = {getattr(item, "_mode", None) for item in getattr(self.whole, "_hardware", [])} - {None}
        if modes and "intel_rapl" not in modes:
            return "an estimate: CPU mode " + ", ".join(sorted(modes))
        return None


class PyJoules(Peer):
    def open(self) -> None:
        from pyJoules.device import DeviceFactory
        from pyJoules.device.rapl_device import RaplDevice
        from pyJoules.energy_meter import EnergyMeter

        domains = RaplDevice.available_package_domains() + RaplDevice.available_dram_domains()
        if not domains:
            raise RuntimeError("it finds no package and no dram domain")
        self.found = [str(domain) for domain in domains]
        self.meters = [EnergyMeter(DeviceFactory.create_devices(domains)) for _ in range(2)]

    def _meter(self, name: str):
        return self.meters[0 if name == "whole" else 1]

    def begin(self, name: str) -> None:
        self._meter(name).start(tag=name)

    def end(self, name: str) -> float | None:
        meter = self._meter(name)
        meter.stop()
        return sum(meter.get_trace()[0].energy.values()) / 1e6

    def note(self) -> str | None:
        found = getattr(self, "found", [])
        return None if any(name.startswith("package") for name in found) else "it finds no package"


class PyRAPL(Peer):
    def open(self) -> None:
        import pyRAPL

        pyRAPL.setup()
        self.windows = {}
        self.make = pyRAPL.Measurement

    def begin(self, name: str) -> None:
        self.windows[name] = self.make(name)
        self.windows[name].begin()

    def end(self, name: str) -> float | None:
        window = self.windows.pop(name)
        window.end()
        if window.result.pkg is None:
            return None
        return sum(window.result.pkg + (window.result.dram or [])) / 1e6


class Zeus(Peer):
    def open(self) -> None:
        from zeus.monitor import ZeusMonitor

        self.monitor = ZeusMonitor()

    def begin(self, name: str) -> None:
        self.monitor.begin_window(name)

    def end(self, name: str) -> float | None:
        window = self.monitor.end_window(name)
        if not window.cpu_energy:
            return None
        return sum(window.cpu_energy.values()) + sum((window.dram_energy or {}).values())


class Perun(Peer):
    """Regions of a monitored function, sampled every 0.1 s, the least it takes: mean power x time."""

    def open(self) -> None:
        logging.getLogger("perun").setLevel(logging.ERROR)
        from perun.configuration import config, save_to_config
        from perun.core import Perun as Core

        for key, value in {
            "sampling_period": 0.1, "include_backends": "powercap_rapl", "data_out": os.getcwd(),
        }.items():
            save_to_config(key, value)
        self.core, self.runs = Core(config), []
        if not self.core.l_assigned_sensors:
            raise RuntimeError("it finds no sensor")

    def session(self, program) -> None:
        from perun import perun, register_callback

        def collect(node) -> None:
            self.runs.append(node)

        register_callback(collect)
        perun(sampling_period=0.1)(program)()

    def begin(self, name: str) -> None:
        self.core.mark_event(name)  # what its decorator `monitor` does around a function

    def end(self, name: str) -> float | None:
        self.core.mark_event(name)
        return None

    def results(self) -> dict[str, float | None]:
        if not self.runs:
            raise RuntimeError("its run ended without data")
        from perun.data_model.data import MetricType

        found = {}
        for run in self.runs[-1].nodes.values():
            for region in run.regions.values():
                metrics = region.metrics
                if MetricType.POWER in metrics and MetricType.RUNTIME in metrics:
                    found[region.id] = float(metrics[MetricType.POWER].sum * metrics[MetricType.RUNTIME].sum)
        return found


PEERS = {"codecarbon": CodeCarbon, "pyJoules": PyJoules, "pyRAPL": PyRAPL, "zeus": Zeus, "perun": Perun}
