"""Which part of a ratio each factor has: of a 2 × 2 and of a chain, with a known truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log, prod, sqrt
from typing import Any

import numpy as np
import pytest

from igen.judge import result_of
from igen.judge.compare.compare import compare
from igen.judge.figure.contrast import Side, contrast
from igen.judge.figure.figure import Figure
from igen.judge.figure.interval import log_welch, paired_ratio
from igen.judge.figure.pairs import Pairs
from igen.judge.result import Attribution, System
from igen.judge.trust.trust import Trust
from igen.lint.comparison import factors as factors_of
from igen.report.attribution_table import attribution_table
from tests.judge.synthetic import one_system, recording
from tests.judge.test_compare import noted

CHIP, SYSTEM = 1.10, 1.40
OLD = {"cpu.model": "old", "cpu.max_mhz": 2520, "os.kernel": "4"}
FACTS = {
    "A": OLD,
    "B": OLD | {"cpu.model": "new", "cpu.max_mhz": 2880},
    "C": OLD | {"os.kernel": "8"},
    "D": OLD | {"cpu.model": "new", "cpu.max_mhz": 2880, "os.kernel": "8"},
}
TRUTH = {"A": 1.0, "B": CHIP, "C": SYSTEM, "D": CHIP * SYSTEM}
WHOLE, OF_CHIP, OF_SYSTEM = (-1, 0, 0, 1), (-0.5, 0.5, -0.5, 0.5), (-0.5, -0.5, 0.5, 0.5)
INTERACTION = (1, -1, -1, 1)


def systems(
    names: str = "ABCD",
    *,
    interaction: float = 1.0,
    noise: float = 0.02,
    repeats: int = 5,
    users: Sequence[int] = (8,),
    facts: dict[str, dict[str, Any]] = FACTS,
    seed: int = 1,
    several_runs: bool = False,
) -> list[System]:
    """Return systems of one run, whose repeats stand side by side; or each of a run of its own."""
    random = np.random.default_rng(seed)
    found = []
    for name in names:
        truth = TRUTH[name] * (interaction if name == "D" else 1.0)
        runs = [
            recording(
                [round(10_000 * truth * np.exp(noise * random.standard_normal()))] * 10,
                users=each,
                level=level,
                repeat=repeat,
                system=name,
                facts=facts[name],
                **({"run": f"run-{name}"} if several_runs else {}),
            )
            for level, each in enumerate(users)
            for repeat in range(repeats)
        ]
        found.append(one_system(runs))
    return found


def attributed(of: Sequence[System]) -> Attribution:
    """Return the only attribution."""
    (found,) = compare(of).attributions
    return found


def test_a_2_x_2_says_which_part_each_factor_has() -> None:
    found = attributed(systems())
    assert (found.shape, found.base, found.system, found.users) == ("2 x 2", "A", "D", 8)
    assert [part.name for part in found.parts] == ["cpu", "os.kernel"]
    for figure, truth in ((found.ratio, CHIP * SYSTEM), *zip(_ratios(found), (CHIP, SYSTEM), strict=True)):
        ends = figure.ends()
        assert ends is not None
        assert ends[0] < truth < ends[1]
    assert [(step.base, step.system) for step in found.parts[0].steps] == [("A", "B"), ("C", "D")]
    assert found.interaction is not None
    assert found.interaction.answer in ("none", "cannot tell")


@pytest.mark.parametrize("names", ["ABCD", "ADBC", "ACD", "DCA", "DBCA"])
def test_the_parts_multiply_to_the_whole(names: str) -> None:
    found = attributed(systems(names))
    assert prod(each.value for each in _ratios(found)) == pytest.approx(found.ratio.value, rel=1e-12)


def test_the_chain_of_the_seed() -> None:
    """U4 on the old chip, U8 on the old chip, U8 on the new chip: no system has the new chip alone."""
    found = attributed(systems("ACD"))
    assert (found.shape, found.systems) == ("chain", ["A", "C", "D"])
    assert [part.name for part in found.parts] == ["os.kernel", "cpu"]
    assert found.interaction is None
    for figure, truth in zip(_ratios(found), (SYSTEM, CHIP), strict=True):
        assert figure.value == pytest.approx(truth, rel=0.05)


@pytest.mark.parametrize("names", ["AB", "ABC", "ADC", "AAD"])
def test_other_systems_have_no_parts(names: str) -> None:
    """Two systems, a star (A is in its middle), two factors at a time, and no factor at all."""
    facts = {name: FACTS[name] for name in names}
    of = systems(names, facts=facts)
    renamed = [replace(each, name=f"{number}", system=f"{number}") for number, each in enumerate(of)]
    assert compare(renamed).attributions == []


def test_a_third_factor_is_no_2_x_2() -> None:
    facts = {name: of | {"os.hugepages": "on" if name in "AD" else "off"} for name, of in FACTS.items()}
    assert compare(systems(facts=facts)).attributions == []


def test_a_shape_starts_at_the_base_that_the_study_names() -> None:
    of = systems("DBCA")
    found = attributed([replace(each, against="" if each.name == "A" else "A") for each in of])
    assert (found.base, found.system) == ("A", "D")


def test_systems_that_a_study_does_not_compare_have_no_parts() -> None:
    assert compare([replace(each, against=each.name) for each in systems()]).attributions == []


def test_the_factors_of_a_shape_are_no_reason_to_doubt_a_ratio() -> None:
    result = result_of(systems())
    assert "several-factors" not in [each.rule for each in result.findings]
    assert [*factors_of(result)] == []
    assert "several-factors" in noted(compare(systems("AD")))


def test_an_interaction_is_found_and_both_of_its_steps_are_told() -> None:
    result = result_of(systems(interaction=1.1))
    (found,) = result.attributions
    assert found.interaction is not None
    assert found.interaction.answer == "more"
    before, after = (step.ratio.value for step in found.parts[0].steps)
    assert after / before == pytest.approx(found.interaction.ratio.value)
    (product,) = (each for each in result.observations if each.rule == "parts-of-ratio")
    assert [each.rule for each in product.because] == ["factors-interact"]


def test_each_load_has_its_parts_and_one_of_them_is_observed() -> None:
    result = result_of(systems(users=(1, 8)))
    assert [each.users for each in result.attributions] == [1, 8]
    assert [each.rule for each in result.observations].count("parts-of-ratio") == 1


def test_the_table_of_a_report_has_the_whole_its_parts_and_the_interaction() -> None:
    table = attribution_table(result_of(systems()))
    assert table is not None
    (parts,) = (column.cells for column in table.columns if column.title == "part")
    of_chip, of_system = (["cpu", *["cpu, step"] * 2], ["os.kernel", *["os.kernel, step"] * 2])
    assert parts == ["whole", *of_chip, *of_system, "interaction", "whole per GHz"]
    assert attribution_table(result_of(systems("AB"))) is None


def test_fewer_than_three_repeats_have_no_interval() -> None:
    found = attributed(systems(repeats=2))
    assert [each.low for each in [found.ratio, *_ratios(found)]] == [None] * 3


def test_a_level_that_cannot_be_used_has_no_parts() -> None:
    *others, last = systems()
    broken = replace(last.levels[0], trust=Trust(throughput="INVALID", times="INVALID"))
    assert compare([*others, replace(last, levels=[broken])]).attributions == []


def test_runs_measured_one_after_the_other_carry_the_noise_between_sessions() -> None:
    side_by_side, apart = (attributed(systems("ACD", several_runs=each)) for each in (False, True))
    assert apart.ratio.value == pytest.approx(side_by_side.ratio.value)
    assert apart.ratio.session_error == pytest.approx(0.04 * 2**0.5)
    assert apart.ratio.half() > side_by_side.ratio.half()


def test_a_contrast_of_two_sides_is_their_ratio() -> None:
    random = np.random.default_rng(3)
    sides = [{repeat: float(value) for repeat, value in enumerate(random.lognormal(size=5))} for _ in "ab"]
    values, base = ([*each.values()] for each in sides)
    of_one = contrast([Side(figures=each) for each in sides], (1, -1))
    paired = paired_ratio(Pairs(values=values, base=base))
    assert of_one.error == pytest.approx(paired.error)
    of_two = contrast([Side(figures=each, session=at) for at, each in enumerate(sides)], (1, -1))
    welch = log_welch(values, base)
    assert (of_two.error, of_two.freedom) == (pytest.approx(welch.error), pytest.approx(welch.freedom))


def test_ratios_by_unit_stand_beside() -> None:
    amounts = {"A": {"ghz": 2.52, "threads": 8.0, "price": 10.0}, "D": {"ghz": 2.88, "threads": 8.0}}
    found = attributed([replace(each, amounts=amounts.get(each.name, {})) for each in systems()])
    (per_ghz,) = found.per_unit
    assert per_ghz.unit == "GHz"
    assert per_ghz.ratio.value == pytest.approx(found.ratio.value * 2.52 / 2.88)


def _ratios(found: Attribution) -> list[Figure]:
    return [part.ratio for part in found.parts]


def _studies(number: int, interaction: float = 1.0) -> list[list[Side]]:
    """Return the figures of the four systems: 5 repeats, noise 2 % each, 3 % that a repeat has in common."""
    random = np.random.default_rng(11)
    truths = [*TRUTH.values()]
    truths[3] *= interaction
    noise = 0.02 * random.standard_normal((number, 4, 5)) + 0.03 * random.standard_normal((number, 1, 5))
    figures = 1000 * np.array(truths)[:, None] * np.exp(noise)
    return [[Side(figures=dict(enumerate(of.tolist()))) for of in study] for study in figures]


def test_the_intervals_hold_the_truth() -> None:
    studies = _studies(400)
    for powers, truth in ((WHOLE, CHIP * SYSTEM), (OF_CHIP, CHIP), (OF_SYSTEM, SYSTEM), (INTERACTION, 1.0)):
        found = [contrast(of, powers) for of in studies]
        held = [abs(log(each.value / truth)) <= each.half() for each in found]
        assert np.mean(held) >= 0.93


def test_an_interaction_of_10_percent_is_found_and_none_is_claimed_where_there_is_none() -> None:
    """The error is 0.05, within two standard errors of 400 studies."""
    for truth, least, most in ((1.0, 0.0, 0.05 + 2 * sqrt(0.05 * 0.95 / 400)), (1.1, 0.9, 1.0)):
        claimed = [contrast(of, INTERACTION).against(1, 1) != "cannot tell" for of in _studies(400, truth)]
        assert least <= np.mean(claimed) <= most
