"""Scenarios of the questions of a report: what may be claimed of equal systems, and what must be found."""

from __future__ import annotations

from tests.pipeline import shapes
from tests.pipeline.scenarios import Scenario
from tests.pipeline.systems import ClosedTarget, Shape, flat
from tests.pipeline.transactions import Phases

SHORT = Phases(warmup_s=0.5, measure_s=2.0, interval_s=0.1, warmup_is_auto=False)
FOUR_LOADS = (1, 2, 4, 8)
RUN_NOISE = 0.0138
"""With the noise of the transactions and intervals of `SHORT` a pair has a standard deviation of 2.0 %."""


def _target(shape: Shape = flat, **values: object) -> ClosedTarget:
    known: dict[str, object] = {
        "users": FOUR_LOADS,
        "variation": 0.1,
        "interval_noise": 0.01,
        "run_noise": RUN_NOISE,
        "percentiles": False,
        "phases": SHORT,
    }
    return ClosedTarget(shape=shape, **(known | values))  # type: ignore[arg-type]


EQUAL = [
    Scenario(name="equal at four loads", target=_target(), studies=2),
    Scenario(name="equal at four loads, AR(0.5)", target=_target(correlation=0.5), studies=2),
    Scenario(
        name="equal at four loads, stall moved",
        target=_target(shapes.stall(0.25, 0.75), mean_speed=0.9),
        studies=2,
    ),
    Scenario(
        name="equal at four loads, going first costs 3 %",
        target=_target(run_noise=0.005),
        first_costs=0.03,
        studies=2,
    ),
    Scenario(
        name="equal at one load, stored, noise between sessions",
        target=_target(users=(4,), session_noise=0.02, run_noise=0.01),
        stored=True,
        sessions=8,
        studies=2,
    ),
    Scenario(name="equal at one load", target=_target(users=(4,)), studies=2),
]

DIFFERENT = [
    Scenario(
        name="2 % at each of four loads", target=_target(factor=1.02), identical=False, power=0.8, studies=4
    ),
    *(
        Scenario(
            name=f"one transaction of 500 takes 5 times as long, {transactions:,} a side",
            target=_target(
                users=(4,),
                variation=0.25,
                slow=(0.002, 5.0),
                phases=Phases(0.5, transactions / 5000, interval_s=0.1, warmup_is_auto=False),
            ),
            identical=False,
            extra={"p99.9 reported": ">= 0.8"},
            studies=4,
        )
        for transactions in (20_000, 40_000)
    ),
]

QUESTIONS = [*EQUAL, *DIFFERENT]
