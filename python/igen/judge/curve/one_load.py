"""One of several loads at once as a level of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from igen.judge.curve.level_figures import figures_of, times_of_runs
from igen.judge.result import Level
from igen.judge.run.measured import MeasuredRun
from igen.judge.run.served import served_of
from igen.judge.trust.baseline import Baseline
from igen.judge.trust.price import disturbance_of, mean_disturbance
from igen.judge.trust.validity import load_failures


def level_of_load(
    whole: Level,
    name: str,
    runs: Sequence[MeasuredRun],
    used: Sequence[MeasuredRun],
    asked: Sequence[MeasuredRun],
    baseline: Baseline,
) -> Level:
    """The figures of one load, by the same rules as those of the `whole` level, whose verdict it shares.

    They are from the runs that are `used`; whether it got its rate say those that are `asked`. A level
    that is not steady as a whole is steady for none of its loads.
    """
    parts = {run: run.loads[name] for run in runs}
    prices = {run: disturbance_of(part, baseline) for run, part in parts.items()}
    return replace(
        figures_of([*parts.values()], [parts[run] for run in used]),
        trust=replace(
            whole.trust,
            disturbance=mean_disturbance([prices[run] for run in used]),
            served=served_of([(parts[run], prices[run]) for run in asked], load_failures(whole)),
        ),
        findings=whole.findings,
        repeats=[
            replace(
                repeat,
                throughput_per_s=part.throughput_per_s,
                response_time_ms=times_of_runs([part], "response_time"),
                timeline=[],
                trust=replace(repeat.trust, disturbance=prices[run]),
            )
            for repeat, (run, part) in zip(whole.repeats, parts.items(), strict=True)
        ],
    )
