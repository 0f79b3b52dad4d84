"""The machine repairman against the exact birth and death process, and against simulated users who think."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from igen.judge.curve.laws.choose import fitted_laws
from igen.judge.curve.laws.curve import CurveLevel, ScalingCurve, curve_of, curve_through
from igen.judge.curve.laws.predict import predict_limit, predict_users
from igen.judge.curve.laws.repairman import NAME, repairman, throughput
from tests.judge.laws.curves import LEVELS
from tests.pipeline.judged import shown
from tests.pipeline.scenarios import Scenario
from tests.pipeline.studies import write_study
from tests.pipeline.systems import Blocks, ClosedQueue, Truth
from tests.pipeline.transactions import Phases, Transactions, closed_network


def exact(users: int, service_s: Fraction, servers: int, think_s: Fraction) -> Fraction:
    """X of the birth and death process: users leave their thinking, servers end transactions."""
    shares = [Fraction(1)]
    for number in range(1, users + 1):
        come = (users - number + 1) / think_s
        shares.append(shares[-1] * come * service_s / min(number, servers))
    served = sum(share * min(number, servers) for number, share in enumerate(shares))
    return served / service_s / sum(shares)


def of_thousands(users: int, service_s: float, servers: int, think_s: float) -> float:
    """The same in logarithms."""
    number = np.arange(1, users + 1)
    come, go = (users - number + 1) / think_s, np.minimum(number, servers) / service_s
    logs = np.concatenate([[0.0], np.cumsum(np.log(come / go))])
    shares = np.exp(logs - logs.max())
    return float(shares[1:] @ go / shares.sum())


def by_law(users: float, service_s: float, servers: float, think_s: float) -> float:
    return float(throughput(*np.array([users, service_s, servers]).reshape(3, 1), think_s)[0])


@pytest.mark.parametrize("think_ms", [1, 50, 2000])
@pytest.mark.parametrize(("users", "servers"), [(1, 1), (2, 1), (5, 4), (5, 5), (3, 8), (20, 1), (40, 3)])
def test_the_throughput_is_exact(users: int, servers: int, think_ms: int) -> None:
    service_s, think_s = Fraction(10, 1000), Fraction(think_ms, 1000)
    found = by_law(users, float(service_s), servers, float(think_s))
    assert found == pytest.approx(float(exact(users, service_s, servers, think_s)), rel=1e-8)


@pytest.mark.parametrize(
    ("users", "service_s", "servers", "think_s"),
    [(5000, 0.001, 1, 5.0), (5000, 0.064, 64, 5.0), (20_000, 0.3, 300, 20.0), (1000, 0.1, 900, 0.01)],
)
def test_it_is_of_thousands_of_users(users: int, service_s: float, servers: int, think_s: float) -> None:
    found = by_law(users, service_s, servers, think_s)
    assert found == pytest.approx(of_thousands(users, service_s, servers, think_s), rel=1e-8)


def test_it_rises_with_users_and_servers_that_are_not_whole() -> None:
    users = [by_law(each, 0.01, 2.5, 0.1) for each in np.linspace(0.5, 60, 200)]
    servers = [by_law(30, 0.01, each, 0.1) for each in np.linspace(1, 40, 200)]
    assert np.all(np.diff(users) > 0)
    assert np.all(np.diff(servers) > -1e-9)


def test_the_law_at_a_load_is_its_throughput_there() -> None:
    x = of_thousands(300, 0.02, 8, 0.7)
    law, at = repairman(0.7), np.array([[-np.log(0.02), np.log(8)]])
    n = np.array([300 - 0.7 * x])
    assert np.exp(law.log_throughput(n, np.array([x]), at))[0, 0] == pytest.approx(x, rel=1e-9)
    # A measurement that is 1 % off has the same n: the law is right there up to the square of its error.
    off = 1.01 * x
    assert np.exp(law.log_throughput(n, np.array([off]), at))[0, 0] == pytest.approx(x, rel=1e-3)


def curve(servers: int, service_s: float, think_s: float, seed: int, noise: float = 0.02) -> ScalingCurve:
    """Five runs of each load, whose response times have this noise."""
    random, found = np.random.default_rng(seed), []
    for users in LEVELS:
        true_s = users / of_thousands(users, service_s, servers, think_s) - think_s
        times = true_s * np.exp(random.normal(0, noise, 5))
        rates = users / (times + think_s)
        errors = (float(np.log(each).std(ddof=1) / 5**0.5) for each in (rates, times))
        found.append(CurveLevel(users, float(rates.mean()), float(np.exp(np.log(times).mean())), *errors))
    return curve_through("shop", "transactions", found)


SHORT = Phases(warmup_s=1.0, measure_s=5.0)
KNOWN = [(1, 0.002, 0.1), (2, 0.01, 0.05), (4, 0.01, 0.1)]


@pytest.mark.parametrize(("servers", "service_s", "think_s"), KNOWN)
def test_servers_and_service_time_are_found(servers: int, service_s: float, think_s: float) -> None:
    for seed in range(3):
        best, *_ = fitted_laws(curve(servers, service_s, think_s, seed))
        assert best.law.name == NAME
        assert not best.rejected
        found = best.law.named(best.parameters)
        assert found["c"] == pytest.approx(servers, rel=0.05)
        assert 1 / found["λ"] == pytest.approx(service_s, rel=0.05)


@pytest.mark.parametrize(("servers", "service_s", "think_s"), KNOWN)
def test_of_users_who_think_it_says_what_twice_as_many_do(
    servers: int, service_s: float, think_s: float
) -> None:
    truth = of_thousands(128, service_s, servers, think_s)
    for seed in range(3):
        measured = curve(servers, service_s, think_s, seed)
        kept = curve_through("shop", "transactions", measured.levels[:-2])
        x = predict_users(kept, 128, extrapolate=True).throughput_per_s
        assert x.value == pytest.approx(truth, rel=0.02)
        assert (x.low or 0) <= truth <= (x.high or 0)


@dataclass(frozen=True, kw_only=True)
class Thinking:
    """Users who think for 40 ms, at one server that needs 2 ms: up to 21 of them would not have to wait."""

    users: tuple[int, ...]
    phases: Phases = SHORT

    def loads(self) -> list[dict[str, Any]]:
        return [{"closed": {"users": users, "think_time_s": 0.04}} for users in self.users]

    def executions(
        self, random: np.random.Generator, system: str, runs: int, blocks: Blocks
    ) -> list[list[Transactions]]:
        return [ClosedQueue(users=users, phases=self.phases).runs(random, runs) for users in self.users]

    def truth(self, system: str, load: int) -> Truth:
        return Truth()


def test_from_recordings_of_users_who_think_to_a_load_that_was_not_measured(tmp_path: Path) -> None:
    scenario = Scenario(name="thinking", target=Thinking(users=(2, 6, 12, 18, 26, 40)), runs=(3, 3))
    result, _ = shown(tmp_path, write_study(tmp_path, scenario, 1))
    system = curve_of(result.systems[0])
    assert system.think_s == pytest.approx(0.04, rel=0.01)
    score = {each.law: each for each in predict_users(system, 20).laws}[NAME]
    assert not score.rejected
    assert score.parameters == {"λ": pytest.approx(500, rel=0.03), "c": pytest.approx(1, rel=0.03)}
    for users in (20, 30, 60):
        x = predict_users(system, users, extrapolate=users > 40).throughput_per_s
        truth, _ = closed_network(users, 0.04, 0.002)
        assert (x.low or 0) <= truth <= (x.high or 0)
        assert x.value == pytest.approx(truth, rel=0.03)
    within = max(users for users in range(1, 41) if closed_network(users, 0.04, 0.002)[1] <= 0.02)
    answer = predict_limit(system, 20)
    assert (answer.low or 0) <= within <= (answer.high or 99)
