"""How well a figure is known in any session of a machine, beside how well it is known in this one."""

from __future__ import annotations

from dataclasses import replace
from math import expm1, sqrt

import numpy as np
import pytest
from scipy.stats import t

from igen.facts import HOST_NAME
from igen.judge import result_of
from igen.judge.compare.terms import Terms
from igen.judge.result import Finding, System
from tests.judge.synthetic import machine_noise, one_system
from tests.judge.test_claims import closed


def measured(runs: int = 5) -> System:
    random = np.random.default_rng(3)
    system = one_system([*closed(random, {1: 10_000.0}, 0.004, runs)])
    return replace(system, facts={**system.facts, HOST_NAME: "lab"})


def told(system: System, between_sessions: float) -> list[Finding]:
    terms = Terms(noise={"lab": machine_noise(between_sessions)})
    (shown,) = result_of([system], terms=terms).systems
    return [each for each in shown.findings if each.rule == "any-session"]


@pytest.mark.parametrize("between", [0.001, 0.01, 0.05])
def test_both_variances_are_in_it_with_the_degrees_of_freedom_of_both(between: float) -> None:
    system = measured()
    figure = system.levels[0].throughput_per_s
    assert figure.error is not None
    assert figure.freedom is not None
    (found,) = told(system, between)
    within, sessions = figure.error**2, between**2
    # Satterthwaite; six sessions know their variance with five degrees of freedom.
    freedom = (within + sessions) ** 2 / (within**2 / figure.freedom + sessions**2 / 5)
    half = max(t.ppf(0.975, freedom) * sqrt(within + sessions), figure.half())
    assert found.figure("any_session_percent") == pytest.approx(100 * expm1(half), rel=1e-6)
    assert found.figure("this_session_percent") <= found.figure("any_session_percent")


def test_nothing_is_said_of_one_run_or_of_a_machine_that_nobody_has_measured() -> None:
    assert told(measured(runs=1), 0.01) == []
    (shown,) = result_of([measured()], terms=Terms()).systems
    assert "any-session" not in [each.rule for each in shown.findings]
