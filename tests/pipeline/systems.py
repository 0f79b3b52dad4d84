"""Systems under test with a known truth: how executions on them go, and what they are in the long run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from igen.judge.result import Quantity
from tests.pipeline.transactions import (
    PHASES,
    Floats,
    Phases,
    Transactions,
    closed,
    closed_network,
    single_server_closed,
    single_server_open,
)

BASE, OTHER = "alpha", "beta"
"""Names that occur in no sentence by chance."""
RUNS_OF_TRUTH = 30
"""Executions of the long simulation from which the 99th percentiles come: some 300,000 transactions."""

Bools = NDArray[np.bool_]
Shape = Callable[[np.random.Generator, Phases, str], Floats]
"""Speed in each interval of WARMUP and MEASURE, of a system by name; the same for all executions or not."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What a level is in the long run; None where this is not asked."""

    throughput_per_s: float | None = None
    mean_ms: float | None = None
    p99_ms: float | None = None

    def of(self, quantity: Quantity) -> float | None:
        """The figure that a ratio is of."""
        return {
            "throughput": self.throughput_per_s,
            "mean response time": self.mean_ms,
            "p99 response time": self.p99_ms,
            "p99.9 response time": None,
        }[quantity]


@dataclass(frozen=True, slots=True)
class Blocks:
    """What befalls the executions that stand side by side."""

    noise: Floats
    """Noise of each repeat, common to both systems, with a standard deviation of 1."""
    base_is_first: Bools
    """By load and repeat."""
    first_costs: float = 0.0
    """Share of its speed that a system loses if it is executed before the other one."""

    def speeds(self, system: str) -> Floats:
        """Return what being first or second leaves of a system's speed, by load and repeat."""
        is_first = self.base_is_first if system == BASE else ~self.base_is_first
        speeds: Floats = 1 - self.first_costs * is_first.astype(np.float64)
        return speeds


class Target(Protocol):
    """A system under test at one or several loads."""

    def loads(self) -> list[dict[str, Any]]:
        """Load models in ascending order."""

    def executions(
        self, random: np.random.Generator, system: str, runs: int, blocks: Blocks
    ) -> list[list[Transactions]]:
        """`runs` executions of each load."""

    def truth(self, system: str, load: int) -> Truth:
        """At the load of that number."""

    @property
    def phases(self) -> Phases:
        """Phases of each execution."""


def flat(random: np.random.Generator, phases: Phases, system: str) -> Floats:
    """The same speed all the time."""
    return np.ones(len(phases.begins_s))


@dataclass(frozen=True, kw_only=True)
class ClosedTarget:
    """Users without think time. Noises are standard deviations as a share of the speed."""

    users: tuple[int, ...] = (4,)
    service_s: float = 0.004
    capacity: float = float("inf")
    """Users that are served at full speed; more share it."""
    variation: float = 0.25
    interval_noise: float = 0.02
    correlation: float = 0.0
    """Correlation of the noise of neighbouring intervals."""
    run_noise: float = 0.02
    noise_at_highest: float = 1.0
    """So many times the noise of runs at the highest load."""
    block_noise: float = 0.0
    """Common to both systems of one block."""
    session_noise: float = 0.0
    """Common to all executions of one system."""
    shape: Shape = flat
    mean_speed: float | None = 1.0
    """Mean speed of the shape over what counts; None where the truth is not asked."""
    percentiles: bool = True
    """Whether the truth of the 99th percentile is asked."""
    factor: float = 1.0
    """Speed of the other system."""
    slow: tuple[float, float] = (0.0, 1.0)
    """Share of the other system's services that take so many times as long, beyond the truth of its level."""
    phases: Phases = PHASES

    def loads(self) -> list[dict[str, Any]]:
        """One for each number of users."""
        return [{"closed": {"users": users, "think_time_s": 0.0}} for users in self.users]

    def executions(
        self, random: np.random.Generator, system: str, runs: int, blocks: Blocks
    ) -> list[list[Transactions]]:
        """Each with its own noise."""
        session = 1 + self.session_noise * random.standard_normal()
        speeds = session * (1 + self.block_noise * blocks.noise) * blocks.speeds(system)
        return [
            [
                self._execution(random, system, users, float(speed) * (1 + noise * random.standard_normal()))
                for speed in of_load[:runs]
            ]
            for users, of_load, noise in zip(self.users, speeds, self._run_noises(), strict=True)
        ]

    def _run_noises(self) -> list[float]:
        *others, _ = self.users
        return [self.run_noise for _ in others] + [self.noise_at_highest * self.run_noise]

    def _execution(self, random: np.random.Generator, system: str, users: int, factor: float) -> Transactions:
        shape = self.shape(random, self.phases, system)
        noise = autocorrelated(random, len(shape), self.correlation)
        speed = shape * factor * self._speed(system, users) * np.exp(self.interval_noise * noise)
        slow = self.slow if system == OTHER else (0.0, 1.0)
        done = closed(random, users, self.service_s, self.variation, speed, self.phases, slow)
        return replace(done, speed=float(shape.mean()))

    def _speed(self, system: str, users: int) -> float:
        return (self.factor if system == OTHER else 1.0) * min(self.capacity / users, 1.0)

    def truth(self, system: str, load: int) -> Truth:
        """By Little's law; the 99th percentile by a long simulation."""
        if self.mean_speed is None:
            return Truth()
        users = self.users[load]
        per_s = users / self.service_s * self._speed(system, users) * self.mean_speed
        p99_ms = _simulated_p99_ms(self, system, load) if self.percentiles else None
        return Truth(per_s, 1e3 * users / per_s, p99_ms)

    def simulated_p99_ms(self, system: str, load: int) -> float:
        """The p99 of many executions together, without noise between them."""
        random = np.random.default_rng(1)
        runs = [self._execution(random, system, self.users[load], 1.0) for _ in range(RUNS_OF_TRUTH)]
        return _p99_ms(runs, self.phases)


