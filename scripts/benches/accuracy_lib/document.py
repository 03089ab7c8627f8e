"""docs/accuracy.md and the lines that a run prints."""

import json
import os
from dataclasses import dataclass

from . import judge, prose
from .results import Result, Window
from .scenarios import Scenario

MEASURE_LIMIT = 0.05  # percent, of `sustain measure` over 10 s


@dataclass
class Findings:
    date: str
    version: str  # of sustain
    results: list[Result]
    measure: Result | None
    overhead: dict | None
    versions: dict[str, str]
    raised: bool = False  # whether the tools had real-time priority

    def save(self, path: str) -> None:
        value = {
            **vars(self), "results": [result.to_json() for result in self.results],
            "measure": self.measure.to_json() if self.measure else None,
        }
        with open(path, "w", encoding="utf-8") as file:
            json.dump(value, file, indent=1)

    @classmethod
    def from_json(cls, value: dict) -> "Findings":
        results = [Result.from_json(result) for result in value["results"]]
        measure = Result.from_json(value["measure"]) if value["measure"] else None
        return cls(**{**value, "results": results, "measure": measure})


# MARK: Numbers


def percent(value: float | None) -> str:
    """Two significant digits, so that 0.000012 % and 180 % are both told."""
    if value is None:
        return "-"
    if value == 0:
        return "0 %"
    if abs(value) >= 10:
        return f"{value:+,.0f} %"
    digits = 1
    while abs(value) * 10**digits < 9.5 and digits < 6:
        digits += 1
    return f"{value:+.{digits}f} %"


def joules(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.3f}" if abs(value) < 10_000 else f"{value:,.0f}"


def plain(text: str) -> str:
    """A tool's own words in a cell: no column marks, no place of this machine, not too long."""
    text = text.replace("|", "/").replace(os.environ.get("SUSTAIN_ROOT", "\0"), "...").strip()
    return text if len(text) <= 160 else text[:157] + "..."


# MARK: Rows


def remark(scenario: Scenario, result: Result) -> str:
    parts = []
    if result.failure:
        parts.append(f"refused: {plain(result.failure)}" if not result.windows else plain(result.failure))
    if result.note:
        parts.append(plain(result.note))
    reasons = []
    for window in [*([result.whole] if result.whole else []), *result.of(scenario.judged)]:
        if window.why and window.why not in reasons:
            reasons.append(window.why)
    if reasons:
        parts.append("no value: " + plain(reasons[0]) + (f" (and {len(reasons) - 1} more)" if reasons[1:] else ""))
    parts += [f"{name}: {state}" for name, state in sorted(result.states.items())]
    return "; ".join(parts)


def line(scenario: Scenario, result: Result) -> str:
    """One result on a line, as it comes."""
    spread, whole = judge.spread(scenario, result), result.whole
    text = (
        f"{scenario.name} {result.tool}: whole {percent(whole.error) if whole else '-'}, {spread.count} windows:"
        f" mean {percent(spread.mean)}, worst {percent(spread.worst)}, {spread.without} without a value"
    )
    if result.tool == "sustain":
        text += f": {judge.verdict(scenario, result)}"
    note = remark(scenario, result)
    return f"{text}; {note}" if note else text


