"""Whose processor time is whose: of the server under test, or of others."""

from __future__ import annotations

from typing import Any

import pytest

from igen.judge.record.recording import Reading
from igen.judge.record.target import Place, target_place
from igen.judge.run.measured import measure
from igen.judge.trust.foreign import foreign_cpu
from tests.judge.hosts import on_host
from tests.judge.synthetic import readings, recording
from tests.judge.test_price import LOCAL


@pytest.mark.parametrize(
    ("of_date", "of_others", "told"),
    [(0.457, [], True), (0.459, [], False), (0.4, [0.059], False), (0.1, [0.1] * 4, True)],
)
def test_the_rest_is_all_but_the_named_programs(of_date: float, of_others: list[float], told: bool) -> None:
    """25 % of both processors, of which a tick, 0.1 %, may belong to the time before."""
    made = on_host(recording(users=2), own=1.0, waiting=0.5, foreign={"ended": 0.5})
    made.readings["processes", "7 ended"].clear()
    for place, used in enumerate(of_others):
        made.readings.update(readings("processes", {"user_s": used}, f"{place + 10} cc{place}"))
    for subject in ("all", "date of sh"):
        made.readings.update(readings("short_lived", {"ended": 400.0, "used_s": of_date}, subject))
    found = foreign_cpu(measure(made))
    assert found
    assert ("rest_percent" in [part.name for part in found.finding.parts]) is told, found.finding


def test_a_program_is_named_once_with_all_its_processes() -> None:
    """Four compilers and a backup, which is busier than each of them."""
    made = on_host(recording(), foreign={"backup": 0.3, **{f"cc{place}": 0.15 for place in range(4)}})
    for place in range(4):
        compiler = made.readings.pop(("processes", f"{place + 8} cc{place}"))
        made.readings["processes", f"{place + 20} cc1"] = compiler
    found = foreign_cpu(measure(made))
    assert found is not None
    named = [(part.text, part.figure) for part in found.finding.parts if part.name == "program_percent"]
    assert named == [("cc1", pytest.approx(30)), ("backup", pytest.approx(15))]


def test_of_a_local_server_that_nobody_follows_nothing_is_guessed() -> None:
    """The busiest program is not taken for the server: only a process that is hidden may be it."""
    made = on_host(recording(job=LOCAL), own=0.2, foreign={"slapd": 0.3, "rustc": 0.8})
    hidden = made.readings["processes", "7 slapd"]
    made.readings["processes", "7 slapd"] = [
        Reading(each.at_s, each.counters, {"hidden": 1.0}) for each in hidden
    ]
    found = foreign_cpu(measure(made))
    assert found is not None
    assert found.percent == pytest.approx(40, rel=0.01)
    assert "slapd" not in [part.text for part in found.finding.parts]


def test_a_followed_server_is_nobody_else() -> None:
    made = on_host(recording(job=LOCAL), own=0.2, foreign={"rustc": 0.5})
    for subject in ("", "cpu0", "cpu1"):
        share = 1.0 if subject == "" else 0.5
        made.readings.update(readings("cpu", {"user_s": 1.5 * share, "idle_s": 0.5 * share}, subject))
    made.readings.update(readings("tier", {"user_s": 0.8, "system_s": 0.0}, "nginx"))
    found = foreign_cpu(measure(made))
    assert found is not None
    assert found.percent == pytest.approx(25, rel=0.01)


@pytest.mark.parametrize(
    ("servers", "place"),
    [
        ([{"tier": "nginx"}], Place.LOCAL),
        ([None, {"unknown": "not_permitted"}], Place.LOCAL),
        ([None], Place.REMOTE),
    ],
)
def test_the_agent_knows_which_targets_are_on_its_machine(servers: list[Any], place: Place) -> None:
    made = recording(job={**LOCAL, "targets": ["http://web.lab/"]})
    made.facts["targets.servers"] = servers
    assert target_place(made) is place
