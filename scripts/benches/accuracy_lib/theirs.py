"""The peers in a scenario: their environment, and the conductor that takes one of them through it."""

import fcntl
import hashlib
import json
import os
import re
import subprocess
import sys

from . import simulator
from .results import Result, disturbed, window
from .scenarios import Scenario

HERE = os.path.dirname(os.path.abspath(__file__))
REQUIREMENTS = os.path.join(HERE, "requirements.txt")
NAMES = ("codecarbon", "pyJoules", "pyRAPL", "zeus", "perun")


def python() -> str:
    """The interpreter of the peers' environment, made on first use and after a change of what it holds."""
    dependencies = os.environ["SUSTAIN_DEPS"]
    environment = os.path.join(dependencies, "peers")
    with open(REQUIREMENTS, "rb") as file:
        key = hashlib.sha256(file.read() + sys.version.encode() + sys.prefix.encode()).hexdigest()
    stamp, interpreter = os.path.join(environment, ".stamp"), os.path.join(environment, "bin", "python")
    os.makedirs(dependencies, exist_ok=True)
    with open(os.path.join(dependencies, "lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (os.path.exists(stamp) and open(stamp, encoding="ascii").read() == key):
            print("== making the peers' Python environment (.deps/peers)", file=sys.stderr)
            subprocess.run([sys.executable, "-m", "venv", "--clear", environment], check=True, stdout=sys.stderr)
            install = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-cache-dir", "-r", REQUIREMENTS]
            if subprocess.run([interpreter, *install], stdout=sys.stderr).returncode != 0:
                raise SystemExit(
                    "error: .deps/peers: pip could not install the peers\n"
                    f"  remedy: check the network; versions are pinned for CPython 3.11, this is {sys.version}"
                )
            with open(stamp, "w", encoding="ascii") as file:
                file.write(key)
    return interpreter


def versions() -> dict[str, str]:
    with open(REQUIREMENTS, encoding="utf-8") as file:
        pins = dict(re.findall(r"^([A-Za-z0-9_.-]+)==(\S+)", file.read(), re.MULTILINE))
    return {name: pins[name] for name in NAMES}


def scopes(tool: str) -> tuple[str, ...]:
    from .peers import SCOPES

    return SCOPES[tool]


def run(tool: str, scenario: Scenario, directory: str) -> Result:
    result = Result(scenario.name, tool)
    plan = {
        "begin": ["power package-0 20 dram 6"],
        "cycles": [
            [{"kind": phase.kind, "seconds": phase.seconds, "lines": phase.lines} for phase in cycle]
            for cycle in scenario.cycles
        ],
    }
    with open(os.path.join(directory, "plan.json"), "w", encoding="utf-8") as file:
        json.dump(plan, file)
    command = [python(), os.path.join(HERE, "conductor.py"), tool, "plan.json", "result.json"]
    # Nothing of the user's own settings of a tool, and no files of theirs in a home directory.
    environment = {**os.environ, "HOME": directory, "PYTHONDONTWRITEBYTECODE": "1"}
    limit = 120 + 2 * scenario.seconds
    status, truth = simulator.run(scenario.machine, command, directory, environment, limit)
    report = {"windows": [], "error": None, "note": None}
    path = os.path.join(directory, "result.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    result.failure, result.note = report["error"], report["note"]
    if status != 0 and result.failure is None:
        result.failure = "it did not end" if status is None else f"it ended with {status}"
    if truth is None:
        return result
    faults = disturbed(scenario, {item["name"]: item["begin"][0] for item in report["windows"]})
    for item in report["windows"]:
        why = item["error"] or (None if item["joules"] is not None else "no figure")
        result.windows.append(
            window(
                item["name"], item["kind"], tuple(item["begin"]), tuple(item["end"]), item["joules"], why, truth,
                scopes(tool), faults,
            )
        )
    return result
