"""From job files to the headline: users who think most of the time, or come at a rate of their own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.pipeline.judged import claims_difference, shown
from tests.pipeline.scenarios import Scenario
from tests.pipeline.studies import write_study
from tests.pipeline.systems import OTHER, ClosedQueue, OpenQueue, Target, Truth
from tests.pipeline.transactions import PHASES, Floats, Phases, Transactions
from tests.said import headline


@dataclass(frozen=True, kw_only=True)
class Thinking:
    """20 users who think, at one exponential server that serves those of the other system more slowly."""

    think_times_s: tuple[float, ...] = (0.4,)
    factor: float = 1.0
    phases: Phases = PHASES

    def loads(self) -> list[dict[str, Any]]:
        return [{"closed": {"users": 20, "think_time_s": each}} for each in self.think_times_s]

    def executions(
        self, random: np.random.Generator, system: str, runs: int, blocks: Floats
    ) -> list[list[Transactions]]:
        service_s = 0.002 * (self.factor if system == OTHER else 1.0)
        queues = (ClosedQueue(think_s=each, service_s=service_s) for each in self.think_times_s)
        return [queue.runs(random, runs) for queue in queues]

    def truth(self, system: str, load: int) -> Truth:
        return Truth()


def headline_of(store: Path, target: Target, number: int = 1) -> list[str]:
    result, text = shown(store, write_study(store, Scenario(name="users", target=target), number))
    told = headline(result)
    words = " ".join(text.split())
    assert all(" ".join(each.split()) in words for each in told)
    return told


def test_a_slower_system_that_does_nearly_as_much_is_told_by_its_times(tmp_path: Path) -> None:
    """Three times the service time costs 1.5 % of the throughput of users who think for 0.4 s."""
    sentence, *_ = headline_of(tmp_path, Thinking(factor=3.0))
    times = re.search(r"the mean response time of beta is ([\d.]+) × as long as with alpha", sentence)
    assert times is not None
    assert 2.5 < float(times[1]) < 4.5


def test_equal_systems_have_no_times_in_their_headline(tmp_path: Path) -> None:
    sentence, *_ = headline_of(tmp_path, Thinking())
    assert "response time of" not in sentence


@pytest.mark.parametrize("number", [1, 2])
def test_no_think_time_is_called_slower_than_another(tmp_path: Path, number: int) -> None:
    told = headline_of(tmp_path, Thinking(think_times_s=(0.04, 0.131)), number)
    pairs = [each for each in told if "beta" in each and "alpha" in each]
    assert len(pairs) == 2
    for think_time, sentence in zip(("0.04", "0.131"), pairs, strict=True):
        assert sentence.count(f"(think_time_s={think_time})") == sentence.count("(think_time_s=") > 1
        assert not claims_difference(sentence)


def test_who_is_overloaded_is_not_called_alike(tmp_path: Path) -> None:
    """400 a second are 0.8 of what the one can do, and 1.28 of what the other can."""
    told = headline_of(tmp_path, OpenQueue(rates_per_s=(400.0,), factor=1.6))
    (sentence,) = (each for each in told if "beta" in each and "alpha" in each)
    assert sentence.startswith(
        "alpha holds the offered rate at 400/s, beta does not (no ratio of mean response time: the level of "
        "beta is INVALID: "
    )
