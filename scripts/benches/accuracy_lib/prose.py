"""The words of docs/accuracy.md that do not depend on what was measured."""

HEAD = """
# Accuracy

Written by `scripts/bench accuracy` on {date} with sustain {version}; do not edit. Each number was measured once,
on one machine; what fails is shown as it failed.

{priority}
"""

RAISED = """Simulator and tools, sustain as the others, ran with real-time priority, so that other work on the machine did
not decide when a counter was read."""
SHARED = """Simulator and tools ran at the usual priority: other work on the machine is in the errors."""

METHOD = """
## Method

**A machine whose truth is known.** Each tool runs in a private copy of `/sys/class` served by `Tests/Simulator`
(`scripts/simulate`), whose counters are computed at the moment of each read from a known power: steps of
61.035 microjoules, renewed every millisecond, a range of 262,143.328850 J unless a scenario says otherwise. One
processor, `package-0`, and its memory, `dram` (always 6 W). Power changes only through the simulator's control
file, and every change is in its log with the CLOCK_MONOTONIC nanosecond and the exact energy so far in whole
femtojoules.

**The truth of a window** is the integral of the log's power over that window's own two edges: whole numbers
throughout, rounded once at the end. The script sums the powers itself and stops if its sums are not the log's.

**Edges of sustain.** `sustain run` with a scripted engine whose phases write to the control file; a window is what
lies between two marks in the trace, as the engine stamped them. There is nothing to attribute: the same stamps go
into the truth. Joules of single windows come out of the trace by the library's own ledger
(`energy-check windows`), and must sum to the record's figure for the phase. `--idle 0`; the interval and all else by default
unless a scenario says otherwise.

**Edges of the others.** One process drives the power and calls the tool. It stamps CLOCK_MONOTONIC before and
after each call that begins or ends a window, and the middle of the call is taken as the edge. Half of both calls'
length times the power is what that choice can be wrong by: the column `edges`, the largest over the windows, in
percent of a window. An error within it says nothing. Power is changed between the calls, never inside a window.
Before the first window each tool has one of 1.5 s for what it starts lazily. A fault comes where a phase begins:
for sustain just after the begin of a window, for the others just before it, between two windows, which favours them;
the window over all holds it in any case.

**Scopes.** A tool is held to the scopes that its figure is for: package and dram, but the package alone for
codecarbon, which models memory from its size instead of counting it.

**Columns.** True and reported joules and error are of the window over all cycles. Then the windows inside it: how
many, how many within 1 %, wrong by more, or without a value; the error of their sum; the largest single error.
Error is reported / true - 1.
"""

GLANCE = """
The error of the window over all cycles, and for sustain whether it kept all its targets in the scenario. "No value"
is right where a fault makes the energy unknowable; each scenario's own table has the windows inside.
"""

OVERHEAD = """
`scripts/bench overhead`: microseconds of CPU time for one sample of the same four files of one number, laid out as
the zones of four packages; medians of {rounds} rounds in one run, in turns. sustain's tick is taken at 500 Hz and
holds the waking up, two stamps a file and the passing on; it samples beside the measured program at 10 Hz. The
others' samples follow each other without a pause ({samples} a round), which flatters them: their caches are warm and
nothing wakes up. Plain files: what a driver adds to a read is the same for all.
Against a loop in C that only sleeps, reads and converts, a tick costs {tick:.2f} times as much, reading {reading:.2f}
times; at 10 Hz the sampler uses {share:.3%} of a core.
"""

LIMITS = """
## What this does not show

- Real counters: how truly RAPL, a GPU or a wall meter tells the energy that was used. The simulator's counters are
  perfect but for what a scenario names. `sensor_accuracy` in a record stands for that.
- Net energy, idle baselines, J/token, the phase fit for slow counters, gauges, GPUs, perf: other tests hold those.
- The same windows: a tool that is called from Python has its edges there, sustain takes an engine's marks.
- More than one measurement of each: there is no interval on these errors. They move by some parts of the update
  period (1 ms) with where in it an edge falls.
- Ordinary users: everything ran as root. A tool that asks access(2) before it opens a file is told that root may.
- Tools are used as libraries in their best setting known to us. Other settings, other versions, and what else they
  do (carbon, cost, many hosts, GPUs, reports) is not compared.
"""

_TOOLS = {
    "codecarbon": (
        "estimates carbon emissions of computing; counters where it finds them, models elsewhere",
        "OfflineEmissionsTracker, tracking_mode machine, measure_power_secs 1: start/stop for the whole,"
        " start_task/stop_task inside it; cpu_energy",
    ),
    "pyJoules": (
        "energy of Python code through RAPL and NVML", "EnergyMeter over all package and dram domains; start/stop"
    ),
    "pyRAPL": ("energy of Python code through RAPL", "setup(), Measurement.begin/end; pkg + dram"),
    "zeus": (
        "energy of deep learning, mostly of GPUs; CPUs through RAPL",
        "ZeusMonitor, begin_window/end_window; cpu_energy + dram_energy",
    ),
    "perun": (
        "energy of MPI and Python programs over many hosts",
        "regions of a monitored function, sampling_period 0.1 (the least it takes; default 1), backend powercap_rapl;"
        " power x runtime",
    ),
}


def tools(versions: dict[str, str]) -> str:
    rows = ["| tool | version | what it is for | how it is used here |", "| --- | --- | --- | --- |"]
    for name, (purpose, how) in _TOOLS.items():
        rows.append(f"| {name} | {versions[name]} | {purpose} | {how} |")
    return "\n".join(rows)
