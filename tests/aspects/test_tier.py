"""Tiers of hosts with a known truth: figures, what is left over, and the finding that is true or is not."""

from __future__ import annotations

import pytest

from igen.aspects.tier.full import filled
from igen.aspects.tier.measure import tiers_of
from igen.aspects.tier.parts import Tiers, tiers_at
from igen.aspects.tier.pictures import tier_pictures
from igen.aspects.tier.tables import tiers_table
from igen.judge import result_of
from igen.judge.curve.bound import bound_of
from igen.judge.record.recording import Reading, Recording
from igen.judge.result import Finding, System
from igen.report.sections.levels import levels as levels_section
from tests.aspects.observed import has, observed, texts
from tests.aspects.tier_hosts import SIEBEL, judged, on_tiers, repeats
from tests.judge.synthetic import level_runs, readings, recording
from tests.said import rules


def found(made: Recording) -> Tiers:
    tiers = tiers_of(level_runs(made))
    assert tiers is not None
    return tiers


def seen(system: System) -> list[Finding]:
    of_tiers = ("no-tier-half-full", "tiers-share-processors", "tier-fills-first", "tier-fills")
    return observed(system, *of_tiers)


def test_every_figure() -> None:
    tiers = found(on_tiers(SIEBEL, others=0.16))
    application = tiers.tiers[1]
    assert application.cpu_percent.value == pytest.approx(76)
    assert application.busy_processors.value == pytest.approx(6.08)
    assert application.cpu_ms_per_transaction is not None
    assert application.cpu_ms_per_transaction.value == pytest.approx(6.08)
    assert application.memory_bytes == pytest.approx(69e9)
    assert application.source == "control group /application.service (version 2)"
    assert tiers.busy_processors == pytest.approx(1.56 + 6.08 + 2.88)
    assert tiers.memory_bytes == pytest.approx(93.5e9)
    assert tiers.host_processors == 16
    assert tiers.unattributed_cpu_percent == pytest.approx(1.0)
    assert tiers.driver_cpu_percent == pytest.approx(100 * 0.5 / 16)


def test_the_published_memory_adds_up_and_the_published_percentages_do_not() -> None:
    """4.5 + 69 + 20 GB are the published 93.5 GB; 78, 76 and 72 % are not the published 82 %."""
    system = judged(*repeats(SIEBEL))
    table = tiers_table(result_of([system]))
    columns = {column.title: list(column.cells) for column in table.columns}
    assert columns["tier"][:4] == ["web", "application", "database", "all tiers"]
    assert columns["memory, MB"][:4] == ["4,500", "69,000", "20,000", "93,500"]
    assert columns["CPU %"][3] == "–", "no percentage stands beside their sum"
    assert columns["busy processors"][:4] == ["1.560", "6.080", "2.880", "10.520"]
    assert "percentages of different capacities do not average" in table.notes[0]
    assert "memory add up" in table.notes[0]


def test_the_first_tier_to_fill_up_is_named_with_its_interval() -> None:
    full = {**SIEBEL, "web": (2, 0.5, 1e9), "database": (4, 0.6, 20e9)}
    (first,) = seen(judged(*repeats(full)))
    assert (first.rule, first.part("tier").text) == ("tier-fills-first", "application")
    assert (first.part("load").text, first.figure("processors")) == ("64 users", 8)
    assert first.figure("cpu_percent") == pytest.approx(76)
    assert first.part("cpu_percent").span == pytest.approx((74, 78), abs=0.5)
    assert (first.part("next_tier").text, first.figure("next_cpu_percent")) == ("database", pytest.approx(60))


def test_of_tiers_whose_intervals_touch_none_is_the_first() -> None:
    assert seen(judged(*repeats(SIEBEL))) == []
    assert seen(judged(on_tiers({"app": (2, 0.9, 1e9)}))) == [], "one run has no interval"


def test_where_no_tier_is_half_full_that_is_said() -> None:
    idle = {"web": (4, 0.02, 1e8), "app": (4, 0.31, 1e8), "data": (4, 0.01, 1e8)}
    (none,) = seen(judged(*repeats(idle)))
    assert (none.rule, none.part("tier").text, none.limit) == ("no-tier-half-full", "app", 50)
    assert (none.figure("cpu_percent"), none.figure("processors")) == (pytest.approx(31), 4)


def test_tiers_that_share_their_processors_do_not_fill_up_one_by_one() -> None:
    shared = {"web": (2, 0.1, 1e8), "app": (2, 0.7, 1e8)}
    (most,) = seen(judged(*repeats(shared, processors=2, driver=0.3)))
    assert (most.rule, most.part("tier").text, has(most, "host")) == ("tiers-share-processors", "app", False)
    assert (most.figure("cpu_percent"), most.figure("host_cpu_percent")) == pytest.approx((70, 95))


def test_tiers_that_exhaust_a_host_together_are_not_called_idle() -> None:
    shared = {"web": (2, 0.45, 1e8), "app": (2, 0.45, 1e8)}
    assert seen(judged(*repeats(shared, processors=2))) == []


