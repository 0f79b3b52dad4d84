"""Between which loads the peak lies, if a search had no time to choose among the best loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from igen.judge.curve.load import level_value
from igen.judge.curve.points import choosing_runs, used_runs
from igen.judge.curve.sweep import noise_of
from igen.judge.figure.pairs import RunFigure
from igen.judge.result import Level, Point
from igen.judge.run.purpose import is_search
from igen.judge.trust.finding import finding, parts_of
from igen.judge.trust.rules.curve import CANDIDATE_SD, LEAST_GAIN
from igen.judge.trust.usable import usable


def with_bracket(peak: Point | None, levels: Sequence[Level]) -> Point | None:
    """Return the peak with the loads between which it lies, if no runs have chosen it among the best."""
    if peak is None or not is_search(levels) or any(map(choosing_runs, levels)):
        return peak
    good = sorted(usable(levels), key=level_value)
    top = next(level for level in good if level.level == peak.level)
    runs = [[RunFigure(run.throughput_per_s) for run in used_runs(level)] for level in good]
    noise = noise_of([*enumerate(runs)], None)
    least = top.throughput_per_s.value * (1 - max(CANDIDATE_SD.value * noise, LEAST_GAIN.value))
    as_much = [level_value(level) for level in good if level.throughput_per_s.value >= least]
    lower = [level.level for level in good if level_value(level) < min(as_much)]
    higher = [level.level for level in good if level_value(level) > max(as_much)]
    between = [lower[-1] if lower else None, higher[0] if higher else None]
    by_number = {level.level: level for level in good}
    low, high = (by_number[each].users if each is not None else None for each in between)
    users = {"low_users": low or (1 if high else 0), **({"high_users": high} if high else {})}
    found = finding("peak-between", *parts_of(users), scope="level")
    return replace(peak, between_levels=between, findings=[*peak.findings, found])
