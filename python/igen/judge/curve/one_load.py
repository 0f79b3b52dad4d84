"""One of several loads at once as a level of its own."""

from __future__ import annotations

from dataclasses import replace

from igen.judge.curve.judged_runs import JudgedRuns
from igen.judge.curve.level_figures import figures_of, times_of_runs
from igen.judge.curve.spreads import LevelSpread
from igen.judge.result import Level
from igen.judge.run.served import served_of
from igen.judge.trust.price import disturbance_of, level_disturbance
from igen.judge.trust.trend import trend_of
from igen.judge.trust.validity import load_failures


def level_of_load(whole: Level, name: str, runs: JudgedRuns, spread: LevelSpread | None) -> Level:
    """Return the figures of one load, by the same rules as those of the `whole` level, whose verdict it
    shares.

    A level that is not steady as a whole is steady for none of its loads.
    """
    parts = {run: run.loads[name] for run in runs.all}
    prices = {run: disturbance_of(part) for run, part in parts.items()}
    used = [parts[run] for run in runs.used]
    return replace(
        figures_of([*parts.values()], used, spread),
        trust=replace(
            whole.trust,
            disturbance=level_disturbance([prices[run] for run in runs.used], trend_of(used)),
            served=served_of([(parts[run], prices[run]) for run in runs.asked], load_failures(whole)),
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
