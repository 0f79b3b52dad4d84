"""The list of scenarios: systems, how they were measured, and what may be said of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.pipeline import shapes
from tests.pipeline.machine import QUIET, Machine
from tests.pipeline.systems import ClosedQueue, ClosedTarget, LateDriver, OpenQueue, Target
from tests.pipeline.transactions import Phases


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """Two systems, measured in one study side by side, or one after the other and stored."""

    name: str
    target: Target
    covered: tuple[str, ...] = ()
    """Figures whose intervals must hold the truth at VALID levels: `throughput`, `mean`, `p99`."""
    valid: str = ""
    """Share of VALID levels, such as `>= 0.9`; empty where either is right."""
    flagged: str = ""
    """Share of levels that are not VALID."""
    identical: bool = True
    """The systems are the same: no sentence may call them different."""
    power: float | None = None
    """Share of studies in which the difference must be found."""
    sessions: int = 0
    """So many of `igen noise measure` are in the store."""
    stored: bool = False
    """Two runs, compared by `igen compare`; else one study of two systems, shown by `igen show`."""
    runs: tuple[int, int] = (5, 5)
    machines: tuple[Machine, Machine] = (QUIET, QUIET)
    killed: int = 0
    """As many executions of the second system were killed."""
    first_costs: float = 0.0
    """Share of its speed that a system loses if it is executed before the other one."""
    canary_noise: float = 0.0
    """Further noise of the canary from one execution to the next, of no effect on the load."""
    canary_sees: bool = False
    """The canary's speed follows the shape of the execution: the machine is slower, not the system."""
    failing: float = 0.0
    """Share of the second system's transactions that fail."""
    studies: int = 5
    """In the tests, where all scenarios together may take 40 s."""
    extra: Mapping[str, str] = field(default_factory=dict)
    """Further goals by name of the figure."""


TIMES = ("throughput", "mean", "p99")
EXTENDED_FROM_S = 4.0
"""What was planned where 10 s were measured."""
IN_TURNS = {
    "users": (20, 32, 50),
    "capacity": 12.0,
    "run_noise": 0.003,
    "interval_noise": 0.005,
    "percentiles": False,
    "phases": Phases(warmup_s=0.2, measure_s=1.0, interval_s=0.1, warmup_is_auto=False),
}
"""Loads at which the order of two systems was the same in every study, and little noise."""
FOREIGN = Machine(foreign_share=0.5, wait_per_s=0.4, pressure_share=0.5)
LITTLE_FOREIGN = Machine(foreign_share=0.1, wait_per_s=0.16, pressure_share=0.15)
"""Threads of the load waited for 4 % of the time of all users."""
STEAL = Machine(steal_share=0.1)
SLOW_CLOCK = Machine(spins=0.9)


def _closed(**values: object) -> ClosedTarget:
    return ClosedTarget(**values)  # type: ignore[arg-type]


