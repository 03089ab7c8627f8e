"""The simulated machine: starting a command in it, and the truth of any window from its log.

Power is in whole microwatts and time in nanoseconds, so energy is whole femtojoules: nothing here rounds.
"""

import bisect
import json
import os
import subprocess

FEMTOJOULES = 10**15  # a joule


class TruthError(Exception):
    """The log does not say what is asked of it."""


class Truth:
    """Piecewise constant power by domain."""

    def __init__(self, lines: list[str]) -> None:
        self.stamps: dict[str, list[int]] = {}
        self.powers: dict[str, list[int]] = {}  # microwatts from the stamp on
        self.totals: dict[str, list[int]] = {}  # femtojoules up to the stamp
        for line in lines:
            entry = json.loads(line)
            if "domain" in entry:
                self._add(entry)

    @classmethod
    def read(cls, path: str) -> "Truth":
        with open(path, encoding="utf-8") as file:
            return cls([line for line in file if line.strip()])

    def _add(self, entry: dict) -> None:
        domain, stamp, total = entry["domain"], entry["t_ns"], entry["nj"] * 10**6 + entry["fj"]
        stamps = self.stamps.setdefault(domain, [])
        powers = self.powers.setdefault(domain, [])
        totals = self.totals.setdefault(domain, [])
        if stamps:
            # The simulator's sum and ours are made separately: a difference is a defect of one of them.
            summed = totals[-1] + powers[-1] * (stamp - stamps[-1])
            if summed != total or stamp < stamps[-1]:
                raise TruthError(f"{domain} at {stamp}: the log says {total} fJ, its own powers sum to {summed}")
        stamps.append(stamp)
        powers.append(entry["uw"])
        totals.append(total)

    def _until(self, domain: str, moment: int) -> int:
        stamps = self.stamps.get(domain)
        if not stamps or moment < stamps[0]:
            raise TruthError(f"{domain}: the log does not reach back to {moment}")
        index = bisect.bisect_right(stamps, moment) - 1
        return self.totals[domain][index] + self.powers[domain][index] * (moment - stamps[index])

    def joules(self, domains: tuple[str, ...], begin: int, end: int) -> float:
        """The exact energy of the domains between two stamps of CLOCK_MONOTONIC, rounded once."""
        return sum(self._until(name, end) - self._until(name, begin) for name in domains) / FEMTOJOULES


def binary() -> str:
    path = os.environ.get("SUSTAIN_SIMULATOR_BINARY") or os.path.join(
        os.path.dirname(os.environ.get("SUSTAIN_BINARY", "")), "simulator"
    )
    if not os.access(path, os.X_OK):
        raise SystemExit(
            f"error: {path}: no simulated machine there\n  remedy: run this as scripts/bench accuracy"
        )
    return path


def run(
    machine: str, command: list[str], directory: str, environment: dict[str, str], limit: float
) -> tuple[int | None, Truth | None]:
    """Runs a command in the machine; its output goes to `directory`/output.

    Returns its exit status (None: it ran past `limit` seconds) and the truth (None: the machine kept no log).
    """
    scenario, log = os.path.join(directory, "machine.scenario"), os.path.join(directory, "log")
    with open(scenario, "w", encoding="utf-8") as file:
        file.write(machine + "\n")
    with open(os.path.join(directory, "output"), "w", encoding="utf-8") as output:
        process = subprocess.Popen(
            [binary(), "--log", log, scenario, "--", *command],
            cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
        )
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            status = None
    if status == 125:
        with open(os.path.join(directory, "output"), encoding="utf-8") as output:
            raise SystemExit(f"error: simulator: {output.read()[-2000:]}\n  remedy: see its message")
    return status, Truth.read(log) if os.path.exists(log) else None
