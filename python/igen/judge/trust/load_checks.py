"""Was the load of a run the load that was asked for, and was it answered?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from igen.facts import ENGINE_ASIDE_S, WORKLOAD_IN_FLIGHT_PER_USER
from igen.failure import NO_SERVER
from igen.judge.run.measured import MeasuredRun
from igen.judge.run.offered import Offered
from igen.judge.trust.finding import Finding, Part, finding, parts_of
from igen.judge.trust.rules.load import (
    ASSUMED_FLOOR_S,
    ERROR_SHARE,
    LITTLE_FLOOR_SHARE,
    LITTLE_SHARE,
    RATE_SHARE,
)
from igen.judge.trust.rules.statistics import INDEPENDENT_VALUES
from igen.units import NS_PER_S, parse_time_s


def nothing(run: MeasuredRun) -> Iterator[Finding]:
    """Without a transaction there is nothing to judge."""
    if run.transactions.count == 0:
        think_s = _mean_think_time_s(run.recording.load.get("think_time_s"))
        figures: dict[str, float] = {"failed": run.failed} if run.failed else {}
        if not run.failed and think_s > run.measured_s:
            figures = {"think_time_s": think_s, "measured_s": run.measured_s}
        # Whoever stopped it let no transaction end: other runs stand for it.
        stopped = run.recording.outcome == "interrupted" and not run.failed
        yield finding("stopped-before-work" if stopped else "nothing-done", *parts_of(figures))


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
    if run.transactions.count and run.failed > ERROR_SHARE.value * run.ended:
        most = [Part(name="reason", text=str(reason)) for reason, _ in run.failures.most_common(1)]
        share_percent = 100 * run.failed / run.ended
        yield finding(
            "errors", *most, limit=100 * ERROR_SHARE.value, unit="percent", share_percent=share_percent
        )


def lost(run: MeasuredRun) -> Iterator[Finding]:
    """The server went away, for however short a time: what was measured is not one steady system."""
    times = sum(count for reason, count in run.failures.items() if reason.kind in NO_SERVER)
    if run.transactions.count and times:
        yield finding("connections-lost", times=times)


def failed_io(run: MeasuredRun) -> Iterator[Finding]:
    """A device that fails an I/O is not the one that was to be measured, however seldom it does."""
    times = sum(count for reason, count in run.failures.items() if reason.kind == "device")
    if run.transactions.count and times:
        yield finding("device-failed", ios=times)


def shape(run: MeasuredRun, known: Sequence[Finding] = ()) -> Iterator[Finding]:
    """Yield what the throughput of a run looks like, if there were transactions, and is not `known`."""
    if run.transactions.count:
        yield from (found for found in run.shape if found not in known)


def unfinished(run: MeasuredRun) -> Iterator[Finding]:
    """The slowest transactions are counted for as long as they were waited for: they took longer."""
    users = run.recording.unfinished_users
    if users:
        stopped = [] if run.recording.outcome == "complete" else [Part(name="stopped", figure=1)]
        yield finding("unfinished", *stopped, quantity="times", transactions=users)


def unsent(run: MeasuredRun) -> Iterator[Finding]:
    """Arrivals that were given up: the level is overloaded and its response times grow with its length."""
    if run.offered and run.offered.given_up:
        found = finding("arrivals-given-up", given_up=run.offered.given_up, arrivals=run.offered.due)
        yield _unserved(run.offered, found)


def rate(run: MeasuredRun) -> Iterator[Finding]:
    """An open or paced load was not answered as fast as it came."""
    offered = run.offered
    if offered is None:
        return
    limit = 100 * RATE_SHARE.value
    if offered.differs:
        rule = "rate-not-served" if offered.ended < offered.due else "backlog-served"
        found = finding(
            rule,
            limit=limit,
            unit="percent",
            served_per_s=offered.ended / run.measured_s,
            offered_per_s=offered.due / run.measured_s,
        )
        yield _unserved(offered, found)
    elif offered.grows:
        found = finding("queue-grew", limit=limit, unit="percent", grown=offered.grown, arrivals=offered.due)
        yield _unserved(offered, found)


def _unserved(offered: Offered, found: Finding) -> Finding:
    """Return the finding itself, which is a result, or another rule if the driver did not send the load."""
    return finding("rate-not-sent", because=[found]) if offered.driver_failed else found


def too_short(independent_values: float | None, load: str = "") -> Iterator[Finding]:
    """A queue that forgets slowly: its times depend on when a run begins."""
    if independent_values is not None and independent_values < INDEPENDENT_VALUES.value:
        found = finding(
            "too-short",
            quantity="times",
            scope="level",
            limit=INDEPENDENT_VALUES.value,
            independent_values=independent_values,
        )
        yield replace(found, load=load)


def users_left(run: MeasuredRun) -> Iterator[Finding]:
    """Users of a load with a number of users that had stopped for good before the measured time was over:
    what was measured is the load of the others. As many may be missing as Little's law lets."""
    users = run.recording.own_users
    if users is None or not run.intervals:
        return
    left = users - run.intervals[-1].users
    if left > LITTLE_SHARE.value * users:
        yield finding("users-left", left=left, users=users)


def littles_law(run: MeasuredRun, floor_ns: float | None) -> Iterator[Finding]:
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
    busy_s = (transactions.service_time.sum_ns + transactions.failed_time.sum_ns) / NS_PER_S
    think_s = sum(interval.think_time_s for interval in run.intervals)
    cycle_s = (busy_s + think_s) / ended
    each = int(recording.facts.get(WORKLOAD_IN_FLIGHT_PER_USER) or 1)
    floor_s = ASSUMED_FLOOR_S.value if floor_ns is None else floor_ns / NS_PER_S
    if floor_s > LITTLE_FLOOR_SHARE.value * cycle_s / each:
        return
    users = float(recording.own_users or 0)
    accounted = cycle_s * ended / run.measured_s
    missing = 1 - accounted / (users * each)
    limit = LITTLE_SHARE.value + cycle_s / run.measured_s
    if abs(missing) > limit:
        in_flight = [Part(name="in_flight_per_user", figure=each)] if each > 1 else []
        yield finding(
            "users-unaccounted",
            *in_flight,
            limit=100 * limit,
            unit="percent",
            users=users,
            accounted=accounted,
        )