def test_a_tier_with_a_limit_of_its_own_fills_up_on_a_shared_host() -> None:
    """As the shop's application, whose process has one thread."""
    shop = {"web": (1, 0.1, 1e7), "app": (1, 0.97, 1e7), "data": (1, 0.02, 1e7)}
    (first,) = seen(judged(*repeats(shop, processors=2)))
    assert (first.rule, first.part("tier").text) == ("tier-fills-first", "app")
    assert (first.figure("cpu_percent"), first.figure("processors")) == (pytest.approx(97), 1)
    assert (first.part("next_tier").text, first.figure("next_cpu_percent")) == ("web", pytest.approx(10))


def test_the_finding_is_about_the_highest_valid_load() -> None:
    few = repeats({"app": (4, 0.2, 1e8), "data": (4, 0.1, 1e8)}, users=8, per_s=200)
    many = repeats({"app": (4, 0.2, 1e8), "data": (4, 0.8, 1e8)}, users=64, level=1)
    first, *_ = seen(judged(*few, *many))
    assert (first.rule, first.part("tier").text) == ("tier-fills-first", "data")
    # The higher load is SUSPECT: others used a third of the machine.
    disturbed = repeats({"app": (4, 0.2, 1e8), "data": (4, 0.8, 1e8)}, users=64, level=1, others=5.0)
    none, *_ = seen(judged(*few, *disturbed))
    assert (none.rule, none.part("load").text) == ("no-tier-half-full", "8 users")


def test_the_tier_that_fills_first_is_known_from_idle_levels() -> None:
    few = repeats({"app": (4, 0.02, 1e8), "data": (4, 0.04, 1e8)}, users=50, per_s=5)
    more = repeats({"app": (4, 0.04, 1e8), "data": (4, 0.08, 1e8)}, users=100, per_s=10, level=1)
    system = judged(*few, *more)
    bound = bound_of(system.levels, filled)
    assert bound is not None
    assert (bound.resources, bound.users) == (("the data tier",), 1200)
    assert bound.per_s == pytest.approx(125, rel=0.01)
    (fills,) = observed(system, "resource-fills-first")
    assert fills.row.bottleneck
    assert (texts(fills, "resource"), fills.figure("users")) == (["the data tier"], 1200)
    assert [part.figure for part in fills.parts if part.name == "level_users"] == [50, 100]


@pytest.mark.parametrize(("others", "suspect"), [(0.5, False), (1.2, True)])
def test_what_no_tier_accounts_for_is_suspect_above_its_limit(others: float, suspect: bool) -> None:
    runs = repeats({"app": (4, 0.5, 1e8)}, others=others)
    (level,) = judged(*runs).levels
    assert "unattributed" not in rules(level), "the job did not name the tiers"
    for run in runs:
        run.job["tiers"] = [{"name": "app", "match": {"process": "app"}}]
    (level,) = judged(*runs).levels
    told = [each for each in level.findings if each.rule == "unattributed"]
    assert bool(told) == suspect
    if suspect:
        assert level.trust.verdict != "VALID"
        assert told[0].limit == 5
        assert {part.name: part.figure for part in told[0].parts} == {"used_percent": pytest.approx(7.5)}


def test_a_server_that_is_a_tier_too_is_counted_once() -> None:
    made = on_tiers({"database": (4, 0.5, 1e8)}, others=1.0)
    grown = readings("postgresql", {"user_s": 2.0, "system_s": 0.0}, "here:5432/shop")
    made.readings.update(
        {
            place: [Reading(each.at_s, each.counters, {"process_id": 700.0}) for each in series]
            for place, series in grown.items()
        }
    )
    made.facts["tier.database.process_ids"] = [700]
    assert found(made).unattributed_cpu_percent == pytest.approx(100 / 16)


def test_a_tier_that_is_restarted_keeps_its_time() -> None:
    """Its processes were gone for a moment: the counter stood still, and no figure is below the truth."""
    made = on_tiers({"app": (2, 0.5, 1e8)})
    series = made.readings["tier", "app"]
    gone = Reading(series[5].at_s, series[5].counters, {"processes": 0.0, "capacity_processors": 2.0})
    made.readings["tier", "app"] = [*series[:5], gone, *series[6:]]
    (tier,) = found(made).tiers
    assert tier.cpu_percent.value == pytest.approx(50)
    assert tier.memory_bytes == pytest.approx(1e8)


def test_without_tiers_there_is_neither_table_nor_picture() -> None:
    system = judged(recording())
    assert tiers_at(system.levels[0]) is None
    result = result_of([system])
    assert tiers_table(result).columns == []
    assert tier_pictures(result) == []


def test_the_report_has_the_table_and_the_picture() -> None:
    few = repeats({"app": (4, 0.2, 1e8), "data": (4, 0.1, 1e8)}, users=8, per_s=200)
    many = repeats({"app": (4, 0.2, 1e8), "data": (4, 0.8, 1e8)}, users=64, level=1)
    result = result_of([judged(*few, *many)])
    (picture,) = tier_pictures(result)
    assert [(series.label, len(series.dots)) for series in picture.chart.series] == [("app", 2), ("data", 2)]
    section = levels_section(result)
    assert section is not None
    columns = [column.title for column in tiers_table(result).columns]
    assert columns[:4] == ["users", "tier", "CPU %", "95 % of CPU %"]
