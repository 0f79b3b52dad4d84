"""Lateness of the driver: a bound on response times, not a verdict.

A transaction that started late was answered later than one that had started on time: its true response time
lies between its service time and its response time, and both are recorded.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from igen.judge.record.histogram import Histogram, least_values, merge, most_values
from igen.judge.record.snapshot import Statistics
from igen.judge.run.measured import MeasuredRun
from igen.judge.run.queueing import surely_free
from igen.judge.trust.disturbance import LATE, Bound, Cause
from igen.judge.trust.finding import Part, finding
from igen.judge.trust.rules.numerics import LAGS
from igen.quantiles import MEDIAN, P99, P999
from igen.units import NS_PER_MS

SHARES = (np.arange(LAGS) + 1 / 2) / LAGS


def least_response_times(run: MeasuredRun, of: Statistics) -> Histogram:
    """Return the response times of a run if no transaction that found a free user had started late.

    Those with the shorter response times are the ones that surely found one; they take their service times.
    """
    service, response = of.service_time, of.response_time
    if service is response:
        return response
    punctual = min(int(surely_free(run) * response.count), service.count)
    if punctual == service.count == response.count:
        return service
    return merge([least_values(service, punctual), most_values(response, response.count - punctual)])


def lags_ns(service: Histogram, response: Histogram) -> NDArray[np.float64]:
    """Return 1,000 lags of starts at the middles of equal shares, shortest response times first.

    The lag of one transaction is its response time less its service time, but only the distributions of both
    are kept: the difference of their quantiles has the right mean, and its 99th percentile is taken as that
    of the lag.
    """
    return response.quantiles_ns(SHARES) - service.quantiles_ns(SHARES)


def late_starts(run: MeasuredRun, paid_percent: float) -> Iterator[Cause]:
    """Price late starts of the driver although users were free; others explain `paid_percent` of them.

    Only arrivals that surely found a free user count, those with the shorter response times.
    """
    transactions, free = run.transactions, surely_free(run)
    if transactions.response_time is transactions.service_time or not free:
        return
    response, service = transactions.response_time, transactions.service_time
    lags = lags_ns(service, response)
    of_mean = (response.mean_ns - service.mean_ns) / response.mean_ns if response.mean_ns else 0.0
    of_p99 = (response.quantiles_ns([P99])[0] - service.quantiles_ns([P99])[0]) / max(
        response.quantiles_ns([P99])[0], 1.0
    )
    if free < 1:
        lags[free < SHARES] = 0.0
        of_mean = float(lags.mean()) / response.mean_ns if response.mean_ns else 0.0
        of_p99 = of_p99 if free > P99 else 0.0
    percent = min(100 * max(of_mean, float(of_p99), 0.0), 100.0) - paid_percent
    if percent <= 0:
        return
    theirs = lags[free >= SHARES]
    found = finding(
        LATE,
        *([] if free == 1 else [Part(name="free_percent", figure=100 * min(free, P999))]),
        late_ms=float(theirs.mean()) / NS_PER_MS,
        late_p99_ms=float(np.quantile(theirs, P99)) / NS_PER_MS,
        median_response_time_ms=float(response.quantiles_ns([MEDIAN])[0]) / NS_PER_MS,
    )
    yield Cause(finding=found, throughput=Bound(), times=Bound(low_percent=-percent))
