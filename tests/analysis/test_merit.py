"""Watts and replaced disks: against the published card, whose figures are known."""

from __future__ import annotations

from typing import Any

import pytest

from igen.analysis.analyse import analyse
from igen.analysis.intent import Intent
from igen.analysis.reference import Reference
from igen.analysis.result import System
from tests.analysis.synthetic import recording

CARD = {"watts": 16.5, "disk": {"name": "disks of 15,000 rpm", "iops": 500.0}}


def reads(per_s: int, described: dict[str, Any]) -> System:
    study = {"systems": [{"name": "card", **described}]}
    runs = [recording([per_s] * 10, system="card", repeat=repeat) for repeat in range(2)]
    (system,) = analyse(runs, intent=Intent.of(study, Reference()))
    return system


def test_the_published_card_has_its_published_figures() -> None:
    system = reads(100_110, CARD)
    merit = system.merit
    assert merit is not None
    assert merit.milliwatts_per_transaction is not None
    assert merit.milliwatts_per_transaction.value == pytest.approx(0.165, abs=0.0005)
    assert merit.disks is not None
    assert merit.disks.value == pytest.approx(200, abs=0.5)
    sentences = " ".join(each.text for each in system.observations)
    assert "for 16.5 W: 0.165 mW per transaction." in sentences
    assert "as many as 200 disks of 15,000 rpm with 500 transactions/s each." in sentences


def test_each_figure_is_told_where_the_study_has_what_it_needs() -> None:
    assert reads(1000, {}).merit is None
    watts, disk = reads(1000, {"watts": 10.0}).merit, reads(1000, {"disk": CARD["disk"]}).merit
    assert watts is not None
    assert watts.disks is None
    assert disk is not None
    assert disk.milliwatts_per_transaction is None
    assert reads(0, CARD).merit is None


def test_intervals_are_those_of_the_throughput() -> None:
    study = {"systems": [{"name": "card", **CARD}]}
    runs = [recording([900 + 100 * repeat] * 10, system="card", repeat=repeat) for repeat in range(3)]
    (system,) = analyse(runs, intent=Intent.of(study, Reference()))
    throughput, merit = system.levels[0].throughput_per_s, system.merit
    assert merit is not None
    assert throughput.low is not None
    assert throughput.high is not None
    for figure, factor in ((merit.disks, 1 / 500), (merit.milliwatts_per_transaction, None)):
        assert figure is not None
        ends = throughput.low, throughput.high
        expected = [end * factor if factor else 16_500 / end for end in ends]
        assert [figure.low, figure.high] == pytest.approx(sorted(expected))
