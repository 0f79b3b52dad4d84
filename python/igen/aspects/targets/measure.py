"""What each of several targets did at one level."""

from __future__ import annotations

from igen.aspects.targets.parts import TargetResult, Targets
from igen.judge.aspect import LevelRuns
from igen.judge.figure.interval import mean_interval
from igen.judge.figure.times import times_of


def targets_of(runs: LevelRuns) -> Targets | None:
    """Each target over the runs that count, in the order of the job's; None where there is one.

    A run that ended before its measurement says nothing of targets and is left out.
    """
    measured = [run for run in runs.used if run.targets]
    if not measured:
        return None
    total = sum(target.count for run in measured for target in run.targets)
    results = []
    for index, target in enumerate(measured[0].recording.targets):
        parts = [(run, run.targets[index]) for run in measured]
        transactions = sum(part.count for _, part in parts)
        results.append(
            TargetResult(
                target=target,
                transactions=transactions,
                errors=sum(part.failed for _, part in parts),
                share=transactions / total if total else 0.0,
                throughput_per_s=mean_interval([part.count / run.measured_s for run, part in parts]),
                response_time_ms=times_of([part.response_time for _, part in parts]),
            )
        )
    return Targets(targets=results)


def users_of_target(users: int, targets: int, index: int) -> int:
    """Users are dealt in turn: user i loads target i mod n."""
    return users // targets + (index < users % targets)
