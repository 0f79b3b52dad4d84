"""Searches for the peak of systems whose curve is known, carried out by igen itself.

Only the agent is synthetic: it lives in this process and writes what it would have measured.
"""

from __future__ import annotations

import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from statistics import fmean
from typing import Any
from unittest.mock import patch

import msgspec
import numpy as np

from igen.fleet.agent import Agent
from igen.fleet.interrupts import Interrupts
from igen.fleet.local import JobExit, Listener
from igen.judge.result import System
from igen.report.text import summary_text
from igen.store.store import Store
from igen.study import runner
from igen.study.observer import Observer
from igen.study.plans import PeakPlan
from igen.study.results import read_result
from igen.study.study import Study
from tests.pipeline.job_file import Execution, agent_lines
from tests.pipeline.judged import WIDE, Outcome
from tests.pipeline.rates import Goal
from tests.pipeline.studies import canaries
from tests.pipeline.transactions import Phases, Transactions, closed

LARGEST = 512
SERVICE_S = 0.004
PHASES = Phases(warmup_s=0.4, measure_s=4.0, interval_s=0.1, warmup_is_auto=False)
INFERIOR = 0.97
"""Share of the peak: a sweet spot below it is wrong."""
OVERSTATED, LOWEST, WRONG = 0.003, 0.93, 0.05

Curve = Callable[[int], float]
"""Throughput over that of one user, by users."""


def plateau(users: int) -> float:
    """Twelve users are served at once; more wait."""
    return float(min(users, 12))


def hump(users: int) -> float:
    """The peak is at 24 users; beyond it they are in each other's way (universal scalability law)."""
    return users / (1 + 0.02 * (users - 1) + 0.0017 * users * (users - 1))


def bend(users: int) -> float:
    """It comes close to its limit slowly, and never reaches it."""
    return float((users**-2.0 + 20.0**-2.0) ** -0.5)


def cliff(users: int) -> float:
    """Beyond 10 users it falls by half."""
    return users if users <= 10 else 5.0


def serial(users: int) -> float:
    """One user at a time."""
    return 1.0


CURVES: tuple[Curve, ...] = (plateau, hump, bend, cliff, serial)
NOISES = (0.02, 0.05)


@dataclass(frozen=True, slots=True)
class Found:
    """What one search published."""

    peak: Outcome | None
    """Beside the truth at its level; None where none was named."""
    over_the_top: float
    """Published peak over the highest throughput of the curve, less 1."""
    spot: float | None
    """True throughput of the sweet spot over the highest; None where none was named."""
    executions: int


class SyntheticAgent(Agent):
    """Answers what is asked before a study."""

    def check(self, job: dict[str, Any]) -> dict[str, Any]:
        """The job with the agent's defaults."""
        defaults = Execution(
            level=0,
            repeat=0,
            system="",
            load=job["load"],
            transactions=Transactions(np.empty(0), np.empty(0)),
            phases=PHASES,
            seed=0,
            started_unix_s=0.0,
        ).job
        return defaults | job | {"phases": defaults["phases"] | job.get("phases", {}), "canary_s": 0.2}


def search(curve: Curve, noise: float, number: int) -> Found:
    """Searches, and reads what `igen show` says of it."""
    seed = zlib.crc32(f"{curve.__name__} {noise}".encode())
    random = np.random.default_rng([seed, number])
    folder = Path(tempfile.mkdtemp(prefix="igen-search-"))
    study = Study(
        name="search",
        system="alpha",
        job={
            "workload": "model",
            "load": {"closed": {"users": 1}},
            "seed": number,
            "phases": {"warmup_s": 0.4},
        },
        axes={"load.closed.users": [1, LARGEST]},
        plan=PeakPlan(),
    )

    def run_job(agent: Path, job: dict[str, Any], listener: Listener, interrupts: Interrupts) -> JobExit:
        _measure(random, curve, noise, job, listener)
        return JobExit(exit_code=0)

    try:
        with (
            patch.object(runner, "run_job", run_job),
            patch("os.fsync", lambda descriptor: None),
        ):
            outcome = runner.run_study(study, SyntheticAgent(folder), Store(folder), Observer())
        assert outcome.error is None, outcome.error
        result = read_result([outcome.run])
        summary_text(result, terminal=WIDE)
        return _found(curve, result.systems[0], len(outcome.run.job_paths()))
    finally:
        shutil.rmtree(folder)


def _measure(
    random: np.random.Generator, curve: Curve, noise: float, job: dict[str, Any], listener: Listener
) -> None:
    """What the agent says to a job; the engine's floor is a transaction in a microsecond."""
    floor = job["workload"] == "noop"
    users = 1 if floor else job["load"]["closed"]["users"]
    phases = Phases(0.0, 0.02, 0.01) if floor else PHASES
    number = len(phases.begins_s)
    factor = curve(users) / users * (1 + noise * random.standard_normal())
    speed = factor * np.exp(0.01 * random.standard_normal(number))
    done = closed(random, users, 1e-5 if floor else SERVICE_S, 0.1, speed, phases)
    execution = Execution(
        level=0,
        repeat=job.get("repeat", 0),
        system="alpha",
        load=job["load"],
        transactions=done,
        phases=phases,
        seed=0,
        started_unix_s=1.8e9,
        canaries=canaries(random),
    )
    for line in b"".join(agent_lines(execution, job)).splitlines():
        listener.line(line)
        listener.event(msgspec.json.decode(line))


def _found(curve: Curve, system: System, executions: int) -> Found:
    unit_per_s = 1 / SERVICE_S
    top_per_s = unit_per_s * max(curve(users) for users in range(1, LARGEST + 1))
    peak, spot, figure, over = system.peak, system.sweet_spot, None, 0.0
    if peak is not None and peak.users is not None:
        shown = peak.throughput_per_s
        truth = unit_per_s * curve(peak.users)
        covered = None
        if shown.low is not None and shown.high is not None:
            covered = shown.low <= truth <= shown.high
        figure = Outcome(shown.value / truth - 1, covered, True)
        over = shown.value / top_per_s - 1
    of_spot = None
    if spot is not None and spot.users is not None:
        of_spot = unit_per_s * curve(spot.users) / top_per_s
    return Found(figure, over, of_spot, executions)


def searches(curve: Curve, noise: float, number: int, processes: int) -> list[Found]:
    """So many searches; with one process in this one."""
    if processes == 1:
        return [search(curve, noise, each) for each in range(number)]
    with ProcessPoolExecutor(processes) as pool:
        return list(pool.map(search, repeat(curve), repeat(noise), range(number), chunksize=2))


def goals_of_searches(found: Iterable[Found]) -> list[Goal]:
    """Goals of the searches of one curve at one noise."""
    all_ = list(found)
    named = [each for each in all_ if each.peak is not None]
    over = np.array([each.over_the_top for each in named])
    covered = [bool(each.peak.covered) for each in named if each.peak and each.peak.covered is not None]
    spots = [each.spot < INFERIOR for each in all_ if each.spot is not None]
    error = float(over.std(ddof=1) / np.sqrt(len(over))) if len(over) > 1 else float("inf")
    goals = [Goal("peaks named", len(named) / len(all_), ">= 0.9", len(all_))]
    if len(over):
        goals.append(Goal("peak overstated", float(over.mean()), f"<= {OVERSTATED}", 0, error))
    if covered:
        goals.append(Goal("coverage of the peak", fmean(covered), f">= {LOWEST}", len(covered)))
    if spots:
        goals.append(Goal("wrong sweet spots", fmean(spots), f"<= {WRONG}", len(spots)))
    return goals
