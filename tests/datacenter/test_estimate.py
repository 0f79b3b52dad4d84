"""Answers of a plan: by hand, with their guesses, as ranges."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from igen.datacenter.number import DRAWS, exactly, monte_carlo, one_at_a_time, whole
from igen.datacenter.side_by_side import compare_plans
from igen.datacenter.source import Input, Source
from igen.datacenter.wording import side_by_side_table
from tests.datacenter.plans import answer, estate, estimated, plan_of

GUESS, RUN = Source("guess", "guess"), Source("run", "run:1")
SURE = (
    ('{ low = "5%", likely = "10%", high = "20%", source = "guess" }', '"10%"'),
    ("{ low = 1.3, likely = 1.5, high = 1.8, source = \"guess\" }", "1.5"),
    ("{ low = 1000, likely = 1300, high = 1600, source = \"guess\" }", "1300"),
    ("{ low = 60000, likely = 75000, high = 90000, source = \"guess\" }", "75000"),
)  # fmt: skip


def test_every_answer_by_hand(tmp_path: Path) -> None:
    of = estimated(tmp_path, *SURE)
    asked = 70_000 / (48 + 0.25)
    systems = math.ceil(asked / 0.75 / 580) + 1
    in_year = [math.ceil(asked * 1.1**year / 0.75 / 580) + 1 for year in range(4)]
    watts = 1300 + (2107 - 1300) * asked / systems / 580
    kw = systems * watts / 1000
    yearly = [
        count * (1300 + (2107 - 1300) * asked * 1.1**year / count / 580) / 1000 * 8760 * 1.5
        for year, count in enumerate(in_year)
    ]
    expected = {
        "systems": systems,
        "racks": math.ceil(systems / 3),  # 8 kW hold three of 2,107 W
        "systems_last_year": in_year[-1],
        "rack_units": 4 * systems,
        "kw": kw,
        "facility_kw": 1.5 * kw,
        "kwh_per_year": yearly[0],
        "co2_t_per_year": yearly[0] * 380 / 1e6,
        "capital": 75_000 * in_year[-1],
        "energy_cost": 0.25 * sum(yearly),
        "space_cost": 6000 * sum(math.ceil(count / 3) for count in in_year),
        "per_watt": 70_000 / kw / 1000,
        "per_rack_unit": 70_000 / 4 / systems,
        "per_core": 70_000 / 32 / systems,
        "swap": asked / systems / 4 / watts,
    }
    for key, value in expected.items():
        assert answer(of, "consolidate", key).value == pytest.approx(value), key
    total = expected["capital"] + expected["energy_cost"] + expected["space_cost"]
    assert answer(of, "consolidate", "cost").value == pytest.approx(total)
    assert answer(of, "today", "licence_cost").value == 50 * 8 * 500 * 4
    full = next(year for year in range(30) if math.ceil(asked * 1.1**year / 0.75 / 580) + 1 > 27)
    assert answer(of, "consolidate", "full_in_years").value == pytest.approx(full, abs=3)


def test_a_guess_is_marked_in_whatever_rests_on_it_and_nowhere_else(tmp_path: Path) -> None:
    of = estimated(tmp_path)
    assert answer(of, "consolidate", "systems").guesses == []
    assert answer(of, "consolidate", "kw").guesses == ["system.t5440.watts_idle"]
    assert answer(of, "consolidate", "facility_kw").guesses == ["room.pue", "system.t5440.watts_idle"]
    assert set(answer(of, "consolidate", "cost").guesses) == {
        "demand.agents.growth_per_year", "room.pue", "system.t5440.price", "system.t5440.watts_idle",
    }  # fmt: skip
    assert answer(of, "today", "kw").guesses == ["system.old.curve"]
    assert "system.t5440.price" in of.guesses


def test_ranges_hold_the_likely_value_and_nothing_is_random(tmp_path: Path) -> None:
    of, again = estimated(tmp_path), estimated(tmp_path)
    assert of == again
    for each in of.estates:
        for found in each.answers:
            if found.value is not None:
                assert found.low is not None
                assert found.high is not None
                assert found.low <= found.value <= found.high
    cost = answer(of, "consolidate", "cost")
    assert (cost.low or 0) < 0.95 * (cost.value or 0) < 1.05 * (cost.value or 0) < (cost.high or 0)


def test_the_tornado_names_what_matters_most(tmp_path: Path) -> None:
    tornado = estate(estimated(tmp_path), "consolidate").tornado
    assert tornado is not None
    assert tornado.key == "cost"
    widths = [abs(swing.high - swing.low) for swing in tornado.swings]
    assert widths == sorted(widths, reverse=True)
    price = next(swing for swing in tornado.swings if swing.input == "system.t5440.price")
    assert price.high - price.low == pytest.approx(6 * 30_000)


def test_options_are_compared_draw_by_draw(tmp_path: Path) -> None:
    of = estimated(tmp_path)
    ratio = next(each for each in of.ratios if each.key == "facility_kw")
    # The PUE is that of both: it cancels.
    kw = next(each for each in of.ratios if each.key == "kw")
    assert (ratio.low, ratio.high) == (pytest.approx(kw.low), pytest.approx(kw.high))
    assert ratio.told
    twin = estimated(tmp_path, ("spare = 1", 'spare = 1\n\n[option.twin]\nsystem = "t5440"\nspare = 1'))
    same = next(
        each for each in twin.ratios if (each.key, each.of, each.base) == ("cost", "twin", "consolidate")
    )
    assert (same.low, same.value, same.high, same.told) == (1, 1, 1, False)


def test_what_is_unknown_is_left_out_and_named(tmp_path: Path) -> None:
    of = estimated(tmp_path, ("tariff_per_kwh = 0.25", 'tariff_per_kwh = { source = "unknown" }'))
    assert of.unknown == ["room.tariff_per_kwh"]
    assert answer(of, "consolidate", "cost").value is None
    assert answer(of, "consolidate", "cost").missing == "tariff_per_kwh"
    assert answer(of, "consolidate", "kwh_per_year").value is not None
    tornado = estate(of, "consolidate").tornado
    assert tornado is not None
    assert tornado.key == "kwh_per_year"


def test_a_load_profile_saves_energy_and_no_machines(tmp_path: Path) -> None:
    hours = ", ".join(["0.2"] * 12 + ["1.0"] * 12)
    flat = estimated(tmp_path, *SURE)
    of = estimated(tmp_path, *SURE, ("users = 70000", f"users = 70000\nprofile = [{hours}]"))
    assert answer(of, "consolidate", "systems").value == answer(flat, "consolidate", "systems").value
    energy = (answer(of, "consolidate", "kwh_per_year").value or 0) / 8760 / 1.5
    systems, used = 5, 70_000 / 48.25 / 5 / 580
    mean = np.mean([1300 + 807 * used * share for share in (0.2, 1.0)])
    assert energy == pytest.approx(systems * mean / 1000)


def test_a_power_curve_takes_the_place_of_a_line(tmp_path: Path) -> None:
    points = "watts_curve = [1000, 1900, 2000]\ncores = 32"
    of = estimated(tmp_path, *SURE, ("cores = 32", points))
    used = 70_000 / 48.25 / 5 / 580
    expected = np.interp(used, [0, 0.5, 1], [1000, 1900, 2000])
    assert answer(of, "consolidate", "kw").value == pytest.approx(5 * expected / 1000)
    assert any("3 points from idle to full load" in text for text in estate(of, "consolidate").limits)


def test_blades_share_a_chassis(tmp_path: Path) -> None:
    chassis = "rack_units = 4\nmost_per_chassis = 10\nchassis_rack_units = 10"
    of = estimated(tmp_path, *SURE, ("rack_units = 4", chassis), ("kw_per_rack = 8", "kw_per_rack = 100"))
    assert answer(of, "consolidate", "rack_units").value == 10
    assert estate(of, "consolidate").racks[0].per_rack == 40


def test_a_curve_read_beyond_its_end_is_marked(tmp_path: Path) -> None:
    levels = "\n".join(
        f"  {{ users = {n}, throughput_per_s = {100 * n / slower:.8g}, "
        f'response_time = "{10 * slower:.8g}ms" }},'
        for n in (1, 2, 4, 8, 12, 16, 24, 32)
        if (slower := 1 + 0.03 * (n - 1) + 0.0002 * n * (n - 1))
    )
    start = 'source = "reference:web"\nlevels = ['
    text = (start, f"{start}\n{levels}")
    old = '  { users = 7500, throughput_per_s = 155, response_time = "220ms" },\n'
    other = '  { users = 28000, throughput_per_s = 580, response_time = "250ms" },\n'
    small = ((old, ""), (other, ""), ('limit = "250ms"', 'limit = "25ms"'))
    of = estimated(tmp_path, text, *small)
    assert [each.name for each in of.estates] == ["consolidate"]  # the others are never within 25 ms
    assert not answer(of, "consolidate", "systems").outside
    of = estimated(tmp_path, text, *small, ("cores = 32", "cores = 32\nextrapolate = true"))
    assert answer(of, "consolidate", "systems").outside


def test_plans_are_laid_side_by_side(tmp_path: Path) -> None:
    plans = [
        plan_of(tmp_path, name="now.toml"),
        plan_of(tmp_path, ("users = 70000", "users = 140000"), name="later.toml"),
    ]
    first, second, third = compare_plans(plans)
    assert [first.name, second.name, third.name] == ["now/today", "now/consolidate", "later/consolidate"]
    assert first.ratios == []
    ratio = next(each for each in third.ratios if each.key == "systems")
    assert ratio.value == 8 / 50
    assert [column.group for column in side_by_side_table([first, second]).columns][-1] == "now/consolidate"


def test_measured_intervals_are_log_normal_and_ranges_triangular() -> None:
    draw = monte_carlo()
    guessed = draw(Input("a", 2.0, 1.0, 6.0, GUESS))
    assert guessed.draws.mean() == pytest.approx(3.0, rel=0.01)
    measured = draw(Input("b", 100.0, 90.0, 110.0, RUN))
    assert np.log(measured.draws).std() == pytest.approx(math.log(110 / 90) / 3.92, rel=0.02)
    assert len(measured.draws) == DRAWS
    assert (draw(Input("b", 100.0, 90.0, 110.0, RUN)).draws == measured.draws).all()
    swung = one_at_a_time([Input("a", 2.0, 1.0, 6.0, GUESS)])(Input("a", 2.0, 1.0, 6.0, GUESS))
    assert swung.draws.tolist() == [1.0, 6.0]
    assert whole(exactly(0.1) * 30.0).value == 3


def test_of_a_strange_curve_the_last_load_within_the_limit_is_used(tmp_path: Path) -> None:
    levels = "".join(
        f'  {{ users = {n}, throughput_per_s = {x}, response_time = "{1e3 * n / x:.6g}ms" }},\n'
        for n, x in ((1, 100), (2, 200), (4, 400), (8, 300), (64, 310), (128, 900))
    )
    old = '  { users = 7500, throughput_per_s = 155, response_time = "220ms" },\n'
    other = '  { users = 28000, throughput_per_s = 580, response_time = "250ms" },\n'
    of = estimated(tmp_path, (old, levels), (other, ""), ('limit = "250ms"', 'limit = "100ms"'))
    (text,) = (text for text in estate(of, "consolidate").limits if text.startswith("Each"))
    assert "the last measured load within the limit: 400 transactions/s at 10 ms" in text
