"""What queueing theory says of a run: who waits for whom, and how soon a queue forgets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.rules.machine import SEND_LAG_WAITING
from igen.judge.trust.rules.numerics import MOST_CORRELATED, TINY
from igen.units import NS_PER_S


def surely_free(run: MeasuredRun) -> float:
    """The share of arrivals that surely found a free user: where these start late it is the driver's doing.

    Without a backlog nearly all did, by the rules of a queue. With one, the time in which all users were busy
    is at most as long as they were busy altogether, over their number: of arrivals that come whatever the
    system does no larger share met that, be it in a stall.
    """
    load, users = run.recording.load, run.recording.users
    if users is None or run.recording.load_model == "closed":
        return 1.0  # a closed user starts when it is free
    service = run.transactions.service_time
    if any(interval.arrivals and interval.arrivals.backlog for interval in run.intervals):
        busy_s = (service.sum_ns + run.transactions.failed_time.sum_ns) / NS_PER_S
        return max(1 - busy_s / (users * run.measured_s), 0.0)
    if run.recording.load_model == "paced":
        slow_ns = float(service.quantiles_ns([1 - SEND_LAG_WAITING.value])[0])
        return float(slow_ns < NS_PER_S / float(load["rate_per_user_per_s"]))
    busy = run.throughput_per_s * service.mean_ns / NS_PER_S
    return float(erlang_c(users, busy) < SEND_LAG_WAITING.value)


def erlang_c(servers: int, busy: float) -> float:
    """Probability that a random arrival finds all servers busy, `busy` of which are so on average (M/M/k)."""
    if busy >= servers:
        return 1.0
    blocked = 1.0  # Erlang's B, by its recursion over the number of servers
    for k in range(1, servers + 1):
        blocked = busy * blocked / (k + busy * blocked)
        if blocked < TINY:
            return 0.0  # so many servers that none more matters
    return blocked / (1 - busy / servers * (1 - blocked))


def independent_values(runs: Sequence[MeasuredRun]) -> float | None:
    """How many independent values of its mean response time one run is worth; None where all may be.

    A queue forgets its past slowly: near saturation neighbouring intervals, and even whole runs, tell the
    same. Correlation of first order around the mean of all runs: n (1 - φ) / (1 + φ).
    """
    series = [_mean_times(run) for run in runs]
    series = [each for each in series if len(each) > 1]
    if not series:
        return None
    values = np.concatenate(series)
    mean, power = float(values.mean()), float(values.var()) * len(values)
    if power <= 0:
        return None
    correlation = sum(float((each[1:] - mean) @ (each[:-1] - mean)) for each in series) / power
    # The estimate is low by (1 + 4 φ) / n (Kendall 1954), and off by 1 / √n where nothing is correlated.
    correlation = min(correlation + (1 + 4 * correlation) / len(values), MOST_CORRELATED)
    if correlation < 2 / len(values) ** (1 / 2):
        return None
    return len(values) / len(series) * (1 - correlation) / (1 + correlation)


def _mean_times(run: MeasuredRun) -> np.ndarray:
    times = [interval.transactions.response_time for interval in run.intervals]
    return np.array([time.sum_ns / count for time in times if (count := time.count)])
