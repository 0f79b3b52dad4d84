"""A scenario's study number so and so, as run folders in a store."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from igen.judge.record.settings import flat
from igen.loads import MEAN, P99, THROUGHPUT
from igen.store.job_file import JOBS_FOLDER
from igen.store.noise import NoiseSession, add_noise
from igen.store.run import Run, RunRecord
from igen.study.levels import PlannedLevel
from igen.study.orders.sweep import SweepOrder
from tests.pipeline import job_file
from tests.pipeline.job_file import FACTS, Execution
from tests.pipeline.scenarios import Scenario
from tests.pipeline.systems import BASE, OTHER, Blocks, ClosedTarget
from tests.pipeline.transactions import Transactions

BEGAN_UNIX_S = 1.8e9
EXECUTION_S = 15.0
SESSION_S = 3600.0


def write_study(folder: Path, scenario: Scenario, number: int) -> list[Run]:
    """The runs of both systems: one of them together, or one each."""
    random = np.random.default_rng([zlib.crc32(scenario.name.encode()), number])
    executions = _executions(random, scenario)
    if scenario.sessions:
        _keep_sessions(random, folder, scenario, executions[0].job)
    if scenario.stored:
        return [
            write_run(
                folder / f"run-{system}",
                scenario.name,
                [each for each in executions if each.system == system],
            )
            for system in (BASE, OTHER)
        ]
    return [write_run(folder / "run", scenario.name, executions)]


def _executions(random: np.random.Generator, scenario: Scenario) -> list[Execution]:
    """In the order of time."""
    target = scenario.target
    loads = target.loads()
    seed = int(random.integers(2**31))
    order = _order(scenario, seed)
    places = {place: number for number, place in enumerate(order)}
    repeats = range(max(scenario.runs))
    blocks = Blocks(
        random.standard_normal(len(repeats)),
        np.array(
            [
                [places[BASE, at, each] < places[OTHER, at, each] for each in repeats]
                for at in range(len(loads))
            ]
        ),
        scenario.first_costs,
    )
    found = {}
    for place, system in enumerate((BASE, OTHER)):
        runs = target.executions(random, system, scenario.runs[place], blocks)
        for load, of_load in enumerate(runs):
            for repeat, transactions in enumerate(of_load):
                found[system, load, repeat] = Execution(
                    level=load + (0 if scenario.stored else place * len(loads)),
                    repeat=repeat,
                    system=system,
                    load=loads[load],
                    transactions=_failing(random, scenario, system, transactions),
                    phases=target.phases,
                    seed=seed + place if scenario.stored else seed,
                    started_unix_s=0.0,
                    machine=scenario.machines[place],
                    canaries=canaries(
                        random, scenario.canary_noise, transactions.speed if scenario.canary_sees else 1.0
                    ),
                    killed=system == OTHER and repeat < scenario.killed,
                )
    return [
        replace(found[place], order=index, started_unix_s=BEGAN_UNIX_S + EXECUTION_S * index + (
            SESSION_S if scenario.stored and place[0] == OTHER else 0))
        for index, place in enumerate(place for place in order if place in found)
    ]  # fmt: skip


def _keep_sessions(random: np.random.Generator, store: Path, scenario: Scenario, job: dict[str, Any]) -> None:
    """What `igen noise` saw of the same noise before: with closed users the times go with the throughput."""
    target = scenario.target
    assert isinstance(target, ClosedTarget)
    (users,) = target.users
    for number in range(scenario.sessions):
        session = 1 + target.session_noise * random.standard_normal()
        per_s = users / target.service_s * session * (1 + target.run_noise * random.standard_normal((5, 2)))
        figures = {THROUGHPUT: per_s, MEAN: 1e3 * users / per_s, P99: 1.5e3 * users / per_s}
        seen = NoiseSession(
            host=str(FACTS["host.name"]),
            workload=job["workload"],
            settings=job,
            run=f"session-{number}",
            started_unix_s=BEGAN_UNIX_S - SESSION_S * (scenario.sessions - number),
            pairs={str(name): [(a, b) for a, b in values.tolist()] for name, values in figures.items()},
        )
        add_noise(store, seen)


def canaries(random: np.random.Generator, noise: float = 0.0, speed: float = 1.0) -> tuple[float, float]:
    """Return the speeds of the canary before and after an execution, on a machine of this speed."""
    execution = speed * (1 + noise * random.standard_normal()) if noise else speed
    before, after = (execution * (1 + 0.002 * random.standard_normal(2))).tolist()
    return before, after


def _order(scenario: Scenario, seed: int) -> list[tuple[str, int, int]]:
    """System, load and repeat of each execution as a study of these systems executes them; stored: one system
    first."""
    loads = scenario.target.loads()
    levels = [
        PlannedLevel(number=number, values=dict(flat({"load": loads[load]})), job={}, system=system)
        for number, (system, load) in enumerate(product((BASE, OTHER), range(len(loads))))
    ]
    planned = SweepOrder(levels, max(scenario.runs), seed=str(seed))
    found = [
        (each.level.system, each.level.number % len(loads), each.repeat) for each in planned.executions()
    ]
    return sorted(found, key=lambda place: place[0] == OTHER) if scenario.stored else found


def _failing(
    random: np.random.Generator, scenario: Scenario, system: str, transactions: Transactions
) -> Transactions:
    if not scenario.failing or system != OTHER:
        return transactions
    return replace(transactions, failed=random.random(len(transactions.end_s)) < scenario.failing)


def write_run(
    folder: Path,
    title: str,
    executions: list[Execution],
    described: Mapping[str, Mapping[str, Any]] | None = None,
) -> Run:
    """Write a run folder with these executions as `igen run` leaves it; `described`: systems of the study."""
    (folder / JOBS_FOLDER).mkdir(parents=True)
    systems = list(dict.fromkeys(each.system for each in executions))
    run, study = Run(folder), _study(systems, executions, described or {})
    run.write_record(
        RunRecord(
            run=run.id,
            name="model",
            system=" and ".join(systems),
            title=title,
            study=study,
            created_unix_s=executions[0].started_unix_s,
            igen_version="0.1.0",
        )
    )
    for number, each in enumerate(executions, start=1):
        job_file.write(folder / JOBS_FOLDER / f"{number:04d}.jsonl", run.id, study, each)
    return run


def _study(
    systems: list[str], executions: list[Execution], described: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """As the store keeps it."""
    repeats = 1 + max(each.repeat for each in executions)
    plan = {"mode": "sweep", "repeats": repeats}
    study: dict[str, Any] = {"name": "model", "job": executions[0].job, "plan": plan}
    if len(systems) > 1:
        study["systems"] = [{"name": system, "job": {}, **described.get(system, {})} for system in systems]
    return study
