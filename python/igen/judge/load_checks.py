"""Was the load of a run the load that was asked for, and was it answered?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Any

import numpy as np

from igen.facts import ENGINE_ASIDE_S, WORKLOAD_IN_FLIGHT_PER_USER
from igen.failure import NO_SERVER
from igen.judge import limits
from igen.judge.histogram import merge
from igen.judge.interval import LEAST_RUNS
from igen.judge.limits import Finding
from igen.judge.measured import MeasuredRun
from igen.judge.queueing import independent_values
from igen.judge.student import t_critical
from igen.judge.target import Place, target_place
from igen.units import counted, format_count, format_duration, format_rate, parse_time_s

LEAST_PARTS, MOST_PARTS = 4, 8
DRIFT_P = 0.005
LEAST_DRIFT = 0.03


def _by_the_load(rule: str, text: str, *, failed: bool, overload: bool = False) -> Finding:
    """What the load itself did to a run: no other run may stand for it.

    It `failed` where it was not what was asked for, and not because the system was too slow for it. An
    `overload` is more that was offered than was served.
    """
    return Finding(
        "INVALID", rule, text, spoils_level=True, spoils_run=False, overload=overload, load_failed=failed
    )


def nothing(run: MeasuredRun) -> Iterator[Finding]:
    """Without a transaction there is nothing to judge."""
    if run.transactions.count == 0:
        failed = run.failed
        why = f", {format_count(failed)} failed" if failed else _too_short(run)
        text = f"no transaction succeeded in the measured time{why}"
        if run.recording.outcome == "interrupted" and not failed:
            # Whoever stopped it let none end: other runs stand for it.
            yield Finding("INVALID", "nothing measured", text)
        else:
            yield _by_the_load("nothing measured", text, failed=True)


def _too_short(run: MeasuredRun) -> str:
    """What to say where users think for longer than was measured: then nothing failed."""
    think_s = _mean_think_time_s(run.recording.load.get("think_time_s"))
    if think_s <= run.measured_s:
        return ""
    think, measured = format_duration(think_s), format_duration(run.measured_s)
    return f": a user thinks for {think} on average between two, and {measured} were measured"


def _mean_think_time_s(think_time: Any) -> float:
    """The mean of a time, or of what times are drawn from, as jobs write it; 0 where there is none."""
    match think_time:
        case {"uniform": [low, high]}:
            return (parse_time_s(str(low)) + parse_time_s(str(high))) / 2
        case {"exponential": mean}:
            return parse_time_s(str(mean))
        case None:
            return 0.0
    return parse_time_s(str(think_time))


def errors(run: MeasuredRun) -> Iterator[Finding]:
    """Too many transactions failed."""
    if run.transactions.count and run.failed > limits.ERROR_SHARE * run.ended:
        share = f"{100 * run.failed / run.ended:.2g} %"
        most = "".join(f", most of them: {reason}" for reason, _ in run.failures.most_common(1))
        limit = f"(limit {100 * limits.ERROR_SHARE:g} %)"
        text = f"{share} of the transactions failed {limit}{most}"
        yield _by_the_load("errors", text, failed=True)


def lost(run: MeasuredRun) -> Iterator[Finding]:
    """The server went away, for however short a time: what was measured is not one steady system."""
    times = sum(count for reason, count in run.failures.items() if reason.kind in NO_SERVER)
    if run.transactions.count and times:
        text = f"connections to the server were lost or refused {counted(times, 'time')}"
        yield _by_the_load("connections lost", text, failed=True)


def failed_io(run: MeasuredRun) -> Iterator[Finding]:
    """A device that fails an I/O is not the one that was to be measured, however seldom it does."""
    times = sum(count for reason, count in run.failures.items() if reason.kind == "device")
    if run.transactions.count and times:
        yield _by_the_load("failed I/Os", f"{counted(times, 'I/O')} failed on the device", failed=True)


def steady(run: MeasuredRun, told: Sequence[str] = ()) -> Iterator[Finding]:
    """The throughput had not settled; what was `told` is not said again."""
    reasons = [reason for reason in run.unsteady if reason not in told]
    if reasons and run.transactions.count:
        yield Finding("SUSPECT", "not steady", f"not steady: {'; '.join(reasons)}")


def unfinished(run: MeasuredRun) -> Iterator[Finding]:
    """The slowest transactions are counted for as long as they were waited for: they took longer."""
    users = run.recording.unfinished_users
    if users:
        complete = run.recording.outcome == "complete"
        when = "the drain limit was reached" if complete else "the load was stopped"
        text = f"{counted(users, 'transaction')} had not ended when {when}"
        yield Finding("SUSPECT", "unfinished", text, quantity="times")


def unsent(run: MeasuredRun) -> Iterator[Finding]:
    """Arrivals that were given up: the level is overloaded and its response times grow with its length."""
    arrivals = [interval.arrivals for interval in run.intervals if interval.arrivals]
    given_up, due = sum(each.unsent for each in arrivals), sum(each.due for each in arrivals)
    if given_up:
        were = "was" if given_up == 1 else "were"
        share = f"{format_count(given_up)} of {counted(due, 'arrival')}"
        text = f"OVERLOADED: {share} {were} given up after 10 s"
        yield _by_the_load("unsent", text, failed=_driver_is_at_fault(run), overload=True)


def rate(run: MeasuredRun) -> Iterator[Finding]:
    """An open or paced load was not answered as fast as it came.

    What was due and what ended differ by what is in flight at both ends as well, which fluctuates. Of a queue
    in its steady state with L in flight on average that number has the variance L (1 + L) where arrivals and
    services are random; of one near saturation the difference cannot grow faster than a random walk: by a
    step for each service, and for each arrival unless these come by a plan. Beyond both lies less than one
    run in a thousand. Where the queue grows, so do both allowances: so what waits is looked at from part to
    part, too. Growth that goes on is no fluctuation.
    """
    due = sum(interval.arrivals.due for interval in run.intervals if interval.arrivals)
    if not due:
        return
    ended = run.transactions.count + run.transactions.failed
    in_flight = (
        (run.transactions.response_time.sum_ns + run.transactions.failed_time.sum_ns) / 1e9 / run.measured_s
    )
    limit = f"(limit {100 * limits.RATE_SHARE:g} %)"
    steps = 2 * due if _comes_by_chance(run) else due
    chance = min(5 * sqrt(2 * in_flight * (1 + in_flight)), 3.5 * sqrt(steps))
    if abs(due - ended) > limits.RATE_SHARE * due + chance:
        achieved, offered = (format_rate(count / run.measured_s) for count in (ended, due))
        text = f"{achieved} of {offered} arrivals a second were served {limit}"
        yield _by_the_load("rate not met", text, failed=_driver_is_at_fault(run), overload=ended < due)
    elif (grown := _growth(run)) > limits.RATE_SHARE * due:
        share = f"{format_count(grown)} of {counted(due, 'arrival')}"
        text = f"what was not answered grew all the time, by {share} {limit}"
        yield _by_the_load("rate not met", text, failed=_driver_is_at_fault(run), overload=True)


def _comes_by_chance(run: MeasuredRun) -> bool:
    """Whether the number of arrivals in a given time is random: neither is it of users who are paced, nor of
    arrivals at equal distances."""
    return any((load.get("open") or {}).get("arrivals") == "poisson" for load in run.recording.loads.values())


def served_share(run: MeasuredRun) -> float | None:
    """What was served of what was due: 1 where the rate was held, as far as a queue holds it; None where
    nothing was due, as of closed loads."""
    arrivals = [interval.arrivals for interval in run.intervals if interval.arrivals]
    due = sum(each.due for each in arrivals)
    if not due:
        return None
    if not any((*unsent(run), *rate(run))):
        return 1.0
    ended = run.transactions.count + run.transactions.failed
    left = max(sum(each.unsent for each in arrivals), _growth(run))
    return max(min(ended, due - left), 0) / due


def _driver_is_at_fault(run: MeasuredRun) -> bool:
    """A rate that a slow system does not serve is a result; one that a busy driver does not send fails."""
    percent = run.resources.driver_cpu_percent
    beside = target_place(run.recording) is not Place.IN_PROCESS
    return beside and percent is not None and percent > limits.DRIVER_CPU_PERCENT


def _growth(run: MeasuredRun) -> int:
    """By how much what was due and not answered grew over the measured time, wherever it waited: for a free
    user, or in the server; 0 where it is chance from part to part (t test)."""
    grown = [
        each.arrivals.due - each.arrivals.unsent - each.transactions.count - each.transactions.failed
        for each in run.intervals
        if each.arrivals
    ]
    waiting = np.cumsum([0, *grown])
    parts = min(MOST_PARTS, len(grown))
    if parts < LEAST_PARTS:
        return 0
    edges = [waiting[len(grown) * part // parts] for part in range(parts + 1)]
    growths = np.diff(edges)
    error = float(growths.std(ddof=1)) / sqrt(parts)
    surely = float(growths.mean()) > error * t_critical(parts - 1, limits.BACKLOG_P)
    return int(edges[-1] - edges[0]) if surely else 0


def too_short(runs: Sequence[MeasuredRun]) -> Iterator[Finding]:
    """A queue that forgets slowly: its times depend on when a run begins."""
    values = independent_values(runs)
    if runs[0].recording.is_closed or values is None:
        return
    if values < limits.INDEPENDENT_VALUES:
        text = (
            f"the runs are too short for these times: each is worth {values:.1f} independent values of its "
            f"mean (need {limits.INDEPENDENT_VALUES:g})"
        )
        yield Finding("SUSPECT", "too short", text, quantity="times")


def times_drift(runs: Sequence[MeasuredRun]) -> Iterator[Finding]:
    """Response times of an open or paced load that were others in the second half of its runs (paired t)."""
    if runs[0].recording.load_model == "closed" or len(runs) < LEAST_RUNS:
        return
    changes = []
    for run in runs:
        half = len(run.intervals) // 2
        parts = [
            merge(each.transactions.response_time for each in part)
            for part in (run.intervals[:half], run.intervals[half:])
        ]
        if not all(part.count and part.sum_ns for part in parts):
            return
        changes.append(np.log(parts[1].mean_ns / parts[0].mean_ns))
    mean, error = float(np.mean(changes)), float(np.std(changes, ddof=1)) / sqrt(len(changes))
    limit = max(error * t_critical(len(changes) - 1, DRIFT_P / 2), LEAST_DRIFT)
    if abs(mean) > limit:
        text = (
            f"not steady: response times of the second half are {100 * np.expm1(mean):+.1f} % off the first"
        )
        yield Finding("SUSPECT", "times not steady", text, quantity="times")


def users_left(run: MeasuredRun) -> Iterator[Finding]:
    """Users of a load with a number of users that had stopped for good before the measured time was over:
    what was measured is the load of the others. As many may be missing as Little's law lets."""
    users = run.recording.own_users
    if users is None or not run.intervals:
        return
    left = users - run.intervals[-1].users
    if left > limits.LITTLE_SHARE * users:
        text = f"{left:,} of {counted(users, 'user')} had stopped before the measured time was over"
        yield _by_the_load("users left", text, failed=True)