@dataclass(frozen=True, kw_only=True)
class OpenQueue:
    """M/M/1 at these rates: arrivals come whatever the system does."""

    rates_per_s: tuple[float, ...]
    service_s: float = 0.002
    factor: float = 1.0
    """Service time of the other system against that of the first."""
    phases: Phases = PHASES

    def loads(self) -> list[dict[str, Any]]:
        """One for each rate."""
        return [{"open": {"rate_per_s": rate, "arrivals": "poisson"}} for rate in self.rates_per_s]

    def executions(
        self, random: np.random.Generator, system: str, runs: int, blocks: Blocks
    ) -> list[list[Transactions]]:
        """Independent ones."""
        service_s = self._service_s(system)
        return [
            [single_server_open(random, rate, service_s, self.phases) for _ in range(runs)]
            for rate in self.rates_per_s
        ]

    def _service_s(self, system: str) -> float:
        return self.service_s * (self.factor if system == OTHER else 1.0)

    def truth(self, system: str, load: int) -> Truth:
        """Exact (L. Kleinrock, "Queueing Systems", volume 1)."""
        rate = self.rates_per_s[load]
        mean_s = 1 / (1 / self._service_s(system) - rate)
        return Truth(rate, 1e3 * mean_s, 1e3 * mean_s * float(np.log(100)))


@dataclass(frozen=True, kw_only=True)
class LateDriver:
    """Users enough for all arrivals; beside the second system the driver starts them late."""

    rate_per_s: float = 300.0
    service_s: float = 0.0002
    late_s: float = 0.0012
    """Mean of an exponential distribution."""
    phases: Phases = PHASES

    def loads(self) -> list[dict[str, Any]]:
        """One, with a plan that says when each transaction should start."""
        return [{"open": {"rate_per_s": self.rate_per_s, "arrivals": "poisson", "users": 20}}]

    def executions(
        self, random: np.random.Generator, system: str, runs: int, blocks: Blocks
    ) -> list[list[Transactions]]:
        """Independent ones."""
        return [[self._execution(random, system) for _ in range(runs)]]

    def _execution(self, random: np.random.Generator, system: str) -> Transactions:
        length_s = self.phases.warmup_s + self.phases.measure_s
        number = random.poisson(self.rate_per_s * length_s)
        arrivals_s = np.sort(random.random(number)) * length_s - self.phases.warmup_s
        late_s = self.late_s if system == OTHER else 2e-6
        starts_s = arrivals_s + random.exponential(late_s, number)
        ends_s = starts_s + random.exponential(self.service_s, number)
        return Transactions(starts_s, ends_s, intended_s=arrivals_s, due_s=arrivals_s)

    def truth(self, system: str, load: int) -> Truth:
        """Return the truth of both systems: a driver that is late makes neither of them slower."""
        mean_ms = 1e3 * self.service_s
        return Truth(self.rate_per_s, mean_ms, mean_ms * float(np.log(100)))


@dataclass(frozen=True, kw_only=True)
class ClosedQueue:
    """Users who think, and one exponential server."""

    users: int = 20
    think_s: float = 0.04
    service_s: float = 0.002
    phases: Phases = PHASES

    def loads(self) -> list[dict[str, Any]]:
        """One."""
        return [{"closed": {"users": self.users, "think_time_s": self.think_s}}]

    def executions(
        self, random: np.random.Generator, system: str, runs: int, blocks: Blocks
    ) -> list[list[Transactions]]:
        """Independent ones."""
        return [self.runs(random, runs)]

    def runs(self, random: np.random.Generator, runs: int) -> list[Transactions]:
        """Independent ones."""
        return single_server_closed(random, runs, self.users, self.think_s, self.service_s, self.phases)

    def truth(self, system: str, load: int) -> Truth:
        """Exact; the 99th percentile by a long simulation."""
        per_s, mean_s = closed_network(self.users, self.think_s, self.service_s)
        return Truth(per_s, 1e3 * mean_s, _simulated_p99_ms(self, system, load))

    def simulated_p99_ms(self, system: str, load: int) -> float:
        """The p99 of many executions together."""
        return _p99_ms(self.runs(np.random.default_rng(1), 4 * RUNS_OF_TRUTH), self.phases)


@cache
def _simulated_p99_ms(target: ClosedTarget | ClosedQueue, system: str, load: int) -> float:
    return target.simulated_p99_ms(system, load)


def _p99_ms(runs: list[Transactions], phases: Phases) -> float:
    times = [(run.end_s - run.start_s)[(run.end_s >= 0) & (run.end_s < phases.measure_s)] for run in runs]
    return float(1e3 * np.quantile(np.concatenate(times), 0.99))


def autocorrelated(random: np.random.Generator, number: int, correlation: float) -> Floats:
    """A series of first order with standard deviation 1."""
    from scipy.signal import lfilter

    noise = random.standard_normal(number)
    if not correlation:
        return noise
    noise[1:] *= np.sqrt(1 - correlation**2)
    filtered: Floats = lfilter([1.0], [1.0, -correlation], noise)
    return filtered
