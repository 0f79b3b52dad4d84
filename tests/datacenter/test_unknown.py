"""What a plan does not know is never counted as nothing, and what cannot serve is never silent."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from igen.datacenter.number import monte_carlo
from igen.datacenter.side_by_side import cannot_serve
from igen.datacenter.source import Input, source_of
from igen.errors import InputError
from igen.report.datacenter import datacenter_summary
from igen.report.printers.terminal import Terminal, print_text
from tests.datacenter.plans import answer, estate, estimated, plan_of

UNKNOWN = '{ source = "unknown" }'
LICENCE = ("licence_per_core_year = 500", f"licence_per_core_year = {UNKNOWN}")
SPACE = ("rack_price_per_year = 6000", f"rack_price_per_year = {UNKNOWN}")
STRICT = """
[demand.strict]
source = "vendor: contract of 2026"
transactions_per_s = 10
response_time_limit = "241ms"

[demand.agents]"""
SLOW = """
[system.slow]
source = "vendor: attic"
rack_units = 2

[system.slow.curve]
source = "guess"
levels = [
  { users = 10, throughput_per_s = 0.2, response_time = "900ms" },
  { users = 20, throughput_per_s = 0.4, response_time = "950ms" },
]

[option.attic]
system = "slow"

[option.consolidate]"""


def said(folder: Path, *changes: tuple[str, str]) -> str:
    return " ".join(print_text(datacenter_summary(estimated(folder, *changes)), Terminal()).split())


@pytest.mark.parametrize(("change", "key"), [(LICENCE, "licence_cost"), (SPACE, "space_cost")])
def test_an_unknown_price_is_not_nothing(tmp_path: Path, change: tuple[str, str], key: str) -> None:
    found = estimated(tmp_path, change)
    assert answer(found, "today", key).value is None
    assert answer(found, "today", "cost").value is None
    assert not [ratio for ratio in found.ratios if ratio.key == "cost"]
    assert "times the cost" not in said(tmp_path, change)


def test_unknown_power_at_rest_is_not_that_at_full_load(tmp_path: Path) -> None:
    found = estimated(tmp_path, ("watts_idle = 250", f"watts_idle = {UNKNOWN}"))
    kw = answer(found, "today", "kw")
    assert (kw.value, kw.missing) == (None, "watts_idle")
    limits = estate(found, "today").limits
    assert "Whether the room has enough kW is not told, for lack of `watts_idle`." in limits


def test_limits_that_are_unknown_are_said_not_to_be_checked(tmp_path: Path) -> None:
    told = said(tmp_path, ("kw_per_rack = 8", f"kw_per_rack = {UNKNOWN}"))
    assert "Whether the estates fit within room.kw_per_rack is not checked." in told


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("users = 70000", f"users = 70000\nheadroom = {UNKNOWN}", "`headroom` is unknown"),
        (
            "users = 70000",
            f"users = 70000\nprofile = [{UNKNOWN}{', 1.0' * 23}]",
            "a number of `profile` is unknown",
        ),
        ("watts_max = 330", f"watts_curve = [250, {UNKNOWN}, 330]", "a number of `watts_curve` is unknown"),
    ],
)
def test_what_cannot_be_unknown_is_refused(tmp_path: Path, old: str, new: str, text: str) -> None:
    with pytest.raises(InputError) as caught:
        plan_of(tmp_path, (old, new))
    assert text in caught.value.text


def test_an_option_that_cannot_serve_is_told(tmp_path: Path) -> None:
    change = ("\n[option.consolidate]", SLOW)
    assert "attic: CANNOT serve the demand" in said(tmp_path, change)
    (sentence,) = cannot_serve([plan_of(tmp_path, change)])
    assert "attic CANNOT serve the demand" in sentence


def test_each_demand_is_limited_by_its_own_limit(tmp_path: Path) -> None:
    first, second = estate(estimated(tmp_path, ("\n[demand.agents]", STRICT)), "consolidate").limits[:2]
    assert first != second
    assert "at 250 ms" not in first


def test_machines_that_serve_two_demands_share_racks(tmp_path: Path) -> None:
    found = estimated(tmp_path, ("\n[demand.agents]", STRICT))
    (filling,) = estate(found, "consolidate").racks
    assert filling.count == answer(found, "consolidate", "systems").value


def test_hours_of_one_demand_are_not_those_of_another(tmp_path: Path) -> None:
    hours = f"profile = [{', '.join(['0.1'] * 23)}, 1.0]"
    both = ("\n[demand.agents]", STRICT)
    large = estimated(tmp_path, both, ("users = 70000", f"users = 70000\n{hours}"))
    small = estimated(tmp_path, both, ("transactions_per_s = 10", f"transactions_per_s = 10\n{hours}"))
    none = estimated(tmp_path, both)
    of_large, of_small, of_none = (
        answer(each, "today", "kwh_per_year").value for each in (large, small, none)
    )
    assert of_large is not None
    assert of_small is not None
    assert of_none is not None
    assert of_large < of_small < of_none


def test_a_machine_that_is_too_high_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="beyond every option: One t5440 is higher than a rack"):
        estimated(tmp_path, ("rack_units = 4", "rack_units = 60"))


def test_draws_of_a_measured_range_stay_on_their_side() -> None:
    source = source_of("run:x", [])
    assert not isinstance(source, str)
    draws = monte_carlo()(Input("a", 70.0, 10.0, 71.0, source)).draws
    low, high = np.quantile(draws, [0.025, 0.975])
    assert low == pytest.approx(10.0, rel=0.05)
    assert high == pytest.approx(71.0, rel=0.005)
