"""Users for each watt and rack unit: against published figures, and where there is none to be told."""

from __future__ import annotations

from typing import Any

import pytest

from igen.aspects.aspects import ASPECTS
from igen.aspects.density.parts import Density
from igen.judge import analyse
from igen.judge.intent import Intent
from igen.judge.record.recording import Recording
from igen.judge.record.reference import Reference
from igen.judge.result import System, aspect
from tests.aspects.observed import has, observed
from tests.judge.hosts import on_host
from tests.judge.synthetic import readings, recording

PUBLISHED = {"watts": 2107.0, "rack_units": 4.0, "price": 56_000.0}
"""28,000 users at 2,107 W are 13.289 users/W, which were published as 13.2, and 7,000 users/RU."""


def runs(users: int, per_s: int, level: int, power_w: float | None = None) -> list[Recording]:
    """Three runs whose response time is users / throughput, on a host with a meter or without."""
    made = []
    for repeat in range(3):
        one = on_host(
            recording([per_s] * 10, users=users, level=level, repeat=repeat, system="farm"), own=0.5
        )
        if power_w is not None:
            one.readings.update(readings("power", {"energy_j": power_w + repeat}, "psys"))
        made.append(one)
    return made


def _doubling(repeat: int) -> Recording:
    """200 users whose throughput grows all the time."""
    counts = [50 + 10 * second for second in range(10)]
    return recording(counts, users=200, level=1, repeat=repeat, system="farm")


def judged(made: list[Recording], described: dict[str, Any], limit: str | None = "3s") -> System:
    study: dict[str, Any] = {"systems": [{"name": "farm", **described}], "response_time_limit": limit}
    (system,) = analyse(made, intent=Intent.of(study, Reference()), aspects=ASPECTS)
    return system


def test_the_published_figure_is_13_3() -> None:
    system = judged(runs(28_000, 14_000, 0), PUBLISHED)
    assert system.levels[0].trust.verdict == "VALID"
    found = aspect(system, Density)
    assert found is not None
    assert found.users_per_watt is not None
    assert found.users_per_watt.value == pytest.approx(13.289, abs=0.001)
    assert found.users_per_rack_unit == pytest.approx(7000)
    (seen,) = observed(system, "density")
    assert (seen.part("load").text, seen.limit, seen.unit) == ("28,000 users", 3000, "ms")
    assert seen.figure("users_per_watt") == found.users_per_watt.value
    figures = {name: seen.figure(name) for name in (*PUBLISHED, "users_per_rack_unit")}
    assert figures == PUBLISHED | {"users_per_rack_unit": 7000}
    assert seen.figure("users_per_1000_of_price") == pytest.approx(500)
    assert found.users_per_1000_of_price == pytest.approx(500)
    assert not has(seen, "meter"), "as the study says"


def test_the_load_is_the_highest_valid_one_within_the_limit() -> None:
    # 1 s, 2 s and 4 s.
    made = [*runs(100, 100, 0), *runs(200, 100, 1), *runs(400, 100, 2)]
    found = aspect(judged(made, PUBLISHED), Density)
    assert found is not None
    assert found.users == 200
    unsteady = [on_host(_doubling(each), own=0.5) for each in range(3)]
    system = judged([*made[:3], *unsteady, *made[6:]], PUBLISHED)
    assert system.levels[1].trust.verdict != "VALID"
    found = aspect(system, Density)
    assert found is not None
    assert found.users == 100


@pytest.mark.parametrize(
    ("described", "limit"),
    [({}, "3s"), (PUBLISHED, None), (PUBLISHED, "1s")],
    ids=["nothing", "open", "slow"],
)
def test_without_a_limit_or_a_load_within_it_there_is_no_figure(
    described: dict[str, Any], limit: str | None
) -> None:
    system = judged(runs(200, 100, 0), described, limit)
    assert aspect(system, Density) is None
    assert observed(system, "density") == []


def test_watts_of_a_meter_have_an_interval_and_unknown_ones_no_figure() -> None:
    made = runs(200, 100, 0, power_w=40.0)
    found = aspect(judged(made, {"watts": "psys"}), Density)
    assert found is not None
    assert found.watts is not None
    assert found.watts.value == pytest.approx(41)
    assert found.users_per_watt is not None
    assert found.users_per_watt.low is not None
    assert found.users_per_watt.low < 200 / 41 < (found.users_per_watt.high or 0)
    # One of three runs was not metered: its mean power is not known.
    made[1].readings.pop(("power", "psys"))
    found = aspect(judged(made, {"watts": "psys", "rack_units": 2}), Density)
    assert found is not None
    assert found.users_per_watt is None
    assert found.users_per_rack_unit == pytest.approx(100)
