"""`sustain` in a scenario: a run over the scripted engine whose phases drive the power."""

import json
import os
import subprocess

from . import simulator
from .results import Result, Window, disturbed, window
from .scenarios import DRAM, Phase, Scenario

DOMAINS = ("package-0", "dram")
TOKENS = 10  # a cycle's, so nine decode steps
FIRST = 2  # cycle 0 is the first token, cycle 1 the generation from idle
OTHER = "power package-0 20 dram 6"  # what the machine does outside the cycles


def beside(name: str) -> str:
    return os.path.join(os.path.dirname(os.environ["SUSTAIN_BINARY"]), name)


def version() -> str:
    done = subprocess.run([os.environ["SUSTAIN_BINARY"], "--version"], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.split()[1]


def _length(cycle: tuple[Phase, ...], kind: str) -> int:
    return int(sum(phase.seconds for phase in cycle if phase.kind == kind) * 1e9)


def _script(scenario: Scenario) -> dict:
    cycle = scenario.cycles[0]
    kinds = [phase.kind for phase in cycle]
    return {
        "load": {"cold_ns": 50_000_000, "warm_ns": 50_000_000},
        "prefill": {"ns": _length(cycle, "prefill")},
        "decode": {"ns": _length(cycle, "decode") // (TOKENS - 1)},
        "gap_ns": _length(cycle, "gap"),
        "phases": {"idle": "phase other", "load": "phase other", "loaded": "phase other", "unload": "phase other"}
        | {kind: "phase " + kind + "-{cycle}" for kind in ("prefill", "decode", "gap") if kind in kinds},
        "phase_append": True,
    }


def _definitions(scenario: Scenario) -> str:
    """A named phase for every phase of every cycle; the two before the first are as calm ones are."""
    lines = [f"define other {OTHER}"]
    calm = scenario.cycles[0]
    for number, cycle in enumerate((calm,) * FIRST + scenario.cycles):
        for phase in cycle:
            lines.append(f"define {phase.kind}-{number} " + " ; ".join(phase.lines))
    return "\n".join(lines)


def run(scenario: Scenario, directory: str, interval: str | None) -> Result:
    result = Result(scenario.name, "sustain")
    interval = interval or scenario.interval
    with open(os.path.join(directory, "script.json"), "w", encoding="utf-8") as file:
        json.dump(_script(scenario), file)
    shell = 'SUSTAIN_PHASE_FILE="$SUSTAIN_SIMULATOR/control" exec "$@"'
    command = [
        *("/bin/sh", "-c", shell, "sh", os.environ["SUSTAIN_BINARY"], "run"),
        *("--engine", "exec", "--exec", "scripted-engine script.json", "--output", "runs", "--quiet", "--json"),
        *("--idle", "0", "--warmup", "0", "-p", "128", "-n", str(TOKENS)),
        *("-r", str(len(scenario.cycles)), "--seconds", "3600"),
        *(("--interval", interval) if interval else ()),
    ]
    environment = dict(os.environ, PATH=f"{beside('')}:{os.environ['PATH']}")
    machine = f"{scenario.machine}\n{_definitions(scenario)}"
    limit = 60 + 2 * scenario.seconds
    status, truth = simulator.run(machine, command, directory, environment, limit)
    if status != 0 or truth is None:
        with open(os.path.join(directory, "output"), encoding="utf-8") as output:
            result.failure = f"it ended with {status}: {output.read()[-500:]}"
        return result
    [name] = os.listdir(os.path.join(directory, "runs"))
    _read(scenario, os.path.join(directory, "runs", name), truth, result)
    return result


def _read(scenario: Scenario, run_directory: str, truth: simulator.Truth, result: Result) -> None:
    trace = os.path.join(run_directory, "trace.jsonl")
    with open(os.path.join(run_directory, "run.json"), encoding="utf-8") as file:
        record = json.load(file)
    spans = _spans(trace)
    lines = "".join(f"{begin} {end}\n" for _, _, begin, end in spans)
    printed = subprocess.run(
        [beside("energy-check"), "windows", trace], input=lines, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()
    faults = disturbed(scenario, {name: begin for name, _, begin, _ in spans})
    for (name, kind, begin, end), line in zip(spans, printed, strict=True):
        value, _, rest = line.partition(" ")
        joules, why = (None, rest) if value == "-" else (float(value), None)
        result.windows.append(window(name, kind, (begin, begin), (end, end), joules, why, truth, DOMAINS, faults))
    for source in record["sources"]:
        if source["id"].startswith("rapl") and source["status"] != "ok":
            result.states[source["id"]] = source["status"]
    result.note = _disagreement(record, result)


def _spans(trace: str) -> list[tuple[str, str, int, int]]:
    """The windows by the marks: those of each cycle, and from the first one's begin to the last one's end."""
    edges: dict[int, dict[str, int]] = {}
    with open(trace, encoding="utf-8") as file:
        for line in file:
            entry = json.loads(line)
            if entry.get("type") == "mark" and entry.get("part") == "sustained" and "cycle" in entry:
                edges.setdefault(entry["cycle"], {})[entry["mark"]] = entry["t_ns"]
    spans: list[tuple[str, str, int, int]] = []
    order = sorted(edges)
    for number, cycle in enumerate(order, 1):
        marks = edges[cycle]
        spans.append((f"prefill-{number}", "prefill", marks["submit"], marks["first_token"]))
        spans.append((f"decode-{number}", "decode", marks["first_token"], marks["last_token"]))
        if number < len(order) and (follows := edges[order[number]]["submit"]) - marks["last_token"] > 100_000_000:
            spans.append((f"gap-{number}", "gap", marks["last_token"], follows))
    whole = ("whole", "whole", edges[order[0]]["submit"], edges[order[-1]]["last_token"])
    return [whole, *spans]


def _disagreement(record: dict, result: Result) -> str | None:
    """The record gives sums over the windows of a kind; they must be those of the windows shown here."""
    for kind in ("prefill", "decode"):
        figure = record["metrics"][kind]["gross"]["joules"]
        windows = result.of((kind,))
        if any(item.joules is None for item in windows):
            if "value" in figure:
                return f"the record has a {kind} energy although single windows have none"
        elif "value" not in figure:
            return f"the record has no {kind} energy although every window has one"
        elif abs(figure["value"] / sum(item.joules for item in windows) - 1) > 1e-9:
            return f"the record's {kind} energy is not the sum of its windows"
    return None


def measure(seconds: float, directory: str) -> Result | None:
    """`sustain measure` over a command, at constant power; None where this build has no such command."""
    sustain = os.environ["SUSTAIN_BINARY"]
    if subprocess.run([sustain, "measure", "--help"], capture_output=True).returncode != 0:
        return None
    result = Result("measure", "sustain measure")
    from .scenarios import machine

    shell = 'exec "$@" >measure.json'
    command = [
        *("/bin/sh", "-c", shell, "sh", sustain, "measure", "--idle", "0", "--json", "--", "sleep", f"{seconds:g}")
    ]
    constant = f"{machine()}\nat 0 power package-0 85 dram {DRAM:g}"
    status, _ = simulator.run(constant, command, directory, dict(os.environ), 60 + seconds)
    if status != 0:
        with open(os.path.join(directory, "output"), encoding="utf-8") as output:
            result.failure = f"it ended with {status}: {output.read()[-500:]}"
        return result
    with open(os.path.join(directory, "measure.json"), encoding="utf-8") as file:
        report = json.load(file)
    figure = report["total"]["gross"]["joules"]
    # At constant power the truth needs no edges: it is the power times the time that is reported.
    result.windows.append(
        Window("whole", "whole", report["seconds"], 91 * report["seconds"], 0.0, figure.get("value"),
               figure.get("unavailable"))
    )
    return result
