"""Transactions of one execution with a known truth, each with its begin and end.

Times are seconds from the begin of MEASURE, negative before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def _no_floats() -> Floats:
    return np.empty(0)


@dataclass(frozen=True, slots=True)
class Transactions:
    """Transactions of one execution, in any order."""

    start_s: Floats
    end_s: Floats
    intended_s: Floats | None = None
    """Where a plan says when each should start."""
    failed: NDArray[np.bool_] | None = None
    """Which of them failed; none when absent."""
    due_s: Floats = field(default_factory=_no_floats)
    """Times at which the arrivals of an open or paced load were due."""
    speed: float = 1.0
    """Mean speed of the machine by the shape of the execution."""


@dataclass(frozen=True, slots=True)
class Phases:
    """Lengths of an execution's phases and of its intervals."""

    warmup_s: float = 2.0
    measure_s: float = 10.0
    interval_s: float = 0.2
    warmup_is_auto: bool = True
    """The user gave no warm-up."""
    planned_s: float | None = None
    """Planned length of MEASURE, where it was extended to `measure_s`."""

    @property
    def intervals(self) -> int:
        """Number of intervals of MEASURE."""
        return round(self.measure_s / self.interval_s)

    @property
    def warmup_intervals(self) -> int:
        return round(self.warmup_s / self.interval_s)

    @property
    def begins_s(self) -> Floats:
        """Begin of every interval of WARMUP and MEASURE."""
        numbers = np.arange(self.warmup_intervals + self.intervals, dtype=np.float64)
        begins_s: Floats = (numbers - self.warmup_intervals) * self.interval_s
        return begins_s


PHASES = Phases()


def closed(
    random: np.random.Generator,
    users: int,
    service_s: float,
    variation: float,
    speed: Floats,
    phases: Phases,
    slow: tuple[float, float] = (0.0, 1.0),
) -> Transactions:
    """Users without think time on a system whose speed changes from interval to interval.

    Services are lognormal with this mean at speed 1 and this coefficient of variation. `speed` begins with
    WARMUP and is 1 after MEASURE: what is in flight then ends in DRAIN. `slow` is a share of the services and
    how many times as long they take. By Little's law the throughput is
    `users / service_s` times the mean speed, and the mean response time `users` over it.
    """
    after_s = 20.0
    edges_s = np.concatenate((phases.begins_s, [phases.measure_s, phases.measure_s + after_s]))
    work_s = np.concatenate(([0.0], np.cumsum(speed * phases.interval_s)))
    work_s = np.append(work_s, work_s[-1] + after_s)
    number = int(1.1 * (work_s[-2] + 10 * service_s) / service_s) + 30
    sigma = np.sqrt(np.log1p(variation**2))
    services_s = random.lognormal(np.log(service_s) - sigma**2 / 2, sigma, (users, number))
    share, times = slow
    if share:
        services_s[random.random(services_s.shape) < share] *= times
    # A user who is met at any moment is in the middle of a service.
    services_s[:, 0] *= random.random(users)
    ends = np.cumsum(services_s, axis=1)
    starts = ends - services_s
    start_s, end_s = (np.interp(each.ravel(), work_s, edges_s) for each in (starts, ends))
    begun = (start_s < phases.measure_s) & (ends.ravel() <= work_s[-1])
    return Transactions(start_s[begun], end_s[begun])


def single_server_open(
    random: np.random.Generator, rate_per_s: float, service_s: float, phases: Phases
) -> Transactions:
    """Poisson arrivals at one exponential server (M/M/1) that is empty when WARMUP begins.

    Response times of the steady state are exponential with mean 1 / (1 / service_s - rate_per_s).
    """
    length_s = phases.warmup_s + phases.measure_s
    number = random.poisson(rate_per_s * length_s)
    arrivals_s = np.sort(random.random(number)) * length_s - phases.warmup_s
    services_s = random.exponential(service_s, number)
    served_s = np.cumsum(services_s)
    ends_s = served_s + np.maximum.accumulate(arrivals_s - (served_s - services_s))
    return Transactions(arrivals_s, ends_s, due_s=arrivals_s)


def single_server_closed(
    random: np.random.Generator, executions: int, users: int, think_s: float, service_s: float, phases: Phases
) -> list[Transactions]:
    """Users who think for `think_s`, and one exponential server for all of them (M/M/1//N).

    All executions at once: a step of the loop is the next transaction of each.
    """
    length_s = phases.warmup_s + phases.measure_s
    steps = int(length_s / service_s) + 10 * int(np.sqrt(length_s / service_s)) + 10
    ready_s = think_s * random.random((executions, users)) - phases.warmup_s
    free_s = np.full(executions, -phases.warmup_s)
    starts_s, ends_s = np.empty((2, steps, executions))
    rows = np.arange(executions)
    for step in range(steps):
        user = ready_s.argmin(axis=1)
        start_s = ready_s[rows, user]
        free_s = np.maximum(start_s, free_s) + random.exponential(service_s, executions)
        starts_s[step], ends_s[step] = start_s, free_s
        ready_s[rows, user] = free_s + think_s
        if start_s.min() > phases.measure_s:
            starts_s, ends_s = starts_s[: step + 1], ends_s[: step + 1]
            break
    begun = starts_s < phases.measure_s
    return [
        Transactions(starts_s[begun[:, row], row], ends_s[begun[:, row], row]) for row in range(executions)
    ]


def closed_network(users: int, think_s: float, service_s: float) -> tuple[float, float]:
    """Exact throughput (1/s) and mean response time (s) of `single_server_closed`.

    Mean value analysis (Reiser and Lavenberg 1980); the distribution of think times does not matter (Baskett,
    Chandy, Muntz and Palacios 1975).
    """
    waiting, throughput_per_s, response_s = 0.0, 0.0, 0.0
    for number in range(1, users + 1):
        response_s = service_s * (1 + waiting)
        throughput_per_s = number / (response_s + think_s)
        waiting = throughput_per_s * response_s
    return throughput_per_s, response_s