def littles_law(run: MeasuredRun, floor_s: float) -> Iterator[Finding]:
    """N users of a closed model must all be accounted for: N = X (R + Z); each of them has as many
    transactions in flight as the fact `workload.in_flight_per_user` says, or one. Z is what users did think,
    between transactions and in them.

    Not checked where a workload leaves time out of its transactions (`aside`), or where the engine's own cost
    between two transactions matters. Transactions cut by the ends of the measured time add (R + Z) / T to
    the limit.
    """
    recording, transactions = run.recording, run.transactions
    ended = transactions.count + transactions.failed
    if recording.load_model != "closed" or not ended or recording.facts.get(ENGINE_ASIDE_S):
        return
    busy_s = (transactions.service_time.sum_ns + transactions.failed_time.sum_ns) / 1e9
    think_s = sum(interval.think_time_s for interval in run.intervals)
    cycle_s = (busy_s + think_s) / ended
    each = int(recording.facts.get(WORKLOAD_IN_FLIGHT_PER_USER) or 1)
    if floor_s > limits.LITTLE_FLOOR_SHARE * cycle_s / each:
        return
    users = float(recording.own_users or 0)
    accounted = cycle_s * ended / run.measured_s
    missing = 1 - accounted / (users * each)
    limit = limits.LITTLE_SHARE + cycle_s / run.measured_s
    if abs(missing) > limit:
        in_flight = f" with {each} transactions in flight each" if each > 1 else ""
        closed = f"{counted(int(users), 'user')}{in_flight}, but X (R + Z) = {accounted:.4g}"
        text = f"Little's law does not close: {closed} (limit {100 * limit:.2g} %)"
        yield Finding("SUSPECT", "Little's law", text)
