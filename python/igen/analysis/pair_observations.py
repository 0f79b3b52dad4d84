"""What the reader should know about two systems side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.analysis.interval import Quotient, holm, log_welch
from igen.analysis.points import throughputs
from igen.analysis.result import Level, Observation, Point, Ratio, System
from igen.analysis.wording import load, ratio_with_interval
from igen.units import format_number

FAMILY_ERROR = 0.05
"""Probability that any of the "faster" and "slower" of one sentence is wrong."""


def pair_observations(
    base: System, system: System, tested: Sequence[tuple[Ratio, Quotient]]
) -> list[Observation]:
    """Sentences about `system` against `base`; `tested` are their ratios at common loads with the tests."""
    return [*_peaks(base, system), *_at_each_load(base, system, tested)]


def _peaks(base: System, system: System) -> Iterator[Observation]:
    if base.peak is None or system.peak is None:
        return
    ours, theirs = (throughputs(_level(each, each.peak)) for each in (system, base) if each.peak)
    ratio = log_welch(ours, theirs).ratio
    if ratio.low is None or ratio.high is None:
        return
    at = f"{system.name} at {load(system, system.peak)}, {base.name} at {load(base, base.peak)}"
    if ratio.low <= 1 <= ratio.high:
        text = f"The peaks cannot be told apart: {ratio_with_interval(ratio)} ({at})."
    else:
        than = "higher" if ratio.low > 1 else "lower"
        text = (
            f"The peak of {system.name} is {than}: {ratio_with_interval(ratio)} that of {base.name} ({at})."
        )
    yield Observation(text=text, evidence=f"log-Welch over {ratio.n} runs of both peaks")


def _at_each_load(
    base: System, system: System, tested: Sequence[tuple[Ratio, Quotient]]
) -> Iterator[Observation]:
    """Faster at k of n loads, corrected for having asked n times."""
    family = [(ratio, test.p) for ratio, test in tested if test.p is not None]
    if not family:
        return
    adjusted = holm([p for _, p in family])
    sure = [ratio for (ratio, _), p in zip(family, adjusted, strict=True) if p < FAMILY_ERROR]
    evidence = f"{family[0][0].method} at each load, Holm's correction at {100 * FAMILY_ERROR:g} %"
    for word, found in (
        ("faster", [ratio for ratio in sure if ratio.throughput.value > 1]),
        ("slower", [ratio for ratio in sure if ratio.throughput.value < 1]),
    ):
        if found:
            count = f"{len(found)} of {len(family)} loads"
            text = f"{system.name} is {word} than {base.name} at {count}: {_range(base, found)}."
            yield Observation(text=text, evidence=evidence)
    if not sure:
        pair, asked = f"{system.name} and {base.name}", len(family)
        if any(ratio.verdict != "~" for ratio, _ in family):
            text = f"{pair}: no difference is left after correcting for {asked} loads."
        else:
            text = f"{pair} cannot be told apart at any of {asked} loads."
        yield Observation(text=text, evidence=evidence)


def _range(base: System, ratios: Sequence[Ratio]) -> str:
    """`1.21 × at 1 user to 1.34 × at 8 users`."""
    ends = [min(ratios, key=lambda r: r.throughput.value), max(ratios, key=lambda r: r.throughput.value)]
    words = [f"{format_number(ratio.throughput.value, 3)} × at {load(base, ratio)}" for ratio in ends]
    return words[0] if len(ratios) == 1 else " to ".join(words)


def _level(system: System, point: Point) -> Level:
    return next(level for level in system.levels if level.level == point.level)
