"""What `igen show` and `igen compare` say of run folders, reduced to what can be held against the truth."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from math import log
from pathlib import Path
from unittest.mock import patch

from igen.judge.compare.pair_observations import RULES_OVERALL
from igen.judge.figure.figure import FAMILY_ERROR
from igen.judge.result import Figure, Finding, Level, Result
from igen.printed import printed
from igen.report.printers.terminal import Terminal
from igen.report.text import summary_text
from igen.say import observe
from igen.store.run import Run
from igen.store.store import Store
from igen.study.results import read_result
from tests.pipeline.job_file import FACTS
from tests.pipeline.scenarios import Scenario
from tests.pipeline.studies import write_study
from tests.pipeline.systems import BASE, OTHER, Truth
from tests.said import CLAIMS, rules, texts_of

WIDE = Terminal(width=10_000, colour=False)
"""So that no sentence is broken into lines."""
CLAIM = re.compile(
    r"\b(faster|slower|higher|lower|longer|shorter)\b|\d × as (fast|long) as|holds the offered rate"
)
DOUBT = re.compile(
    r"cannot|no difference|not be told|not to be told|could not|equivalent|no claim|untested|side by side"
)
ANSWER = re.compile(r" (faster|slower|equivalent|equivalent in part|cannot tell|~)$")
"""How a row of the table of ratios ends."""
ROW = "table, row"
"""Begin of the kind of a row."""
KINDS = {
    "overall": re.compile(r"\bover \d+ loads\b", re.IGNORECASE),
    "p99.9": re.compile(r"p99\.9"),
    "p99": re.compile(r"p99"),
    "mean response time": re.compile(r"mean response time"),
    "rate held": re.compile(r"offered rate"),
    "throughput": re.compile(r""),
}
"""What a sentence is about: the first that is found in it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A published figure beside its truth."""

    off: float
    """Value over truth, less 1."""
    covered: bool | None
    """Whether the interval holds the truth; None without one."""
    value_in_interval: bool


@dataclass(frozen=True, slots=True)
class JudgedLevel:
    """One level of one system."""

    system: str
    load: int
    """Number of the load, in ascending order."""
    verdict: str
    throughput_verdict: str
    times_verdict: str
    reasons: tuple[str, ...]
    """Ids of the rules that it broke, the gravest first."""
    figures: dict[str, Outcome]
    two_groups_warned: bool
    two_groups: bool
    """Whether its runs' throughputs fall into two groups, with a gap of four times the spread within."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One study."""

    levels: list[JudgedLevel]
    ratios: list[Outcome]
    """Ratios of the second system to the first, where both levels are VALID."""
    deciding_off: dict[int, float]
    """By load: the logarithm of the ratio that decides over that of the truths."""
    claims: dict[str, bool]
    """By kind of sentence: whether one of them calls the systems different."""
    texts: list[str]
    """The sentences that claim a difference."""


def judge(scenario: Scenario, number: int, store: Path | None = None) -> Judged:
    """Writes the scenario's study of that number into a store and judges it as the commands do."""
    folder = Path(tempfile.mkdtemp(prefix="igen-pipeline-", dir=store))
    try:
        return judged(scenario, *shown(folder, write_study(folder, scenario, number)))
    finally:
        shutil.rmtree(folder)


def shown(folder: Path, runs: list[Run]) -> tuple[Result, str]:
    """What `igen show` and `igen compare` make of runs: the result, and the text that they print."""
    # The noise that a store keeps is that of the machine that measured it.
    with patch("socket.gethostname", lambda: FACTS["host.name"]):
        result = read_result([Store(folder).find(str(run.folder)) for run in runs])
    return result, summary_text(result, terminal=WIDE)


def judged(scenario: Scenario, result: Result, text: str) -> Judged:
    """The result beside the truth."""
    levels = []
    for system in result.systems:
        name = OTHER if OTHER in system.name else BASE
        for index, level in enumerate(system.levels):
            levels.append(_level(level, name, index, scenario.target.truth(name, index)))
    claims: dict[str, bool] = {}
    claiming = []
    for kind, line, claims_it in (*_observed(result), *_printed(text)):
        claims[kind] = claims.get(kind, False) or claims_it
        claiming += [line] * claims_it
    return Judged(
        levels, list(_ratios(scenario, result)), dict(_deciding_off(scenario, result)), claims, claiming
    )


