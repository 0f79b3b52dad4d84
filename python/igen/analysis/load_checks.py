"""Was the load of a run the load that was asked for, and was it answered?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import sqrt

import numpy as np

from igen.analysis import limits
from igen.analysis.failure_reason import step_and_why
from igen.analysis.limits import Finding
from igen.analysis.measured import MeasuredRun
from igen.units import format_count, format_rate, format_time_ms

BY_THE_LOAD = {"spoils_level": True, "spoils_run": False}
"""What the load itself did to a run: no other run may stand for it."""


LOST = (
    "connection lost",
    "connection refused",
    "disconnected by the server",
    "no answer from the server",
    "no server at the socket",
    "server ended the connection",
    "server is starting or stopping",
    "server shuts down",
)
"""How reasons begin, in the drivers' words, that mean that the server went away."""


def nothing(run: MeasuredRun) -> Iterator[Finding]:
    """Without a transaction there is nothing to judge."""
    if run.transactions.count == 0:
        failed = run.failed
        failures = f", {format_count(failed)} failed" if failed else ""
        yield Finding(
            "INVALID",
            "nothing measured",
            f"no transaction succeeded in the measured time{failures}",
            **BY_THE_LOAD,
        )


def errors(run: MeasuredRun) -> Iterator[Finding]:
    """Too many transactions failed."""
    if run.transactions.count and run.failed > limits.ERROR_SHARE * run.ended:
        share = f"{100 * run.failed / run.ended:.2g} %"
        most = "".join(f", most of them: {reason}" for reason, _ in run.failures.most_common(1))
        limit = f"(limit {100 * limits.ERROR_SHARE:g} %)"
        text = f"{share} of the transactions failed {limit}{most}"
        yield Finding("INVALID", "errors", text, **BY_THE_LOAD)


def lost(run: MeasuredRun) -> Iterator[Finding]:
    """The server went away, for however short a time: what was measured is not one steady system."""
    times = sum(count for reason, count in run.failures.items() if step_and_why(reason)[1].startswith(LOST))
    if run.transactions.count and times:
        text = f"connections to the server were lost or refused {format_count(times)} times"
        yield Finding("INVALID", "connections lost", text, **BY_THE_LOAD)


def steady(run: MeasuredRun) -> Iterator[Finding]:
    """The throughput had not settled."""
    if not run.steady.steady and run.transactions.count:
        yield Finding("SUSPECT", "not steady", f"not steady: {'; '.join(run.steady.reasons)}")


def unfinished(run: MeasuredRun) -> Iterator[Finding]:
    """The slowest transactions are missing from the times."""
    users = run.recording.unfinished_users
    if users:
        text = f"{format_count(users)} transactions had not ended when the drain limit was reached"
        yield Finding("SUSPECT", "unfinished", text)


def unsent(run: MeasuredRun) -> Iterator[Finding]:
    """Arrivals that were given up: the level is overloaded and its response times grow with its length."""
    arrivals = [interval.arrivals for interval in run.intervals if interval.arrivals]
    given_up, due = sum(each.unsent for each in arrivals), sum(each.due for each in arrivals)
    if given_up:
        text = (
            f"OVERLOADED: {format_count(given_up)} of {format_count(due)} arrivals were given up after 10 s"
        )
        yield Finding("INVALID", "unsent", text, **BY_THE_LOAD)


def rate(run: MeasuredRun) -> Iterator[Finding]:
    """An open or paced load was not answered as fast as it came.

    What was due and what ended differ by what is in flight at both ends as well: three standard deviations of
    that, 3 √(2 X R) where arrivals are random, are allowed on top of the limit. Where the queue grows, so
    does R and with it that allowance: so the backlog, which is known exactly, is looked at too. One that
    grows by more than the limit in each quarter of the measured time is no fluctuation.
    """
    due = sum(interval.arrivals.due for interval in run.intervals if interval.arrivals)
    if not due:
        return
    ended = run.transactions.count + run.transactions.failed
    in_flight = (
        (run.transactions.response_time.sum_ns + run.transactions.failed_time.sum_ns) / 1e9 / run.measured_s
    )
    limit = f"(limit {100 * limits.RATE_SHARE:g} %)"
    growths = _backlog_growths(run)
    if abs(due - ended) > limits.RATE_SHARE * due + 3 * sqrt(2 * in_flight):
        achieved, offered = (format_rate(count / run.measured_s) for count in (ended, due))
        text = f"{achieved} of {offered} arrivals a second were served {limit}"
        yield Finding("INVALID", "rate not met", text, **BY_THE_LOAD)
    elif growths and min(growths) > limits.RATE_SHARE * due / len(growths):
        grown, of = format_count(sum(growths)), format_count(due)
        text = f"the backlog grew all the time, by {grown} of {of} arrivals {limit}"
        yield Finding("INVALID", "rate not met", text, **BY_THE_LOAD)