SCENARIOS = [
    Scenario(name="independent", target=_closed(), covered=TIMES, valid=">= 0.95"),
    Scenario(name="independent, stored", target=_closed(), covered=TIMES, valid=">= 0.95", stored=True),
    Scenario(
        name="noise between sessions, stored",
        target=_closed(session_noise=0.02, run_noise=0.01),
        stored=True,
        sessions=8,
        extra={"ratios covered": ">= 0.93"},
    ),
    # Identical systems were claimed different in 79 % of 1,000 such comparisons while no interval had it.
    Scenario(
        name="noise between sessions that nobody measured, stored",
        target=_closed(session_noise=0.04, run_noise=0.01),
        stored=True,
        extra={"ratios covered": ">= 0.93"},
    ),
    Scenario(
        name="clear difference of stored runs whose noise nobody measured",
        target=_closed(session_noise=0.04, run_noise=0.01, factor=1.3),
        stored=True,
        identical=False,
        power=0.95,
        studies=3,
    ),
    Scenario(name="AR(0.5)", target=_closed(correlation=0.5), covered=TIMES, valid=">= 0.95"),
    Scenario(
        name="warm-up from below",
        target=_closed(shape=shapes.approach(-0.4, 0.5), percentiles=False),
        covered=("throughput",),
        valid=">= 0.9",
    ),
    Scenario(
        name="warm-up from above",
        target=_closed(shape=shapes.approach(0.4, 0.5), percentiles=False),
        covered=("throughput",),
        valid=">= 0.9",
    ),
    Scenario(
        name="stall early",
        target=_closed(shape=shapes.stall(0.25), mean_speed=0.9, percentiles=False),
        flagged=">= 0.9",
    ),
    Scenario(
        name="stall late",
        studies=3,
        target=_closed(shape=shapes.stall(0.75), mean_speed=0.9, percentiles=False),
        flagged=">= 0.9",
    ),
    Scenario(
        name="stall moved",
        studies=3,
        target=_closed(shape=shapes.stall(0.25, 0.75), mean_speed=0.9, percentiles=False),
        flagged=">= 0.9",
    ),
    Scenario(
        name="stall anywhere",
        studies=3,
        target=_closed(shape=shapes.stall(None), mean_speed=0.9, percentiles=False),
        flagged=">= 0.9",
    ),
    Scenario(
        name="stall at the end",
        studies=3,
        target=_closed(shape=shapes.stall(0.9), mean_speed=0.9, percentiles=False),
        flagged=">= 0.9",
    ),
    Scenario(
        name="stall early, warm-up given",
        studies=3,
        target=_closed(
            shape=shapes.stall(0.05),
            mean_speed=0.9,
            percentiles=False,
            phases=Phases(warmup_is_auto=False),
        ),
        flagged=">= 0.9",
    ),
    Scenario(
        name="short stall early",
        target=_closed(shape=shapes.stall(0.1, share=0.04), mean_speed=0.96, percentiles=False),
        covered=("throughput",),
        flagged=">= 0.9",
    ),
    Scenario(
        name="stall of one interval",
        target=_closed(shape=shapes.stall(0.1, share=0.02), mean_speed=0.98, percentiles=False),
        covered=("throughput",),
    ),
    Scenario(name="step", target=_closed(shape=shapes.step(-0.2), mean_speed=None), flagged=">= 0.9"),
    Scenario(
        name="drift 10 %",
        studies=3,
        target=_closed(shape=shapes.drift(0.1), mean_speed=None),
        flagged=">= 0.9",
    ),
    Scenario(
        name="steady, measured longer",
        target=_closed(percentiles=False, phases=Phases(planned_s=EXTENDED_FROM_S, interval_s=0.1)),
        covered=("throughput",),
        valid=">= 0.95",
        studies=3,
    ),
    Scenario(
        name="collections",
        target=_closed(shape=shapes.sawtooth(0.5, 7)),
        covered=("throughput",),
        valid=">= 0.9",
    ),
    Scenario(
        name="two groups of runs",
        target=_closed(shape=shapes.slow_runs(0.2, -0.15), mean_speed=0.97, percentiles=False),
        extra={"groups warned": ">= 0.9"},
    ),
    *(
        Scenario(
            name=f"M/M/1 open {load}",
            target=OpenQueue(rates_per_s=(500 * load,)),
            covered=TIMES,
            valid=">= 0.9" if load < 0.9 else "",
        )
        for load in (0.3, 0.7, 0.9)
    ),
    *(
        Scenario(
            name=f"M/M/1 closed {load}",
            target=ClosedQueue(think_s=think_s),
            covered=TIMES,
            valid=">= 0.9" if load < 0.9 else "",
            studies=3,
        )
        for load, think_s in ((0.3, 0.131), (0.7, 0.0515), (0.9, 0.0345))
    ),
    Scenario(
        name="open, three times slower",
        target=OpenQueue(rates_per_s=(20.0, 40.0), service_s=0.004, factor=2.6),
        identical=False,
        power=0.95,
    ),
    Scenario(name="four loads", target=_closed(users=(1, 2, 4, 8), capacity=5.0), covered=TIMES, studies=2),
    Scenario(
        name="four loads, stored",
        target=_closed(users=(1, 2, 4, 8), capacity=5.0),
        covered=TIMES,
        stored=True,
        studies=2,
    ),
    Scenario(
        name="40 short loads",
        target=_closed(
            users=tuple(range(1, 41)),
            capacity=5.0,
            percentiles=False,
            phases=Phases(warmup_s=0.2, measure_s=1.0, interval_s=0.1, warmup_is_auto=False),
        ),
        covered=("throughput", "mean"),
        runs=(3, 3),
        studies=5,
    ),
    Scenario(
        name="pairs",
        target=_closed(block_noise=0.02, run_noise=0.005),
        covered=("throughput", "mean"),
    ),
    # As large as `igen noise plan` announces for these repeats at the noise of a run that the target has, and
    # at what `igen noise measure` sees of it between sessions.
    Scenario(
        name="difference planned for 5 pairs",
        target=_closed(factor=1.074),
        identical=False,
        power=0.8,
    ),
    Scenario(
        name="difference planned for 5 pairs of little noise",
        target=_closed(block_noise=0.02, run_noise=0.005, factor=1.0223),
        identical=False,
        power=0.8,
    ),
    *(
        Scenario(
            name=f"going first costs {100 * costs:g} %, {repeats} repeats",
            target=_closed(**IN_TURNS),
            first_costs=costs,
            runs=(repeats, repeats),
            studies=3,
            extra={"ratios covered": ">= 0.93"},
        )
        for costs in (0.01, 0.03)
        for repeats in (3, 5)
    ),
    Scenario(
        name="difference of 2 % where going first costs 3 %",
        target=_closed(factor=1.02, **IN_TURNS),
        first_costs=0.03,
        identical=False,
        power=0.8,
        studies=3,
    ),
    Scenario(
        name="clear difference in pairs",
        target=_closed(block_noise=0.02, run_noise=0.005, factor=1.033),
        identical=False,
        power=0.95,
        studies=6,
    ),
    Scenario(
        name="difference planned for 10 stored runs",
        target=_closed(factor=1.043),
        identical=False,
        power=0.8,
        studies=3,
        runs=(10, 10),
        stored=True,
        sessions=8,
    ),
    Scenario(
        name="foreign CPU beside one",
        target=_closed(shape=shapes.slow_other(-0.2), mean_speed=None),
        machines=(QUIET, FOREIGN),
        extra={"other flagged": ">= 0.95"},
    ),
    # What others took makes the same system too slow for the rate.
    Scenario(
        name="foreign CPU beside one, open",
        target=OpenQueue(rates_per_s=(400.0,), factor=1.6),
        machines=(QUIET, FOREIGN),
        extra={"other flagged": ">= 0.95"},
    ),
    Scenario(
        name="a little foreign CPU beside one",
        target=_closed(shape=shapes.slow_other(-0.04), mean_speed=None, run_noise=0.005),
        machines=(QUIET, LITTLE_FOREIGN),
        extra={"other flagged": ">= 0.95"},
    ),
    Scenario(
        name="foreign CPU beside both",
        studies=3,
        target=_closed(shape=shapes.slow_other(-0.2), mean_speed=None),
        machines=(FOREIGN, FOREIGN),
        flagged=">= 0.95",
    ),
    Scenario(
        name="steal beside one",
        studies=3,
        target=_closed(shape=shapes.slow_other(-0.1), mean_speed=None),
        machines=(QUIET, STEAL),
        extra={"other flagged": ">= 0.95"},
    ),
    Scenario(
        name="slow clock beside one, stored",
        target=_closed(shape=shapes.slow_other(-0.1), mean_speed=None),
        machines=(QUIET, SLOW_CLOCK),
        stored=True,
        sessions=8,
    ),
    Scenario(
        name="late wake-ups beside one",
        target=LateDriver(),
        extra={"other's throughput VALID": ">= 0.95"},
    ),
    Scenario(
        name="3 runs against 10", studies=3, target=_closed(), runs=(3, 10), covered=("throughput", "mean")
    ),
    Scenario(
        name="3 runs against 10, stored",
        studies=3,
        target=_closed(),
        runs=(3, 10),
        covered=("throughput", "mean"),
        stored=True,
    ),
    Scenario(
        name="one run killed",
        studies=3,
        target=_closed(),
        killed=1,
        covered=("throughput", "mean"),
        valid=">= 0.95",
    ),
    # The arrivals of a run vary by 3 %, and all of them are served.
    Scenario(
        name="few errors in one, open",
        target=OpenQueue(rates_per_s=(100.0,)),
        failing=0.002,
        extra={"other flagged": ">= 0.9"},
    ),
    Scenario(
        name="errors in one",
        studies=3,
        target=_closed(),
        failing=0.005,
        extra={"other flagged": ">= 0.95"},
    ),
    Scenario(
        name="collections, warm-up given",
        studies=3,
        target=_closed(shape=shapes.sawtooth(0.5, 16), phases=Phases(warmup_is_auto=False)),
        covered=("throughput",),
        valid=">= 0.9",
    ),
]
