"""Runs in the simulated machine, in the peers' environment: takes one tool through a scenario.

Usage: conductor.py TOOL PLAN RESULT. Drives the power through the control file, and stamps CLOCK_MONOTONIC
before and after each of the tool's start and stop calls.
"""

import json
import os
import sys
import time
import traceback

import peers


def now() -> int:
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def wait(seconds: float) -> None:
    end = now() + int(seconds * 1e9)
    while (left := end - now()) > 0:
        time.sleep(left / 1e9)


def short(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".strip().splitlines()[0][:200]


class Conductor:
    def __init__(self, tool: peers.Peer, plan: dict) -> None:
        self.tool = tool
        self.plan = plan
        self.windows: list[dict] = []
        self.control = os.open(os.path.join(os.environ["SUSTAIN_SIMULATOR"], "control"), os.O_WRONLY)

    def act(self, lines: list[str]) -> None:
        for line in lines:
            os.write(self.control, (line + "\n").encode())

    def window(self, name: str, kind: str, body) -> None:
        window = {"name": name, "kind": kind, "joules": None, "error": None}
        begin = now()
        try:
            self.tool.begin(name)
        except Exception as error:
            window["error"] = short(error)
        window["begin"] = [begin, now()]
        body()
        end = now()
        if window["error"] is None:
            try:
                window["joules"] = self.tool.end(name)
            except Exception as error:
                window["error"] = short(error)
        window["end"] = [end, now()]
        self.windows.append(window)

    def cycles(self) -> None:
        for number, cycle in enumerate(self.plan["cycles"], 1):
            for phase in cycle:
                self.act(phase["lines"])
                self.window(f"{phase['kind']}-{number}", phase["kind"], lambda: wait(phase["seconds"]))

    def program(self) -> None:
        # What a tool starts with its first window (processes, caches) is no part of the measurement.
        self.tool.begin("warm-up")
        wait(1.5)
        self.tool.end("warm-up")
        self.window("whole", "whole", self.cycles)


def main() -> int:
    name, plan, result = sys.argv[1:]
    with open(plan, encoding="utf-8") as file:
        plan = json.load(file)
    report = {"tool": name, "windows": [], "error": None, "note": None}
    conductor = None
    try:
        conductor = Conductor(peers.PEERS[name](), plan)
        conductor.act(plan["begin"])
        conductor.tool.open()
        conductor.tool.session(conductor.program)
        later = conductor.tool.results()
        for window in conductor.windows:
            if window["name"] in later:
                window["joules"] = later[window["name"]]
    except Exception as error:
        traceback.print_exc()
        report["error"] = short(error)
    if conductor:
        report["windows"] = conductor.windows
        report["note"] = conductor.tool.note()
    with open(result, "w", encoding="utf-8") as file:
        json.dump(report, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
