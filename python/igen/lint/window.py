"""Checks of the measurement: is it long enough, repeated, and does it reach the peak?"""

from __future__ import annotations

from igen.errors import InputError
from igen.facts import TARGET_POSTGRESQL_CHECKPOINT_TIMEOUT
from igen.judge.curve.points import is_highest_tried, used_runs
from igen.judge.result import System
from igen.judge.trust.finding import finding
from igen.lint.finding import Found
from igen.lint.subject import engine_of, fact, writes
from igen.units import parse_time_s

LEAST_S = 60.0
LEAST_PERIODS = 3


def window(system: System) -> Found:
    """Yield measurements shorter than a minute, or than three checkpoints of the server."""
    shortest_s = _shortest_s(system)
    if shortest_s is None:
        return
    period_s = _checkpoints_s(system)
    if period_s is not None and shortest_s < LEAST_PERIODS * period_s:
        yield finding("few-checkpoints", limit=LEAST_PERIODS, window_s=shortest_s, checkpoint_s=period_s)
    elif shortest_s < LEAST_S:
        yield finding("short-window", limit=LEAST_S, window_s=shortest_s)
    if writes(system) and engine_of(system) == "postgresql" and period_s is None:
        yield finding("checkpoints-unknown")


def _shortest_s(system: System) -> float | None:
    """Return the length of the shortest measurement; the planned length if nothing was measured."""
    measured = [run.measured_s for level in system.levels for run in used_runs(level)]
    if measured:
        return round(min(measured), 2)
    asked = (system.job.get("phases") or {}).get("measure_s")
    return None if asked is None else parse_time_s(str(asked))


def _checkpoints_s(system: System) -> float | None:
    """Return the longest time between checkpoints of PostgreSQL, if the load writes."""
    told = fact(system, TARGET_POSTGRESQL_CHECKPOINT_TIMEOUT)
    if told is None or not writes(system):
        return None
    try:
        return parse_time_s(told)
    except InputError:
        return None


def one_run(system: System) -> Found:
    """Yield levels that were run once."""
    once = [level for level in system.levels if len(used_runs(level)) == 1]
    if once:
        yield finding("levels-run-once", levels=len(once), all_levels=len(system.levels))


def last_level(system: System) -> Found:
    """Yield a peak at the highest load tried."""
    if is_highest_tried(system):
        yield finding("peak-at-last-load")