def _backlog_growths(run: MeasuredRun) -> list[int]:
    """In each quarter of the measured intervals; empty where there are fewer than four."""
    if len(run.intervals) < 4:
        return []
    before = [snapshot for snapshot in run.recording.snapshots if snapshot.end_s <= run.intervals[0].start_s]
    backlogs = [each.arrivals.backlog if each.arrivals else 0 for each in [*before[-1:], *run.intervals]]
    quarters = [backlogs[(len(backlogs) - 1) * quarter // 4] for quarter in range(5)]
    return [after - earlier for earlier, after in pairwise(quarters)]


def littles_law(run: MeasuredRun, floor_s: float) -> Iterator[Finding]:
    """N users of a closed model must all be accounted for: N = X (R + Z); each of them has as many
    transactions in flight as the fact `workload.in_flight_per_user` says, or one.

    Not checked where a workload leaves time out of its transactions (`aside`), or where the engine's own cost
    between two transactions matters. Transactions cut by the ends of the measured time add (R + Z) / T to
    the limit.
    """
    recording, transactions = run.recording, run.transactions
    ended = transactions.count + transactions.failed
    if recording.load_model != "closed" or not ended or recording.facts.get("engine.aside_s"):
        return
    busy_s = (transactions.service_time.sum_ns + transactions.failed_time.sum_ns) / 1e9
    cycle_s = busy_s / ended + float(recording.load.get("think_time_s", 0.0))
    each = int(recording.facts.get("workload.in_flight_per_user") or 1)
    if floor_s > limits.LITTLE_FLOOR_SHARE * cycle_s / each:
        return
    users = float(recording.load["users"])
    accounted = cycle_s * ended / run.measured_s
    missing = 1 - accounted / (users * each)
    limit = limits.LITTLE_SHARE + cycle_s / run.measured_s
    if abs(missing) > limit:
        in_flight = f" with {each} transactions in flight each" if each > 1 else ""
        closed = f"{users:g} users{in_flight}, but X (R + Z) = {accounted:.4g} (limit {100 * limit:.2g} %)"
        yield Finding("SUSPECT", "Little's law", f"Little's law does not close: {closed}")


def send_lag(run: MeasuredRun) -> Iterator[Finding]:
    """The driver started transactions late although users were free.

    The lag of one transaction is its response time less its service time, but only the distributions of both
    are kept: the difference of their quantiles has the right mean, and its 99th percentile is taken as that
    of the lag. Waiting for a free user is the system's doing, not the driver's, so nothing is said unless
    arrivals nearly always find one free.
    """
    transactions = run.transactions
    if transactions.response_time is transactions.service_time or not _users_are_free(run):
        return
    shares = (np.arange(1000) + 0.5) / 1000
    lags = transactions.response_time.quantiles_ns(shares) - transactions.service_time.quantiles_ns(shares)
    lag_ns = float(np.quantile(lags, 0.99))
    median_ns = float(transactions.response_time.quantiles_ns([0.5])[0])
    if lag_ns > limits.SEND_LAG_SHARE * median_ns:
        lag, median = format_time_ms(lag_ns / 1e6), format_time_ms(median_ns / 1e6)
        limit = f"(limit {100 * limits.SEND_LAG_SHARE:g} %)"
        text = f"transactions started up to {lag} late (p99) at a median response time of {median} {limit}"
        yield Finding("SUSPECT", "send lag", text)


def _users_are_free(run: MeasuredRun) -> bool:
    load, users = run.recording.load, run.recording.users
    if users is None or run.recording.load_model == "closed":
        return True  # a closed user starts when it is free
    if any(interval.arrivals and interval.arrivals.backlog for interval in run.intervals):
        return False
    if run.recording.load_model == "paced":
        slow_ns = float(run.transactions.service_time.quantiles_ns([1 - limits.SEND_LAG_WAITING])[0])
        return slow_ns < 1e9 / float(load["rate_per_user_per_s"])
    busy = run.throughput_per_s * run.transactions.service_time.mean_ns / 1e9
    return erlang_c(users, busy) < limits.SEND_LAG_WAITING


def erlang_c(servers: int, busy: float) -> float:
    """Probability that a random arrival finds all servers busy, `busy` of which are so on average (M/M/k)."""
    if busy >= servers:
        return 1.0
    blocked = 1.0  # Erlang's B, by its recursion over the number of servers
    for k in range(1, servers + 1):
        blocked = busy * blocked / (k + busy * blocked)
    return blocked / (1 - busy / servers * (1 - blocked))
