"""What one tool reported in one scenario, beside the truth."""

from dataclasses import asdict, dataclass, field

from .scenarios import Scenario
from .simulator import Truth


@dataclass
class Window:
    name: str
    kind: str  # whole, prefill, decode or gap
    seconds: float
    truth: float  # joules
    # Largest error that the place of the edges within the tool's start and stop calls can explain, joules.
    edges: float
    joules: float | None
    why: str | None = None  # without joules: the reason that was given
    touched: bool = False  # whether a fault was in force within a quarter of a second of it

    @property
    def error(self) -> float | None:
        """Percent."""
        return None if self.joules is None else (self.joules / self.truth - 1) * 100


@dataclass
class Result:
    scenario: str
    tool: str
    windows: list[Window] = field(default_factory=list)
    failure: str | None = None  # why there are no windows, or not all
    note: str | None = None
    states: dict[str, str] = field(default_factory=dict)  # of sustain's sources that are not well

    @property
    def whole(self) -> Window | None:
        return next((window for window in self.windows if window.kind == "whole"), None)

    def of(self, kinds: tuple[str, ...]) -> list[Window]:
        return [window for window in self.windows if window.kind in kinds]

    def to_json(self) -> dict:
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict) -> "Result":
        return cls(**{**value, "windows": [Window(**window) for window in value["windows"]]})


SLACK = 250_000_000  # a counter's value belongs to the time since its last read


def disturbed(scenario: Scenario, begins: dict[str, int]) -> list[tuple[float, float]]:
    """The times in which a fault was in force: from the begin of the phase that brings it."""
    faults = []
    for number, cycle in enumerate(scenario.cycles, 1):
        for phase in cycle:
            begin = begins.get(f"{phase.kind}-{number}")
            if phase.actions and begin is not None:
                faults.append((begin - SLACK, begin + phase.disturbs * 1e9 + SLACK))
    return faults


def window(
    name: str, kind: str, begin: tuple[int, int], end: tuple[int, int], joules: float | None, why: str | None,
    truth: Truth, domains: tuple[str, ...], faults: list[tuple[float, float]],
) -> Window:
    """An edge is the middle of the call that made it; half the call's length on either side is its doubt."""
    first, last = sum(begin) // 2, sum(end) // 2
    doubt = truth.joules(domains, begin[0], begin[1]) + truth.joules(domains, end[0], end[1])
    return Window(
        name, kind, (last - first) / 1e9, truth.joules(domains, first, last), doubt / 2, joules, why,
        any(start <= last and first <= stop for start, stop in faults),
    )
