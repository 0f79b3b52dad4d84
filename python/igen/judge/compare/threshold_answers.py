"""What thresholds say of measured levels: crossed, held, or not to be told, from each level's interval."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from math import inf

from igen.judge.compare.threshold import FIGURES, Judgement, Threshold, ThresholdAnswer
from igen.judge.curve.load import own_name
from igen.judge.curve.parts import factor_of_parts
from igen.judge.curve.points import used_runs
from igen.judge.figure.interval import log_interval
from igen.judge.result import Figure, Finding, Level, System, Times
from igen.judge.trust.disturbance import Bound
from igen.judge.trust.finding import finding, parts_of, reasons
from igen.judge.trust.rules.statistics import LEAST_RUNS_OF_P99
from igen.judge.trust.usable import has_throughput, has_times


def threshold_answers(
    thresholds: Sequence[Threshold], systems: Sequence[System], *, looked: bool = False
) -> list[ThresholdAnswer]:
    """The answers of each threshold, in the order of thresholds, systems and levels.

    A threshold is asked of each measured level, or of those at the load that it names. Each level is judged
    by its own 95 % interval: nothing is corrected for the number of levels. `looked`: the number of runs was
    decided by looking at them, so that intervals must hold at every look.
    """
    found = []
    for threshold in thresholds:
        answers = [*_answers(threshold, systems, looked)]
        if all(answer.value is None for answer in answers):
            answers = [replace(answer, fails=True) for answer in answers] or [_nothing(threshold)]
        found += answers
    return found


def is_at(threshold: Threshold, users: int | None, rate_per_s: float | None) -> bool:
    """Whether a threshold is asked of a level at this load."""
    if threshold.users is not None:
        return users == threshold.users
    return threshold.rate_per_s is None or rate_per_s == threshold.rate_per_s


def loads_asked(threshold: Threshold, names: Collection[str]) -> list[str]:
    """The loads, of several with these names, of which a threshold is asked; an empty name is all of them."""
    if threshold.of_load:
        return [name for name in names if name == threshold.of_load]
    return [*names] if names and threshold.unit == "ms" else [""]


def _answers(threshold: Threshold, systems: Sequence[System], looked: bool) -> Iterator[ThresholdAnswer]:
    for system in systems:
        for level in system.levels:
            for name in loads_asked(threshold, level.loads):
                part = level.loads.get(name, level)
                if is_at(threshold, part.users, part.offered_per_s):
                    answer = _answer(threshold, system, part, looked)
                    yield _of_load(answer, level, name) if level.loads else answer


def _of_load(answer: ThresholdAnswer, level: Level, load: str) -> ThresholdAnswer:
    return replace(
        answer,
        figure=f"{answer.figure} of {load}" if load else answer.figure,
        level=level.level,
        load=load,
        among=own_name(level),
    )


def _answer(threshold: Threshold, system: System, level: Level, looked: bool) -> ThresholdAnswer:
    value, why = _figure(threshold, level, looked)
    answer: Judgement = "cannot tell"
    if value is not None:
        bound = _bound(threshold, level)
        answer, why = _judgement(threshold, value, bound, why)
        if value.low is None and not looked:
            answer, why = _without_interval(threshold, value.value, level, bound) or (answer, why)
    return ThresholdAnswer(
        threshold=threshold.text,
        figure=threshold.name,
        system=system.name,
        level=level.level,
        users=level.users,
        offered_per_s=level.offered_per_s,
        value=value,
        unit=threshold.unit,
        limit=threshold.limit,
        above=threshold.above,
        answer=answer,
        fails=value is not None and _judged(threshold, Figure.exactly(value.value)) == "crossed",
        why=why,
    )


def _nothing(threshold: Threshold) -> ThresholdAnswer:
    load = {"users": threshold.users, "offered_per_s": threshold.rate_per_s}
    named = {name: float(value) for name, value in load.items() if value is not None}
    return ThresholdAnswer(
        threshold=threshold.text,
        figure=threshold.name,
        system="",
        level=None,
        users=threshold.users,
        offered_per_s=threshold.rate_per_s,
        value=None,
        unit=threshold.unit,
        limit=threshold.limit,
        above=threshold.above,
        answer="cannot tell",
        fails=True,
        why=finding("load-not-measured", *parts_of(named), scope="study"),
    )


def _judgement(
    threshold: Threshold, value: Figure, bound: Bound, why: Finding | None
) -> tuple[Judgement, Finding | None]:
    """From the interval, and from the interval with all that disturbance may have done to it."""
    if value.ends() is None:
        return "cannot tell", why
    if _judged(threshold, value) == "cannot tell":
        return "cannot tell", finding("interval-spans-limit", scope="level")
    answer = _judged(threshold, value.disturbed(bound.logs))
    return answer, finding("disturbance-spans-limit", scope="level") if answer == "cannot tell" else None


def _judged(threshold: Threshold, value: Figure) -> Judgement:
    """Return what a figure says of a threshold, which holds at the limit itself."""
    side = value.against(most=threshold.limit) if threshold.above else value.against(least=threshold.limit)
    return "held" if side == "within" else "cannot tell" if side == "cannot tell" else "crossed"


def _without_interval(
    threshold: Threshold, value: float, level: Level, bound: Bound
) -> tuple[Judgement, None] | None:
    """Return the answer of runs that are too few for an interval; None if the limit is too near.

    Another run is taken to differ from these by as much as their parts differ from each other.
    """
    factor = factor_of_parts(level, threshold.name.partition(" of ")[0]) if threshold.unit == "ms" else inf
    if factor == inf:
        return None
    known = Figure(value=value, low=value / factor, high=value * factor)
    answer, _ = _judgement(threshold, known, bound, None)
    return None if answer == "cannot tell" else (answer, None)


def _bound(threshold: Threshold, level: Level) -> Bound:
    """Return how far an undisturbed machine and a punctual driver may move the figure."""
    if threshold.name == "errors":
        return Bound()
    of = level.trust.disturbance
    if threshold.name == "throughput":
        return of.throughput
    figure, _, times = threshold.name.partition(" of ")
    if times == "service":
        return Bound() if figure == "max" else of.times
    others = Bound() if figure == "max" else of.by_others.times
    measured, least = level.response_time_ms, level.least_response_time_ms
    if measured is None or least is None:
        return others
    share = getattr(least, FIGURES[figure]) / getattr(measured, FIGURES[figure])
    return replace(others, low_percent=min(others.low_percent, 100 * (share - 1)))


def _figure(threshold: Threshold, level: Level, looked: bool) -> tuple[Figure | None, Finding | None]:
    """The figure, or why there is none; and why it has no interval."""
    if threshold.name == "errors":
        # Errors are those of all runs, transactions of those that count: the share is never too small.
        ended = level.transactions + level.errors
        if threshold.unit == "count":
            return Figure.exactly(level.errors), None
        return (
            (Figure.exactly(level.errors / ended), None) if ended else (None, finding("no-transaction-ended"))
        )
    if threshold.name == "throughput":
        if not has_throughput(level):
            return None, _invalid(level)
        return level.throughput_per_s, _few(level.throughput_per_s, 2)
    figure, _, of = threshold.name.partition(" of ")
    times = level.response_time_ms if of == "response" else level.service_time_ms
    if times is None:
        return None, finding("no-transaction-succeeded")
    if not has_times(level):
        return None, _invalid(level)
    return _of_times(times, FIGURES[figure], level, looked, response=of == "response")


def _of_times(
    times: Times, name: str, level: Level, looked: bool, *, response: bool
) -> tuple[Figure | None, Finding | None]:
    """A figure of a distribution; of mean and p99 with the level's own interval."""
    value: float = getattr(times, name)
    if name == "max":
        return Figure.exactly(value), None
    known = Figure(value=value, n=level.throughput_per_s.n)
    if name in ("mean", "p99"):
        own: Figure | None = times.mean_interval if name == "mean" else times.p99_interval
        return own or known, _few(own or known, 2 if name == "mean" else LEAST_RUNS_OF_P99.value)
    runs = [getattr(run.response_time_ms, name) for run in used_runs(level) if run.response_time_ms]
    if not response:
        return known, finding("interval-unknown")
    if len(runs) < LEAST_RUNS_OF_P99.value:
        return known, _few(known, LEAST_RUNS_OF_P99.value)
    of_runs = log_interval(runs, "sequence" if looked else "runs")
    return of_runs, _few(of_runs, LEAST_RUNS_OF_P99.value)


def _few(value: Figure, needed: int) -> Finding | None:
    if value.low is not None:
        return None
    return finding("interval-needs-runs", scope="level", limit=max(needed, value.n + 1), runs=value.n)


def _invalid(level: Level) -> Finding:
    return finding("level-invalid", scope="level", because=reasons(level.findings)[:1])
