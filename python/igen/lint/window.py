"""Was it measured for long enough, often enough, and far enough?"""

from __future__ import annotations

from igen.errors import InputError
from igen.facts import TARGET_POSTGRESQL_CHECKPOINT_TIMEOUT
from igen.judge.curve.points import is_highest_tried, used_runs
from igen.judge.result import System
from igen.lint.finding import Finding, Found, NotKnown
from igen.lint.subject import engine_of, fact, writes
from igen.units import counted, format_duration, parse_time_s

LEAST_S = 60.0
LEAST_PERIODS = 3


def window(system: System) -> Found:
    """Shorter than a minute, or than three of the server's checkpoints."""
    shortest_s = _shortest_s(system)
    if shortest_s is None:
        return
    period_s = _checkpoints_s(system)
    if period_s is not None and shortest_s < LEAST_PERIODS * period_s:
        yield Finding(
            found=f"a window of {format_duration(shortest_s)}, a checkpoint each {format_duration(period_s)}",
            matters=f"fewer than {LEAST_PERIODS} checkpoints: their cost is in the figure by chance",
            remedy=f"measure for {format_duration(LEAST_PERIODS * period_s)}",
        )
    elif shortest_s < LEAST_S:
        yield Finding(
            found=f"a window of {format_duration(shortest_s)}",
            matters="what comes once a minute, such as write-back and collections, may not be in it",
            remedy=f"measure for {LEAST_S:g} s or longer",
        )
    if writes(system) and engine_of(system) == "postgresql" and period_s is None:
        yield NotKnown(why="how often the server makes a checkpoint")


def _shortest_s(system: System) -> float | None:
    """Length of the shortest measurement; of a run that is only planned what its job says."""
    measured = [run.measured_s for level in system.levels for run in used_runs(level)]
    if measured:
        return round(min(measured), 2)
    asked = (system.job.get("phases") or {}).get("measure_s")
    return None if asked is None else parse_time_s(str(asked))


def _checkpoints_s(system: System) -> float | None:
    """How often PostgreSQL makes one at least, where the load writes."""
    told = fact(system, TARGET_POSTGRESQL_CHECKPOINT_TIMEOUT)
    if told is None or not writes(system):
        return None
    try:
        return parse_time_s(told)
    except InputError:
        return None


def one_run(system: System) -> Found:
    """Levels that were run once."""
    once = [level for level in system.levels if len(used_runs(level)) == 1]
    if once:
        yield Finding(
            found=f"{counted(len(once), 'level')} of {len(system.levels)} measured once",
            matters="one run has no interval: nobody can tell the figure from noise",
            remedy="--repeats 5",
            said_by=("one-run", "one-run-flatters"),
        )


def last_level(system: System) -> Found:
    """A peak at the end of what was tried."""
    if is_highest_tried(system):
        yield Finding(
            found="the highest throughput is that of the highest load tried",
            matters="the real peak may lie beyond",
            remedy="try higher loads, or --find-peak",
            said_by=("peak-may-lie-beyond",),
        )
