"""What stands beside an answer is true of the study it stands in: what would tell, and what is not known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from igen.judge.analyse import analyse
from igen.judge.compare import compare
from igen.judge.pair_observations import pair_observations
from igen.judge.result import Estimate, Ratio, System
from igen.judge.terms import Terms
from tests.judge.synthetic import machine_noise, one_system
from tests.judge.test_claims import closed, sentences, two
from tests.judge.test_personas import usual


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


def said(base: System, system: System, ratio: Ratio) -> str:
    (sentence,) = pair_observations(base, system, [ratio], None)
    return sentence.text


@pytest.mark.parametrize(
    ("changes", "advice"),
    [
        ({"repeats_needed": 7}, "; 7 repeats would show 3 %."),
        (
            {"repeats_needed": None, "session_noise_percent": None},
            "; only more than 10,000 repeats would show 3 %.",
        ),
        (
            {"repeats_needed": None, "session_noise_percent": 4.0},
            "; no number of repeats in one session shows 3 %, `igen ab` would.",
        ),
        (
            {"repeats_needed": None, "disturbance_percent": 3.0},
            "; the machine was disturbed by more than the ±3 % that matter.",
        ),
    ],
)
def test_with_cannot_tell_stands_what_would_tell_in_this_study(changes: dict[str, Any], advice: str) -> None:
    assert said(*deciding(answer="cannot tell", **changes)).endswith(advice)


@pytest.mark.parametrize(("disturbed_percent", "is_small"), [(0.0, True), (0.2, True), (1.8, False)])
def test_a_difference_is_called_small_only_if_it_is_so_whatever_disturbed(
    disturbed_percent: float, is_small: bool
) -> None:
    """1.9 to 2.7 % faster, and on a quiet machine up to 4.5 %."""
    text = said(
        *deciding(
            answer="faster",
            ratio=Estimate(value=1.023, low=1.019, high=1.027, n=5),
            disturbance_percent=disturbed_percent,
        )
    )
    assert text.startswith("B is faster than A")
    assert ("less than the ±3 % that matter" in text) == is_small


def note(*pair: System, terms: Terms | None = None) -> str:
    (text,) = (each for each in compare(pair, terms=terms).warnings if " measured o" in each)
    return text


def test_who_measured_the_noise_between_sessions_is_told_as_it_is() -> None:
    here = note(*systems())
    assert "carry 4 % of noise between sessions, assumed, as `igen aa` has never measured it;" in here
    assert here.endswith("; `igen ab` runs both side by side")
    several = [analyse([usual(repeat, system=name, run=name) for repeat in range(3)])[0] for name in "AB"]
    assert "`igen aa`" not in note(*several), "which refuses several loads at once"
    assert "assumed, as nobody measures it for several loads at once" in note(*several)
    there = systems(facts={"host.name": "there"})
    assert "`igen aa` has never measured it on there" in note(*there)
    seen = note(*there, terms=Terms(noise={"there": machine_noise(0.01)}))
    assert "carry 1 % of noise between sessions, as `igen aa` saw it in 6 sessions of oltp on there;" in seen


def test_of_two_machines_each_has_noise_of_its_own() -> None:
    (base, _), (_, system) = (systems(facts={"host.name": name}) for name in ("one", "two"))
    apart = note(base, system, terms=Terms(noise={"one": machine_noise(0.01)}))
    assert apart.startswith("the runs were measured on two machines: the intervals carry 2.9 % of noise")
    assert "saw it in 6 sessions of oltp on one, assumed, as `igen aa` has never measured it on two" in apart
    assert "side by side" not in apart
    both = Terms(noise={"one": machine_noise(0.01), "two": machine_noise(0.03)})
    ratio = next(each for each in compare((base, system), terms=both).ratios if each.decides)
    assert ratio.session_noise_percent == pytest.approx(100 * (0.0005) ** 0.5)
    assert not ratio.session_noise_is_assumed
    (sentence,) = pair_observations(base, system, [replace(ratio, repeats_needed=None)], None)
    assert sentence.text.endswith("no number of repeats in one session shows 3 %.")


def test_runs_side_by_side_need_no_such_note() -> None:
    assert not any(" measured o" in each for each in compare(systems(("S", "S"))).warnings)


def test_the_same_system_in_one_study_is_never_sent_to_igen_ab() -> None:
    random = np.random.default_rng(4)
    a, b = ([*closed(random, {1: 1000.0}, 0.9, 3, system=name, run="S")] for name in "AB")
    assert not any("`igen ab`" in text for text in sentences(two(a, b)))
