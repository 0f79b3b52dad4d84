"""Published tables: laid beside what may be compared with them, and recomputed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.aspects.aspects import ASPECTS
from igen.aspects.published.application_tables import published_applications_table
from igen.aspects.published.contradictions import contradictions_of
from igen.aspects.published.parts import published_beside
from igen.aspects.published.recomputed import recomputed
from igen.aspects.published.reference import (
    PublishedAdvantage,
    PublishedApplication,
    PublishedResults,
    PublishedStatistic,
    PublishedTable,
    PublishedTier,
)
from igen.aspects.slamd.statistics import PUBLISHED
from igen.document import Table
from igen.judge import analyse, result_of
from igen.judge.intent import Intent
from igen.judge.record.form import Message
from igen.judge.record.recording import Recording
from igen.judge.result import System
from igen.judge.trust.finding import finding
from igen.reference.load import load_reference, reference_names, reference_of
from tests.aspects.directories import authentications, searches
from tests.judge.synthetic import recording

DIRECTORY = load_reference("directory")
SEARCHES, AUTHENTICATIONS = DIRECTORY.tables


def beside(*runs: Recording) -> System:
    (system,) = analyse(runs, intent=Intent(reference=DIRECTORY), aspects=ASPECTS)
    return system


def searching(per_s: int = 1000, attributes: Any = (), **rest: Any) -> Recording:
    return searches(per_s, job={"params": {"attributes": list(attributes)}}, **rest)


@pytest.mark.parametrize(
    "table",
    [table for name in reference_names() for table in load_reference(name).tables],
    ids=lambda t: t.title,
)
def test_published_lines_are_those_of_our_table_in_its_order(table: PublishedTable) -> None:
    ours = [(each.name, getattr(each, "unit", "ms")) for each in PUBLISHED[table.workload]]
    assert [(row.statistic, row.unit) for row in table.rows] == ours


def test_every_built_in_set_can_be_read_and_named() -> None:
    assert "directory" in reference_names()
    for name in reference_names():
        assert load_reference(name).source
        assert reference_of(name) is load_reference(name)
    assert reference_of("725 tx/s on MySQL") == PublishedResults(text="725 tx/s on MySQL")


def test_the_peak_stands_beside_the_published_figures() -> None:
    system = beside(searching(17_120), searching(34_240, level=1, users=2), searching(100, level=2, users=4))
    (published,) = published_beside(system).tables
    assert (published.title, published.level) == ("iGenLDAPs", 1)
    ratios = {pair.published.statistic: pair.ratio for pair in published.pairs}
    assert ratios["Searches Completed"] == pytest.approx(1.0, rel=1e-4)
    assert ratios["Search Time"] == pytest.approx(1.0 / 0.579)
    assert ratios["Exceptions Caught"] is None, "0 of 0"
    assert system.reference.endswith(f"Source: {DIRECTORY.source}.")


def test_defaults_need_not_be_said() -> None:
    assert [len(published_beside(beside(run)).tables) for run in (searches(), authentications())] == [1, 1]


def test_siteminder_has_a_table_of_its_own() -> None:
    system = beside(authentications(job={"params": {"modify": True}}))
    (published,) = published_beside(system).tables
    assert published.title == "iGenLDAPsm"
    assert all(pair.ours for pair in published.pairs)


@pytest.mark.parametrize(
    "run",
    [
        searching(attributes=["cn"]),
        authentications(modify=False, job={"params": {"modify": False}}),
        searches(job={"workload": "ldap-bind", "params": {"attributes": []}}),
    ],
    ids=["one attribute", "no modify", "another workload"],
)
def test_other_questions_are_not_laid_beside_it(run: Recording) -> None:
    assert published_beside(beside(run)).tables == []


def test_an_invalid_level_is_not_laid_beside_it() -> None:
    (published,) = published_beside(beside(searching(outcome="failed", errors=[Message("it ended")]))).tables
    assert published.level is None
    assert all(pair.ours is None and pair.ratio is None for pair in published.pairs)
    assert published.contradictions, "they are the publication's own"


def test_the_published_searches_do_not_close() -> None:
    rate, count = contradictions_of(SEARCHES)
    assert (rate.rule, count.rule) == ("rate-disagrees", "count-disagrees")
    assert [rate.part(name).text for name in ("statistic", "likewise")] == [
        "Searches Completed",
        "Entries Returned",
    ]
    figures = {part.name: part.figure for part in rate.parts if part.figure is not None}
    assert figures == pytest.approx(
        {
            "count": 49_647_440,
            "duration_s": 1800,
            "computed_per_s": 27_582,
            "published_per_s": 34_239.614,
            "needed_s": 1450,
            "intervals": 29,
            "interval_s": 50,
        },
        rel=1e-4,
    )
    assert [count.part(name).text for name in ("statistic", "counted_by")] == [
        "Search Time",
        "Searches Completed",
    ]
    assert [count.figure(name) for name in ("values", "counted")] == [4_964_747, 49_647_440]


def test_the_published_authentications_do_not_close() -> None:
    rate, means, count = contradictions_of(AUTHENTICATIONS)
    assert [round(rate.figure(name)) for name in ("computed_per_s", "needed_s")] == [2671, 1150]
    assert rate.figure("published_per_s") == 4180.557
    computed = {part.text: part.figure for part in means.parts if part.name == "computed_ms"}
    assert list(computed)[:2] == ["Authentication Time", "Bind Time"]
    assert computed["Authentication Time"] == pytest.approx(228_998_500 / 480_564)
    assert computed["Initial Search Time"] == pytest.approx(1.040, abs=5e-4)
    assert not any("Subsequent" in name for name in computed), "146,366,814 / 33,643,572 is 4.351"
    likewise = [part.text for part in count.parts if part.name == "likewise"]
    assert likewise == ["Bind Time", "Modify Time"]
    assert count.figure("ratio") == pytest.approx(10, rel=0.01)


closing = st.builds(
    lambda count, duration_s, mean_ms: PublishedTable(
        title="t",
        workload="w",
        duration_s=duration_s,
        rows=[
            PublishedStatistic(statistic="n", unit="n", count=count, avg_per_second=count / duration_s),
            PublishedStatistic(
                statistic="time",
                unit="ms",
                count=count,
                counted_by="n",
                total_duration_ms=mean_ms * count,
                avg_duration_ms=mean_ms,
            ),
        ],
    ),
    st.integers(1, 10**9),
    st.floats(1, 1e5),
    st.floats(1e-3, 1e4),
)


@given(closing, st.floats(1.02, 100))
def test_a_table_that_closes_is_left_alone_and_each_wrong_figure_is_found(
    table: PublishedTable, factor: float
) -> None:
    assert contradictions_of(table) == []
    count, time = table.rows
    wrong = [
        [replace(count, avg_per_second=(count.avg_per_second or 0) * factor), time],
        [count, replace(time, avg_duration_ms=(time.avg_duration_ms or 0) * factor)],
        [count, replace(time, counted_by="n", count=time.count * factor)],
    ]
    for rows in wrong:
        assert contradictions_of(replace(table, rows=rows))


def test_published_applications_are_recomputed() -> None:
    web = load_reference("web")
    found = recomputed(web.applications, web.advantages)
    figures = [
        (each.rule, {part.name: part.figure for part in each.parts if part.figure is not None})
        for each in found
    ]
    assert figures == [
        (rule, pytest.approx(expected, rel=1e-3))
        for rule, expected in [
            (
                "published-think-time",
                {"users": 7500, "transactions_per_s": 155, "response_s": 0.22, "think_s": 48.17},
            ),
            (
                "published-think-time",
                {"users": 28_000, "transactions_per_s": 580, "response_s": 0.25, "think_s": 48.03},
            ),
            ("published-scaling", {"nodes": 4, "ratio": 3.742, "efficiency_percent": 93.55}),
            ("users-per-watt-disagree", {"users": 28_000, "watts": 2107, "computed": 13.289}),
            ("cpu-of-tiers-disagrees", {"tier_percent": 72, "whole_percent": 82}),
            ("advantage-disagrees", {"users": 14_000, "other_users": 7000, "computed": 2}),
            ("advantage-disagrees", {"users": 14_000, "other_users": 5200, "computed": 2.692}),
        ]
    ]


def test_published_applications_that_agree_are_not_blamed() -> None:
    whole = PublishedApplication(
        product="own",
        users=100,
        cpu_percent=75,
        memory_gb=3,
        watts=50,
        users_per_watt="2.0",
        tiers=[
            PublishedTier(name="web", cpu_percent=70, memory_gb=1),
            PublishedTier(name="data", cpu_percent=80, memory_gb=2),
        ],
    )
    advantage = PublishedAdvantage(text="own", users=14, other_users=10, factor="1.4")
    assert recomputed([whole], [advantage]) == []
    wrong = replace(whole, memory_gb=4)
    assert recomputed([wrong], []) == [finding("memory-of-tiers-disagrees", sum_gb=3, published_gb=4)]


def test_a_web_application_stands_beside_those_that_were_published() -> None:
    runs = [
        recording([users // 10] * 10, users=users, level=level, job={"workload": "web"})
        for level, users in enumerate((100, 200))
    ]

    def table_of(intent: Intent) -> Table:
        return published_applications_table(result_of(analyse(runs, intent=intent, aspects=ASPECTS)))

    table = table_of(Intent(reference=load_reference("web")))
    rows = list(table.rows())
    assert [row[0] for row in rows[:3]] == ["BI EE 10.1.3.4, published"] * 2 + ["Siebel 8.0, published"]
    assert rows[1][1:8] == ("4", "28,000", "580.0", "0.250", "48.0", "13.2", "7,000")
    assert rows[3][2] == "200"
    assert rows[3][-1] == "not told"
    told = table_of(Intent(reference=load_reference("web"), described={"A": {"cache": "on"}}))
    assert list(told.rows())[3][-1] == "on"
    assert table_of(Intent()).columns == []


def test_the_row_of_a_run_is_about_the_load_that_its_users_by_rack_unit_are_of() -> None:
    runs = [
        recording([per_s] * 10, users=users, level=level, job={"workload": "web"})
        for level, (users, per_s) in enumerate(((100, 10), (200, 15)))
    ]
    limited = Intent(
        reference=load_reference("web"),
        response_time_limit_ms=11_000.0,
        described={"A": {"rack_units": 2.0}},
    )
    systems = analyse(runs, intent=limited, aspects=ASPECTS)
    row = list(published_applications_table(result_of(systems)).rows())[3]
    assert [float(row[column].replace(",", "")) for column in (2, 7)] == [100, 50]
