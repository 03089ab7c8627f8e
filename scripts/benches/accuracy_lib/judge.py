"""Errors of a result, and whether sustain's keep within what is promised."""

from dataclasses import dataclass

from .results import Result, Window
from .scenarios import Scenario

NEAR = 1.0  # percent: nearer than this a window counts as right in the tables of the faults


@dataclass
class Check:
    what: str
    limit: float  # percent
    value: float | None  # percent; None: no figure, which is right here or not
    passed: bool


@dataclass
class Spread:
    """Errors of the windows of the judged kinds, percent."""

    count: int
    without: int
    mean: float | None  # of the sums
    worst: float | None
    edges: float | None  # the largest doubt about the edges
    near: int
    wrong: int


def spread(scenario: Scenario, result: Result) -> Spread:
    windows = result.of(scenario.judged)
    known = [window for window in windows if window.joules is not None]
    errors = [window.error for window in known]
    return Spread(
        count=len(windows),
        without=len(windows) - len(known),
        mean=(sum(w.joules for w in known) / sum(w.truth for w in known) - 1) * 100 if known else None,
        worst=max(errors, key=abs, default=None),
        edges=max((w.edges / w.truth * 100 for w in known), default=None),
        near=sum(abs(error) <= NEAR for error in errors),
        wrong=sum(abs(error) > NEAR for error in errors),
    )


def checks(scenario: Scenario, result: Result) -> list[Check]:
    found = []
    whole = result.whole
    if scenario.whole is not None:
        found.append(_one(scenario, whole, scenario.whole, "whole"))
    windows = result.of(scenario.judged)
    if scenario.window is not None:
        ones = [_one(scenario, window, scenario.window, window.name) for window in windows]
        worst = max((one.value for one in ones if one.value is not None), key=abs, default=None)
        passed = bool(ones) and all(one.passed for one in ones)
        found.append(Check("each window", scenario.window, worst, passed))
    if scenario.mean is not None:
        known = [window for window in windows if window.joules is not None]
        mean = spread(scenario, result).mean
        passed = mean is not None and len(known) == len(windows) and abs(mean) <= scenario.mean
        found.append(Check(f"mean of {len(windows)}", scenario.mean, mean, passed))
    return found


def _one(scenario: Scenario, window: Window | None, limit: float, what: str) -> Check:
    if window is None:
        return Check(what, limit, None, False)
    if window.joules is None:
        return Check(what, limit, None, scenario.silent or (scenario.void and window.touched))
    return Check(what, limit, window.error, abs(window.error) <= limit)


def verdict(scenario: Scenario, result: Result) -> str:
    passed = not result.failure and not result.note and bool(result.windows)
    return "pass" if passed and all(check.passed for check in checks(scenario, result)) else "FAIL"
