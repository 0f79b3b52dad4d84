"""What stands beside an answer is true of the study it stands in: what would tell, and what is not known."""

from __future__ import annotations

from dataclasses import replace
from math import log1p
from typing import Any

import numpy as np
import pytest

from igen.judge import analyse
from igen.judge.compare.compare import compare
from igen.judge.compare.pair_observations import pair_observations
from igen.judge.compare.terms import Terms
from igen.judge.result import Figure, Finding, Ratio, System
from tests.judge.synthetic import machine_noise, one_system
from tests.judge.test_claims import closed, two
from tests.judge.test_personas import usual
from tests.said import all_rules, reason, texts_of


def systems(runs: tuple[str, str] = ("A", "B"), **rest: Any) -> list[System]:
    random = np.random.default_rng(3)
    return [
        one_system([*closed(random, {1: 1000.0}, 0.01, 5, system=name, run=run, **rest)])
        for name, run in zip("AB", runs, strict=True)
    ]


def deciding(**changes: Any) -> tuple[System, System, Ratio]:
    """A pair and its ratio, changed."""
    base, system = systems()
    ratio = next(each for each in compare([base, system]).ratios if each.decides)
    return base, system, replace(ratio, **changes)


def said(base: System, system: System, ratio: Ratio) -> Finding:
    (found,) = pair_observations(base, system, [ratio], [])
    return found


def advice_of(found: Finding) -> Finding:
    """What would decide."""
    (advice,) = reason(found, "could-have-seen").because
    return advice


@pytest.mark.parametrize(
    ("changes", "advice", "repeats"),
    [
        ({"repeats_needed": 7}, "repeats-would-show", 7),
        ({"repeats_needed": None, "session_noise_percent": None}, "many-repeats-would-show", 10_000),
        ({"repeats_needed": None, "session_noise_percent": 4.0}, "side-by-side-would-show", None),
        ({"repeats_needed": None, "disturbance_percent": 3.0}, "disturbed-beyond-margin", None),
    ],
)
def test_with_cannot_tell_stands_what_would_tell_in_this_study(
    changes: dict[str, Any], advice: str, repeats: int | None
) -> None:
    found = advice_of(said(*deciding(answer="cannot tell", **changes)))
    assert (found.rule, found.figure("margin_percent")) == (advice, 3)
    assert [part.figure for part in found.parts if part.name == "repeats"] == [repeats][: repeats is not None]


@pytest.mark.parametrize(("disturbed_percent", "is_small"), [(0.0, True), (0.2, True), (1.8, False)])
def test_a_difference_is_called_small_only_if_it_is_so_whatever_disturbed(
    disturbed_percent: float, is_small: bool
) -> None:
    """1.9 to 2.7 % faster, and on a quiet machine up to 4.5 %."""
    found = said(
        *deciding(
            answer="faster",
            ratio=Figure(value=1.023, low=1.019, high=1.027, n=5, up=log1p(disturbed_percent / 100)),
        )
    )
    assert (found.rule, texts_of(found, "system"), texts_of(found, "base")) == ("faster", ["B"], ["A"])
    small = [each.figure("margin_percent") for each in found.because if each.rule == "within-margin"]
    assert small == ([3] if is_small else [])


TOGETHER, APART = "measured-one-after-the-other", "measured-on-two-machines"


def note(*pair: System, terms: Terms | None = None) -> Finding:
    (found,) = (each for each in compare(pair, terms=terms).findings if each.rule in (TOGETHER, APART))
    return found


def origins(found: Finding) -> list[tuple[str, list[str]]]:
    """Who measured the noise, and on which machine."""
    return [(each.rule, texts_of(each, "machine")) for each in found.because]


def test_who_measured_the_noise_between_sessions_is_told_as_it_is() -> None:
    here = note(*systems())
    assert (here.rule, here.figure("noise_percent")) == (TOGETHER, pytest.approx(4))
    assert origins(here) == [("noise-assumed", [])]
    several = [analyse([usual(repeat, system=name, run=name) for repeat in range(3)])[0] for name in "AB"]
    refused = "igen noise measure refuses several loads at once"
    assert origins(note(*several)) == [("noise-of-several-loads-assumed", [])], refused
    there = systems(facts={"host.name": "there"})
    assert origins(note(*there)) == [("noise-assumed", ["there"])]
    seen = note(*there, terms=Terms(noise={"there": machine_noise(0.01)}))
    assert (seen.rule, seen.figure("noise_percent")) == (TOGETHER, pytest.approx(1))
    assert origins(seen) == [("noise-measured", ["there"])]
    measured = reason(seen, "noise-measured")
    assert (measured.figure("sessions"), measured.part("workload").text) == (6, "oltp")


def test_of_two_machines_each_has_noise_of_its_own() -> None:
    (base, _), (_, system) = (systems(facts={"host.name": name}) for name in ("one", "two"))
    apart = note(base, system, terms=Terms(noise={"one": machine_noise(0.01)}))
    assert (apart.rule, apart.figure("noise_percent")) == (APART, pytest.approx(2.915, abs=0.001))
    assert origins(apart) == [("noise-measured", ["one"]), ("noise-assumed", ["two"])]
    assert reason(apart, "noise-measured").figure("sessions") == 6
    both = Terms(noise={"one": machine_noise(0.01), "two": machine_noise(0.03)})
    ratio = next(each for each in compare((base, system), terms=both).ratios if each.decides)
    assert ratio.session_noise_percent == pytest.approx(100 * (0.0005) ** 0.5)
    assert not ratio.session_noise_is_assumed
    advice = advice_of(said(base, system, replace(ratio, repeats_needed=None)))
    assert (advice.rule, advice.figure("margin_percent")) == ("no-repeats-would-show", 3)


def test_runs_side_by_side_need_no_such_note() -> None:
    assert not all_rules(compare(systems(("S", "S"))).findings) & {TOGETHER, APART}


def test_the_same_system_in_one_study_is_never_sent_to_igen_ab() -> None:
    random = np.random.default_rng(4)
    a, b = ([*closed(random, {1: 1000.0}, 0.9, 3, system=name, run="S")] for name in "AB")
    result = two(a, b)
    found = all_rules([*result.observations, *result.findings])
    assert "cannot-tell-apart" in found
    assert not found & {"side-by-side-would-show", TOGETHER}
