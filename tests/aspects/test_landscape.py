"""Published results as a landscape, and own runs in it."""

from __future__ import annotations

import pytest

from igen.aspects.aspects import ASPECTS
from igen.aspects.published.landscape import (
    Standing,
    landscape_contradictions,
    own_level,
    own_standing,
    published_standings,
    ratio_to,
)
from igen.aspects.published.landscape_document import Landscape, Row, landscape_document
from igen.judge import analyse
from igen.judge.figure.figure import Figure
from igen.judge.result import System
from igen.judge.trust.finding import finding
from igen.reference.load import load_reference, reference_names
from igen.report.printers.terminal import Terminal, print_text
from tests.judge.synthetic import recording
from tests.said import say

SETS = {name: load_reference(name) for name in reference_names()}


def measured(per_s: int = 200, runs: int = 3) -> System:
    (system,) = analyse([recording([per_s + n] * 20, repeat=n) for n in range(runs)], aspects=ASPECTS)
    return system


def published(workload: str) -> dict[str, Standing]:
    return {each.name: each for each in published_standings(workload, SETS)}


def test_users_by_watt_rack_unit_core_and_chip() -> None:
    best = published("web")["BI EE, 1 × Sun SPARC Enterprise T5440"]
    assert best.per("watts") == pytest.approx(13.289, abs=0.0005)
    assert (best.per("rack_units"), best.per("cores"), best.per("chips")) == (7000, 875, 7000)
    others = published("web")["BI EE, 5 × Sun Fire T2000"]
    assert (others.per("rack_units"), others.per("cores"), others.per("watts")) == (1000, 250, None)


def test_each_workload_has_its_own() -> None:
    assert published("oltp")["Oracle 10.2, Sun Blade X6270, in memory"].per_s == Figure(value=821)
    assert published("ldap-search")["iGenLDAPs"].response_ms == 0.579
    assert published("io")["Sun Flash Accelerator F20: random read, 4 KB"].watts == 16.5
    assert published("mem")["memspeed, one processor: read"].per_s == Figure(value=3e9)
    assert published("nothing") == {}


@pytest.mark.parametrize(
    ("workload", "said"),
    [
        ("web", "28,000 users / 2,107 W = 13.289 users/W, not 13.2"),
        ("oltp", "SPARC64 VII+: 140 W / 8 threads = 17.5 W, published as 17: cut, not rounded"),
        ("io", "100,110 I/Os/s in the place of 200 disks are 501 of each: generous"),
        ("ldap-siteminder", "41,796 a second together, 10 in each transaction; published were 45,980, 11 in"),
        ("ldap-search", "49,647,440 / 1,800 s = 27,582 a second, not 34,239.614"),
    ],
)
def test_contradictions_are_named(workload: str, said: str) -> None:
    assert any(said in say(found) for found in landscape_contradictions(workload, SETS))


def test_an_own_run_stands_in_it_with_its_interval() -> None:
    system = measured()
    standing = own_standing(system)
    assert standing is not None
    assert standing.per_s is not None
    other = published("oltp")["Oracle 10.2, Sun Blade X6270, in memory"]
    ratio = ratio_to(system, other)
    assert ratio is not None
    assert ratio.value == pytest.approx(standing.per_s.value / 821)
    assert ratio.low is not None
    assert ratio_to(system, published("mem")["memspeed, one processor: read"]) is None
    twin = ratio_to(system, standing, own_level(measured(100)))
    assert twin is not None
    assert twin.value == pytest.approx(2, rel=0.05)


def test_the_document_lays_them_side_by_side() -> None:
    rows = [Row.of(each, None) for each in published_standings("web", SETS)]
    wrong = finding("memory-of-tiers-disagrees", sum_gb=3, published_gb=4)
    found = Landscape(workload="web", rows=rows, contradictions=[wrong])
    text = print_text(landscape_document(found), Terminal(width=220))
    assert "BI EE, 1 × Sun SPARC Enterprise T5440" in text
    assert "No own result yet: igen run web" in text
    assert f"  - {say(wrong)}." in text


def test_by_price_is_a_column_only_where_one_is_told() -> None:
    mine = Standing(
        name="mine", published=False, source="run", unit="tx/s", per_s=Figure(value=200.0), price=4e3
    )
    rows = [Row.of(each, None) for each in (mine, *published("web").values())]
    text = print_text(landscape_document(Landscape(workload="web", rows=rows, contradictions=[])), Terminal())
    assert "1,000 of price" in text
    assert rows[0].per_1000_of_price == pytest.approx(50)
    text = print_text(
        landscape_document(Landscape(workload="web", rows=rows[1:], contradictions=[])), Terminal()
    )
    assert "1,000 of price" not in text
