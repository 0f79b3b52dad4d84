"""Recordings of a scaling study: one instance under more and more load, then more and more instances."""

from __future__ import annotations

from typing import Any

import numpy as np

from igen.aspects.aspects import ASPECTS
from igen.judge import analyse
from igen.judge.intent import Intent
from igen.judge.record.form import Arrivals
from igen.judge.record.recording import Recording
from igen.judge.record.reference import Reference
from igen.judge.record.snapshot import add
from igen.judge.result import System
from tests.judge.synthetic import recording, snapshot, statistics

PER_USER = 10.0
BASE_USERS = 50


def paced(users: int, targets: int, mean_ms: float, done: float = 1.0, **rest: Any) -> Recording:
    """A paced load on so many targets of which a share was done."""
    random = np.random.default_rng(1000 * users + rest.get("repeat", 0))
    due = round(users * PER_USER)
    count = round(done * due)
    arrivals = Arrivals(due=due, started=count, unsent=0, backlog=0)
    intervals = []
    for i in range(10):
        response_ms = mean_ms * (1 + 0.03 * random.standard_normal())
        parts = [statistics(count // targets, response_ms) for _ in range(targets)]
        intervals.append(
            snapshot(
                i,
                add(parts),
                targets=parts if targets > 1 else [],
                users=users,
                arrivals=arrivals,
                counters={"statements": 6 * count},
            )
        )
    load = {"paced": {"users": users, "rate_per_user_per_s": PER_USER}}
    job = {"targets": [f"mysql://db{number}/igen" for number in range(1, targets + 1)]}
    return recording(snapshots=intervals, load=load, job=job, **rest)


def scaling_study(
    means_ms: dict[int, float],
    limit_ms: float | None = 30.0,
    done: dict[int, float] | None = None,
    reference: str = "",
) -> list[System]:
    """The search of one instance, and the instances at the base load each."""
    vertical = [
        paced(users, 1, 5.0, level=level, purpose="search") for level, users in enumerate((50, 100))
    ] + [paced(100, 1, 5.0, level=1, purpose="confirm", repeat=repeat) for repeat in range(3)]
    horizontal = [
        paced(
            n * BASE_USERS, n, mean_ms, (done or {}).get(n, 1.0), level=1 + n, purpose="scale", repeat=repeat
        )
        for n, mean_ms in means_ms.items()
        for repeat in range(3)
    ]
    intent = Intent(response_time_limit_ms=limit_ms, reference=Reference(text=reference))
    return analyse([*vertical, *horizontal], intent=intent, aspects=ASPECTS)
