"""A study of one system at many loads, as large as studies become: for the speed of judging."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from igen.store.run import Run
from tests.pipeline.job_file import Execution
from tests.pipeline.studies import BEGAN_UNIX_S, EXECUTION_S, write_run
from tests.pipeline.systems import BASE, Blocks, ClosedTarget
from tests.pipeline.transactions import Phases

OPERATIONS = {"new order": 0.5, "payment": 0.3, "delivery": 0.2}


def write_curve(
    folder: Path, levels: int, runs: int, seed: int = 25, began_unix_s: float = BEGAN_UNIX_S
) -> Run:
    """From 1 user on, each level one user more; 132 lines for each execution."""
    random = np.random.default_rng(seed)
    users = tuple(range(1, levels + 1))
    target = ClosedTarget(users=users, capacity=levels / 2, phases=Phases(interval_s=1.0))
    loads = target.loads()
    found = target.executions(random, BASE, runs, Blocks(np.zeros(runs), np.ones((levels, runs), bool)))
    executions = [
        Execution(
            level=level,
            repeat=repeat,
            system=BASE,
            load=loads[level],
            transactions=found[level][repeat],
            phases=target.phases,
            seed=seed,
            started_unix_s=began_unix_s + EXECUTION_S * (repeat * levels + level),
            operations=OPERATIONS,
        )
        for repeat in range(runs)
        for level in range(levels)
    ]
    return write_run(folder, "a curve", executions)