def _deciding_off(scenario: Scenario, result: Result) -> Iterator[tuple[int, float]]:
    """By load, of systems whose order matters; an overloaded one has no truth in the long run."""
    if not scenario.first_costs:
        return
    numbers = [level.level for level in result.systems[0].levels]
    for ratio in result.ratios:
        load = numbers.index(ratio.level)
        base, other = (scenario.target.truth(name, load).of(ratio.quantity) for name in (BASE, OTHER))
        if ratio.decides and base and other:
            yield load, log(ratio.ratio.value * base / other)


def _ratios(scenario: Scenario, result: Result) -> Iterator[Outcome]:
    """Beside the ratio of the truths."""
    valid = {(system.name, level.level) for system in result.systems for level in system.levels
             if level.trust.verdict == "VALID"}  # fmt: skip
    numbers = [level.level for level in result.systems[0].levels]
    levels = {system.name: [level.level for level in system.levels] for system in result.systems}
    for ratio in result.ratios:
        load = numbers.index(ratio.level)
        both = ((ratio.base, ratio.level), (ratio.system, levels[ratio.system][load]))
        truths = [scenario.target.truth(name, load).of(ratio.quantity) for name, _ in both]
        if all(place in valid for place in both) and truths[0] and truths[1]:
            figure = _figure(ratio.ratio.at_error(FAMILY_ERROR), None, truths[1] / truths[0])
            if figure is not None:
                yield figure


def _level(level: Level, system: str, load: int, truth: Truth) -> JudgedLevel:
    times = level.response_time_ms
    of_throughput, of_times = level.trust.disturbance.throughput.logs, level.trust.disturbance.times.logs
    rate = level.throughput_per_s.disturbed(of_throughput)
    figures = {"throughput": _figure(rate, None, truth.throughput_per_s)}
    if times is not None:
        mean, p99 = (each and each.disturbed(of_times) for each in (times.mean_interval, times.p99_interval))
        figures["mean"] = _figure(mean, times.mean, truth.mean_ms)
        figures["p99"] = _figure(p99, times.p99, truth.p99_ms)
    values = sorted(run.throughput_per_s for run in level.repeats if run.used)
    return JudgedLevel(
        system=system,
        load=load,
        verdict=level.trust.verdict,
        throughput_verdict=level.trust.throughput,
        times_verdict=level.trust.times,
        reasons=tuple(rules(level)),
        figures={name: figure for name, figure in figures.items() if figure is not None},
        two_groups_warned="two-groups" in [each.rule for each in level.findings],
        two_groups=_two_groups(values),
    )


def _figure(interval: Figure | None, shown: float | None, truth: float | None) -> Outcome | None:
    value = shown if shown is not None else interval.value if interval else None
    if truth is None or value is None:
        return None
    ends = interval.ends() if interval else None
    if ends is None:
        return Outcome(value / truth - 1, None, True)
    low, high = ends
    return Outcome(value / truth - 1, low <= truth <= high, low <= value <= high)


def _two_groups(values: list[float]) -> bool:
    """Whether some cut leaves a gap of four times the larger of the ranges on its sides, and of 5 %."""
    for cut in range(1, len(values)):
        low, high = values[:cut], values[cut:]
        gap, spread = high[0] - low[-1], max(low[-1] - low[0], high[-1] - high[0])
        if gap > 4 * spread and gap > 0.05 * values[-1]:
            return True
    return False


def _observed(result: Result) -> Iterator[tuple[str, str, bool]]:
    """The observations of both systems, by what they are about, and whether they call them different."""
    for found in result.observations:
        yield (
            f"observation, {_kind(found)}",
            printed(observe(found).text),
            found.rule in {*CLAIMS, "holds-rate"},
        )


def _kind(found: Finding) -> str:
    """What an observation is about: as `KINDS`."""
    if found.rule in (*RULES_OVERALL.values(), "equivalent-in-part-overall"):
        return "overall"
    if found.rule == "holds-rate":
        return "rate held"
    return next((name for text in texts_of(found, "quantity") for name in KINDS if name in text), found.rule)


def _printed(text: str) -> Iterator[tuple[str, str, bool]]:
    """The headlines that name both systems, by what they are about, and the rows of the table of ratios; each
    with whether it calls the systems different."""
    row = 0
    for line in text.splitlines():
        if BASE in line and OTHER in line and not line.startswith("  - "):
            kind = next(kind for kind, words in KINDS.items() if words.search(line))
            yield f"headline, {kind}", line, claims_difference(line)
        elif OTHER in line and BASE not in line and ANSWER.search(line):
            row += 1
            yield f"{ROW} {row}", line, claims_difference(line)


def claims_difference(line: str) -> bool:
    """Whether any part of a sentence, or a row of a table, calls the systems different."""
    return any(CLAIM.search(part) and not DOUBT.search(part) for part in re.split(r"[;.] ", line))
