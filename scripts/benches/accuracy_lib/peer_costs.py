"""What a sample costs in sustain and in its peers, side by side on the same four files."""

import os
import statistics
import subprocess
from typing import Callable

from . import costs, theirs


def make_zones(directory: str) -> str:
    """Four packages as the class directory of powercap shows them, with values of which none mirrors another."""
    root = os.path.join(directory, "intel-rapl")
    for number in range(4):
        zone = os.path.join(root, f"intel-rapl:{number}")
        os.makedirs(zone)
        value = 123_456_789_012 + 9_876_543_210 * number
        texts = {"name": f"package-{number}", "energy_uj": value, "max_energy_range_uj": 262_143_328_850}
        for name, text in texts.items():
            with open(os.path.join(zone, name), "w", encoding="ascii") as file:
                file.write(f"{text}\n")
    return root


def _cost(tool: str, zones: str, samples: int, directory: str) -> float:
    command = [theirs.python(), os.path.join(theirs.HERE, "costs.py"), tool, zones, str(samples)]
    environment = {**os.environ, "HOME": directory, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, cwd=directory, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("cost ")]
    if done.returncode != 0 or not lines:
        raise SystemExit(f"error: {tool}: it ended with {done.returncode}\n{done.stderr[-2000:]}")
    return float(lines[0].split()[1])


def measure(tick: Callable[[list[str]], float], directory: str, rounds: int, samples: int) -> list[dict]:
    """Microseconds of CPU time a sample, median of the rounds; the order turns from one round to the next.

    `tick` gives that of sustain over files of one number each.
    """
    zones = make_zones(directory)
    files = [os.path.join(zones, f"intel-rapl:{number}", "energy_uj") for number in range(4)]
    steps: dict[str, Callable[[], float]] = {"sustain": lambda: tick(files)}
    for tool in costs.TOOLS:
        steps[tool] = lambda tool=tool: _cost(tool, zones, samples, directory)
    found: dict[str, list[float]] = {tool: [] for tool in steps}
    order = list(steps)
    for number in range(rounds):
        turn = number % len(order)
        for tool in order[turn:] + order[:turn]:
            found[tool].append(steps[tool]())
    what = {"sustain": "a tick of its sampler, with the waking up"}
    what |= {tool: text for tool, (_, text) in costs.TOOLS.items()}
    return [
        {"tool": tool.split()[0], "what": what[tool], "us": statistics.median(values), "all": values}
        for tool, values in found.items()
    ]


def show(rows: list[dict]) -> None:
    for row in rows:
        ratio = row["us"] / rows[0]["us"]
        print(f"{row['tool']}, {row['what']}: {row['us']:.1f} us of CPU, {ratio:.1f} times sustain's")