def table(scenario: Scenario, results: list[Result]) -> str:
    rows = [
        "| tool | true J | reported J | error | windows | within 1 % | wrong | no value | mean | worst | edges | |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for result in results:
        spread, whole = judge.spread(scenario, result), result.whole
        name = result.tool
        last = remark(scenario, result)
        if result.tool == "sustain":
            outcome = judge.verdict(scenario, result)
            last = f"**{outcome}**" + (f": {last}" if last else "")
        cells = [
            name, joules(whole.truth if whole else None), joules(whole.joules if whole else None),
            _whole_error(whole), str(spread.count), str(spread.near), str(spread.wrong),
            str(spread.without), percent(spread.mean), percent(spread.worst), _edges(spread.edges), last,
        ]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _whole_error(whole: Window | None) -> str:
    if whole is None or whole.error is None:
        return "-"
    doubt = f" ({_edges(whole.edges / whole.truth * 100)})" if whole.edges else ""
    return percent(whole.error) + doubt


def _edges(value: float | None) -> str:
    return "-" if value is None else "exact" if value == 0 else percent(value).replace("+", "±")


def targets(scenario: Scenario, result: Result | None) -> str:
    if result is None:
        return ""
    parts = []
    for check in judge.checks(scenario, result):
        name = {"whole": "the whole"}.get(check.what, check.what)
        seen = "no value" if check.value is None else percent(check.value)
        parts.append(f"{name} at most {check.limit:g} % ({seen}, {'pass' if check.passed else 'FAIL'})")
    allowance = ""
    if scenario.void:
        allowance = ", or no value where the fault is"
    if scenario.silent:
        allowance = ", or no value"
    return f"Target for `sustain`: {'; '.join(parts)}{allowance}."


def measure_verdict(result: Result) -> str:
    whole = result.whole
    return "pass" if whole and whole.joules is not None and abs(whole.error) <= MEASURE_LIMIT else "FAIL"


def tables(findings: Findings, chosen: list[Scenario]) -> str:
    parts = []
    for scenario in chosen:
        results = [result for result in findings.results if result.scenario == scenario.name]
        if not results:
            continue
        ours = next((result for result in results if result.tool == "sustain"), None)
        words = f"{scenario.what}. {targets(scenario, ours)}".strip()
        parts += [f"### {scenario.title}", words, table(scenario, results)]
    if findings.measure:
        parts += ["### sustain measure", _measure(findings.measure)]
    return "\n\n".join(parts)


def overview(findings: Findings, chosen: list[Scenario]) -> str:
    """The window over all cycles in every scenario: error, or that there was no value."""
    tools = list(dict.fromkeys(result.tool for result in findings.results))
    rows = ["| scenario | " + " | ".join(tools) + " |", "| --- |" + " ---: |" * len(tools)]
    for scenario in chosen:
        found = {result.tool: result for result in findings.results if result.scenario == scenario.name}
        cells = [_glance(scenario, found[tool]) if tool in found else "-" for tool in tools]
        rows.append(f"| {scenario.title} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _glance(scenario: Scenario, result: Result) -> str:
    whole = result.whole
    text = "no value" if whole is None or whole.error is None else percent(whole.error)
    if not result.windows:
        text = "refused"
    return f"{text} **{judge.verdict(scenario, result)}**" if result.tool == "sustain" else text


def _measure(result: Result) -> str:
    whole = result.whole
    text = "`sustain measure -- sleep 10` at a constant 85 W + 6 W; the truth is 91 W x the seconds it reports."
    if whole is None:
        return f"{text} It failed: {plain(result.failure or 'no figure')}. **FAIL**"
    return (
        f"{text} True {joules(whole.truth)} J, reported {joules(whole.joules)} J, error {percent(whole.error)};"
        f" target at most {MEASURE_LIMIT:g} %: **{measure_verdict(result)}**"
    )


def text(findings: Findings, chosen: list[Scenario]) -> str:
    parts = [
        prose.HEAD.format(
            date=findings.date, version=findings.version,
            priority=prose.RAISED if findings.raised else prose.SHARED,
        ),
        prose.METHOD, "## Results",
    ]
    parts += [prose.GLANCE, overview(findings, chosen), tables(findings, chosen)]
    parts += ["## What a sample costs", _overhead(findings.overhead)]
    parts += ["## The tools", prose.tools(findings.versions), prose.LIMITS]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _overhead(found: dict | None) -> str:
    if not found:
        return "Not measured in this run."
    rows = ["| tool | what | us of CPU | against sustain |", "| --- | --- | ---: | ---: |"]
    for row in found["rows"]:
        cells = [row["tool"], row["what"], f"{row['us']:.1f}", f"{row['us'] / found['rows'][0]['us']:.1f}"]
        rows.append("| " + " | ".join(cells) + " |")
    return prose.OVERHEAD.format(**found).strip() + "\n\n" + "\n".join(rows)
