"""Scenarios of the budget of uncertainty: noise that an interval contains, and what none can contain.

Half of the rows must be VALID, with intervals that hold the truth; the others may never be.
"""

from __future__ import annotations

from dataclasses import replace

from tests.pipeline import shapes
from tests.pipeline.scenarios import Scenario
from tests.pipeline.systems import ClosedTarget, OpenQueue, Shape, flat
from tests.pipeline.transactions import Phases

SHORT = Phases(warmup_s=0.5, measure_s=2.0, interval_s=0.1, warmup_is_auto=False)
"""Five such runs; the warm-up is given, so that the judge cuts nothing."""
CONTAINED, MOSTLY_CONTAINED = ">= 0.93", ">= 0.90"
NEVER = "<= 0"


def _target(shape: Shape = flat, mean_speed: float | None = 1.0, **values: object) -> ClosedTarget:
    known: dict[str, object] = {
        "run_noise": 0.01,
        "interval_noise": 0.01,
        "variation": 0.1,
        "percentiles": False,
        "phases": SHORT,
    }
    return ClosedTarget(shape=shape, mean_speed=mean_speed, **(known | values))  # type: ignore[arg-type]


def _contained(name: str, target: ClosedTarget, coverage: str = CONTAINED, **values: object) -> Scenario:
    extra = {"throughput held": coverage, "mean held": coverage}
    return Scenario(name=name, target=target, valid=">= 0.95", extra=extra, **values)  # type: ignore[arg-type]


CONTAINABLE = [
    _contained("noise of 1 %", _target()),
    _contained("wanders by 5 %, stays 0.5 s", _target(shapes.wandering(-0.05, 0.5), 0.975)),
    _contained("wanders by 10 %, stays 0.5 s", _target(shapes.wandering(-0.10, 0.5), 0.95)),
    _contained("canary noise of 3 %", _target(), canary_noise=0.03),
    _contained("random walk of 1 %", _target(shapes.random_walk(0.01))),
    _contained("wanders by 10 %, stays 2 s", _target(shapes.wandering(-0.10, 2.0), 0.95), MOSTLY_CONTAINED),
    _contained(
        "one run in six 5 % slower, as the canary says",
        _target(shapes.slow_runs(1 / 6, -0.05)),
        MOSTLY_CONTAINED,
        canary_sees=True,
    ),
    _contained(
        "dip of 6 % for 0.7 s in one run of five",
        _target(shapes.dip(0.2, -0.06, 0.7), 1 - 0.2 * 0.06 * 0.35),
        ">= 0.85",
    ),
    replace(
        _contained(
            "three times the noise at the highest of four loads",
            _target(users=(1, 2, 4, 8), noise_at_highest=3.0),
        ),
        extra={"throughput held at the highest load": MOSTLY_CONTAINED},
    ),
]

NEVER_VALID = [
    Scenario(name=f"{name}, {repeats} repeats", target=target, valid=NEVER, runs=(repeats, repeats))
    for repeats in (2, 3, 5)
    for name, target in (
        ("warm-up from 8 % below", _target(shapes.approach(-0.08, 0.6), None)),
        ("drift of 6 %", _target(shapes.drift(0.06), None)),
        ("step of -20 %", _target(shapes.step(-0.2), None)),
        ("outage of 10 %", _target(shapes.stall(None), None)),
    )
]

QUEUE = Scenario(name="M/M/1 open 0.9, short", target=OpenQueue(rates_per_s=(450.0,), phases=SHORT))

BUDGET = [*CONTAINABLE, *NEVER_VALID, QUEUE]
