"""Watts and replaced disks: against the published card, whose figures are known."""

from __future__ import annotations

from typing import Any

import pytest

from igen.aspects.aspects import ASPECTS
from igen.aspects.power.parts import Merit
from igen.judge import analyse
from igen.judge.intent import Intent
from igen.judge.record.recording import Reading, Recording
from igen.judge.record.reference import Reference
from igen.judge.result import System, aspect
from tests.aspects.observed import has, observed, texts
from tests.judge.synthetic import MEASURE_BEGIN_S, readings, recording

CARD = {"watts": 16.5, "disk": {"name": "disks of 15,000 rpm", "iops": 500.0}}


def reads(per_s: int, described: dict[str, Any]) -> System:
    study = {"systems": [{"name": "card", **described}]}
    runs = [recording([per_s] * 10, system="card", repeat=repeat) for repeat in range(2)]
    (system,) = analyse(runs, intent=Intent.of(study, Reference()), aspects=ASPECTS)
    return system


def test_the_published_card_has_its_published_figures() -> None:
    system = reads(100_110, CARD)
    merit = aspect(system, Merit)
    assert merit is not None
    assert merit.joules_per_transaction is not None
    assert merit.joules_per_transaction.value == pytest.approx(0.165e-3, abs=0.0005e-3)
    assert merit.disks is not None
    assert merit.disks.value == pytest.approx(200, abs=0.5)
    (energy,) = observed(system, "energy-per-transaction")
    assert (energy.figure("watts"), has(energy, "meter")) == (16.5, False)
    assert energy.figure("joules_per_transaction") == merit.joules_per_transaction.value
    (disks,) = observed(system, "disks-replaced")
    assert (disks.figure("disks"), disks.figure("disk_per_s")) == (merit.disks.value, 500)
    assert disks.part("disks").text == "disks of 15,000 rpm"


def test_each_figure_is_told_where_the_study_has_what_it_needs() -> None:
    assert aspect(reads(1000, {}), Merit) is None
    watts, disk = (aspect(reads(1000, card), Merit) for card in ({"watts": 10.0}, {"disk": CARD["disk"]}))
    assert watts is not None
    assert watts.disks is None
    assert disk is not None
    assert disk.joules_per_transaction is None
    assert aspect(reads(0, CARD), Merit) is None


def test_intervals_are_those_of_the_throughput() -> None:
    study = {"systems": [{"name": "card", **CARD}]}
    runs = [recording([900 + 100 * repeat] * 10, system="card", repeat=repeat) for repeat in range(3)]
    (system,) = analyse(runs, intent=Intent.of(study, Reference()), aspects=ASPECTS)
    throughput, merit = system.levels[0].throughput_per_s, aspect(system, Merit)
    assert merit is not None
    assert throughput.low is not None
    assert throughput.high is not None
    for figure, factor in ((merit.disks, 1 / 500), (merit.joules_per_transaction, None)):
        assert figure is not None
        ends = throughput.low, throughput.high
        expected = [end * factor if factor else 16.5 / end for end in ends]
        assert [figure.low, figure.high] == pytest.approx(sorted(expected))


def metered(energy_w: float, power_w: float) -> list[Recording]:
    """Two runs of 1,000 transactions a second on a host whose meters say this."""
    watts = [Reading(MEASURE_BEGIN_S + i, {}, {"power_w": power_w + i % 2}) for i in range(10)]
    series = readings("power", {"energy_j": energy_w}, "psys") | {("power", "power_meter power1"): watts}
    return [recording([1000] * 10, system="card", repeat=repeat, readings=series) for repeat in range(2)]


def judged(runs: list[Recording], watts: str) -> System:
    study = {"systems": [{"name": "card", "watts": watts}]}
    (system,) = analyse(runs, intent=Intent.of(study, Reference()), aspects=ASPECTS)
    return system


@pytest.mark.parametrize(("meter", "watts"), [("psys", 40.0), ("power_meter power1", 80.5)])
def test_watts_are_read_from_the_meter_that_the_study_names(meter: str, watts: float) -> None:
    system = judged(metered(40.0, 80.0), meter)
    merit = aspect(system, Merit)
    assert merit is not None
    assert merit.watts == pytest.approx(watts)
    assert merit.joules_per_transaction is not None
    assert merit.joules_per_transaction.value == pytest.approx(watts / 1000)
    assert merit.watts_at(system.levels[0]) == merit.watts
    (energy,) = observed(system, "energy-per-transaction")
    assert energy.figure("watts") == pytest.approx(watts)
    assert energy.figure("joules_per_transaction") == pytest.approx(watts / 1000)
    assert energy.part("meter").text == meter


def test_a_meter_that_was_not_read_is_a_note_that_names_the_meters_that_were() -> None:
    system = judged(metered(40.0, 80.0), "plug")
    assert aspect(system, Merit) is not None
    assert aspect(system, Merit).joules_per_transaction is None
    (note,) = system.findings
    assert (note.rule, note.row.grade, note.scope) == ("meter-not-read", "VALID", "system")
    assert (texts(note, "meter"), texts(note, "meter_read")) == (["plug"], ["psys", "power_meter power1"])
    (note,) = judged([recording([1000] * 10, system="card")], "psys").findings
    assert (texts(note, "meter"), has(note, "meter_read")) == (["psys"], False)
