"""The named points of a curve: peak, sweet spot, knee, and the last one within a response-time limit."""

from __future__ import annotations

from collections.abc import Sequence

from igen.analysis.interval import LEAST_RUNS, log_welch
from igen.analysis.load import level_value
from igen.analysis.result import Level, Point, Repeat

NOT_BELOW = 0.03
"""A sweet spot further below the peak is called noisy."""


def used_runs(level: Level) -> list[Repeat]:
    """The repeats that a level's figures rest on."""
    return [repeat for repeat in level.repeats if repeat.used]


def throughputs(level: Level) -> list[float]:
    """Throughputs of the runs that a level's figures rest on."""
    return [repeat.throughput_per_s for repeat in used_runs(level)]


def is_confirmed(level: Level) -> bool:
    """Whether the level's figures come from fresh confirmation runs."""
    runs = used_runs(level)
    return bool(runs) and all(repeat.purpose == "confirm" for repeat in runs)


def is_search(levels: Sequence[Level]) -> bool:
    """Whether the levels were chosen by a search for the peak."""
    return any(repeat.purpose in ("search", "confirm") for level in levels for repeat in level.repeats)


def usable(levels: Sequence[Level]) -> list[Level]:
    """Levels of which something may be said."""
    return [
        level for level in levels if level.verdict != "INVALID" and min(throughputs(level), default=0) > 0
    ]


def peak_of(levels: Sequence[Level]) -> Point | None:
    """Highest throughput; of a search from its confirmed levels alone; None below two levels.

    The maximum of a search is that of the truth plus that of the noise: it overstates by 3 % at 2 % noise.
    """
    good = usable(levels)
    candidates = [level for level in good if is_confirmed(level)] if is_search(levels) else good
    if len(good) < 2 or not candidates:
        return None
    best = max(candidates, key=_throughput)
    equal = [level.level for level in good if level is not best and _same(level, best)]
    return _point(best, equal, _peak_warnings(best, good, levels))


def sweet_spot_of(levels: Sequence[Level], peak: Point | None) -> Point | None:
    """The lowest load whose throughput is statistically that of the peak: the same work, shorter times."""
    if peak is None:
        return None
    same = [level for level in usable(levels) if level.level in (peak.level, *peak.equal_levels)]
    spot = min(same, key=level_value)
    others = [level.level for level in same if level is not spot]
    warnings = []
    if len(throughputs(spot)) < LEAST_RUNS:
        warnings.append(f"fewer than {LEAST_RUNS} runs for a level: equal levels cannot be told")
    below = 1 - spot.throughput_per_s.value / peak.throughput_per_s.value
    if below > NOT_BELOW:
        warnings.append(f"{100 * below:.1f} % below the peak, but too noisy to tell it from there")
    return _point(spot, others, warnings)


def knee_of(levels: Sequence[Level]) -> Point | None:
    """Highest X / R (Kleinrock's power): beyond it, response times grow faster than throughput."""
    good = [level for level in usable(levels) if level.response_time_ms]
    if len(good) < 3:
        return None
    best = max(good, key=lambda level: _throughput(level) / _response_ms(level))
    warnings = []
    if best is max(good, key=level_value):
        warnings.append("the knee is the highest load tried")
    if best is min(good, key=level_value):
        warnings.append("the knee is the lowest load tried")
    return _point(best, [], warnings)


def within_limit_of(levels: Sequence[Level], limit_ms: float | None) -> Point | None:
    """The highest load whose mean response time is below the limit, its whole interval where it has one."""
    good = [level for level in usable(levels) if level.response_time_ms]
    within = [level for level in good if limit_ms is not None and _longest_ms(level) < limit_ms]
    if not within:
        return None
    best = max(within, key=level_value)
    warnings = []
    if best is max(good, key=level_value):
        warnings.append("it is the highest valid load tried: the limit may lie beyond")
    if any(level not in within and level_value(level) < level_value(best) for level in good):
        warnings.append("a lower load is above the limit")
    if len(throughputs(best)) == 1:
        warnings.append("one run")
    return _point(best, [], warnings)


def _longest_ms(level: Level) -> float:
    times = level.response_time_ms
    if times is None:
        return float("inf")
    interval = times.mean_interval
    return times.mean if interval is None or interval.high is None else interval.high


def _throughput(level: Level) -> float:
    return level.throughput_per_s.value


def _response_ms(level: Level) -> float:
    return level.response_time_ms.mean if level.response_time_ms else float("inf")


def _same(level: Level, best: Level) -> bool:
    ratio = log_welch(throughputs(level), throughputs(best)).ratio
    return ratio.low is not None and ratio.high is not None and ratio.low <= 1 <= ratio.high


def _point(level: Level, equal_levels: list[int], warnings: list[str]) -> Point:
    return Point(
        level=level.level,
        users=level.users,
        offered_per_s=level.offered_per_s,
        throughput_per_s=level.throughput_per_s,
        response_time_ms=level.response_time_ms.mean if level.response_time_ms else None,
        confirmed=is_confirmed(level),
        instances=level.instances,
        equal_levels=equal_levels,
        warnings=warnings,
    )


def _peak_warnings(best: Level, good: Sequence[Level], levels: Sequence[Level]) -> list[str]:
    warnings = []
    runs = len(throughputs(best))
    if best is max(good, key=level_value):
        if any(level_value(level) > level_value(best) for level in levels):
            warnings.append("all higher loads are INVALID")
        else:
            warnings.append("the peak is the highest load tried: it may lie beyond")
    if not is_confirmed(best):
        warnings.append("not confirmed by fresh runs: the highest of several levels flatters")
    if runs < LEAST_RUNS:
        warnings.append("one run" if runs == 1 else f"{runs} runs only")
    return warnings
