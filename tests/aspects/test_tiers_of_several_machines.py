"""Tiers on machines of their own, each with a known truth: figures, and findings that name the machine."""

from __future__ import annotations

import pytest

from igen.aspects.tier.host_tables import tier_hosts_table
from igen.aspects.tier.parts import Tiers, tiers_at
from igen.aspects.tier.pictures import tier_pictures
from igen.aspects.tier.tables import tiers_table
from igen.document import Lines
from igen.judge import result_of
from igen.judge.record.recording import Recording, recording_from_events
from igen.judge.result import Finding, System
from tests.aspects.observed import observed, texts
from tests.aspects.tier_hosts import judged, on_tiers
from tests.judge.synthetic import events

Machine = tuple[int, float, dict[str, tuple[float, float]]]
"""Processors, those that others keep busy, and tiers: processors that each may use, and keeps busy."""


def spread(machines: dict[str, Machine], factor: float = 1.0, repeat: int = 0, users: int = 64) -> Recording:
    """A load machine that only loads, and machines that serve."""
    made = on_tiers({}, repeat=repeat, users=users, level=users)
    made.job["tiers"] = []
    for url, (processors, others, tiers) in machines.items():
        there = on_tiers(
            {name: (count, busy / count, 1e9) for name, (count, busy) in tiers.items()},
            processors=processors,
            others=others,
            driver=0.01,
            factor=factor,
        )
        made.of_tier_hosts[url] = there.readings
        made.facts |= there.facts
        made.job["tiers"] += [{"name": name, "host": url, "match": {"pids": [1]}} for name in tiers]
    return made


def system_of(machines: dict[str, Machine]) -> System:
    return judged(*(spread(machines, factor, place) for place, factor in enumerate((0.99, 1.0, 1.01))))


def found(system: System) -> Tiers:
    tiers = tiers_at(system.levels[0])
    assert tiers is not None
    return tiers


def seen(system: System) -> list[Finding]:
    rules = ("no-tier-half-full", "tiers-share-processors", "tier-fills-first", "tier-fills")
    return observed(system, *rules)


def test_the_first_to_fill_up_is_named_with_its_machine() -> None:
    system = system_of(
        {"ssh://db1": (8, 0.0, {"database": (8, 6.08)}), "ssh://igen@web1": (4, 0.0, {"web": (4, 2.4)})}
    )
    (first,) = seen(system)
    assert (first.rule, first.part("load").text) == ("tier-fills-first", "64 users")
    assert (texts(first, "tier"), texts(first, "host")) == (["database"], ["db1"])
    assert (texts(first, "next_tier"), texts(first, "next_host")) == (["web"], ["web1"])
    assert (first.figure("cpu_percent"), first.figure("processors")) == (pytest.approx(76), 8)
    assert first.figure("next_cpu_percent") == pytest.approx(60)
    tiers = found(system)
    assert [(host.name, host.processors) for host in tiers.hosts] == [("db1", 8), ("web1", 4)]
    assert tiers.busy_processors == pytest.approx(8.48)
    assert tiers.host_processors == 16
    assert tiers.unattributed_cpu_percent is None, "no tier is there"


def test_where_all_are_idle_that_is_said_with_the_machine() -> None:
    machines: dict[str, Machine] = {
        "ssh://db1": (8, 0.0, {"database": (8, 1.6)}),
        "ssh://web1": (4, 0.0, {"web": (4, 0.4)}),
    }
    (none,) = seen(system_of(machines))
    assert (none.rule, texts(none, "tier"), texts(none, "host")) == (
        "no-tier-half-full",
        ["database"],
        ["db1"],
    )
    assert none.figure("cpu_percent") == pytest.approx(20)


def test_tiers_share_the_processors_of_their_own_machine_alone() -> None:
    """Each of both machines has room for its tiers; together they could use more than either has."""
    apart: dict[str, Machine] = {
        "ssh://db1": (4, 0.0, {"database": (4, 3.2)}),
        "ssh://web1": (4, 0.0, {"web": (4, 1.2)}),
    }
    (first,) = seen(system_of(apart))
    assert (first.rule, texts(first, "host")) == ("tier-fills-first", ["db1"])
    assert first.figure("cpu_percent") == pytest.approx(80)
    together: dict[str, Machine] = {"ssh://db1": (4, 0.0, {"database": (4, 3.0), "pool": (4, 0.4)})}
    (most,) = seen(system_of(together))
    assert (most.rule, texts(most, "host")) == ("tiers-share-processors", ["db1"])
    assert (most.figure("cpu_percent"), most.figure("host_cpu_percent")) == pytest.approx((75, 85.25))


def test_what_no_tier_accounts_for_is_told_of_its_machine() -> None:
    (level,) = system_of({"ssh://db1": (8, 0.6, {"database": (8, 4.0)})}).levels
    (reason,) = (each for each in level.findings if each.rule == "unattributed")
    assert (reason.limit, reason.figure("used_percent")) == (5, pytest.approx(7.5))
    assert [part.text for part in reason.parts if part.name == "machine"] == ["db1"]
    assert level.trust.verdict != "VALID"


@pytest.mark.parametrize(("url", "name"), [("ssh://db1", "db1"), ("http://db1:9100/metrics", "db1:9100")])
def test_a_whole_machine_is_a_tier(url: str, name: str) -> None:
    runs = [
        spread({url: (4, 0.4, {"x": (4, 2.0)})}, factor, place)
        for place, factor in enumerate((0.99, 1, 1.01))
    ]
    for run in runs:
        run.job["tiers"] = [{"name": "database", "host": url}]
        del run.of_tier_hosts[url]["tier", "x"]
    system = judged(*runs)
    (tier,) = found(system).tiers
    assert (tier.host, tier.capacity_processors) == (name, 4)
    assert tier.busy_processors.value == pytest.approx(2.41), "with what others did there"
    assert tier.throttled_percent is None
    (machine,) = found(system).hosts
    assert machine.unattributed_cpu_percent is None
    assert tier.source.startswith(f"all of {name}, by ")
    (fills,) = seen(system)
    assert (fills.rule, texts(fills, "host")) == ("tier-fills", [name])
    assert fills.figure("cpu_percent") == pytest.approx(60.25)


def test_machines_of_one_name_are_told_apart() -> None:
    """A gateway answers for both: they have one name, and nothing else in common."""
    a, b = "http://gw:9100/a", "http://gw:9100/b"
    runs = [
        spread({a: (4, 0.0, {"web": (4, 3.2)}), b: (8, 0.0, {"database": (8, 0.8)})}, factor, place)
        for place, factor in enumerate((0.99, 1, 1.01))
    ]
    for run in runs:
        run.facts |= {f"tier_host.{a}.clock_error_s": 0.002, f"tier_host.{b}.clock_error_s": 0.5}
    system = judged(*runs)
    tiers = found(system)
    assert [(host.name, host.processors, host.clock_error_ms) for host in tiers.hosts] == [
        (a, 4, 2.0),
        (b, 8, 500.0),
    ]
    assert [tiers.cpu_percent_of(url) for url in (a, b)] == pytest.approx([80.25, 10.125], rel=1e-3)
    (first,) = seen(system)
    assert (first.rule, texts(first, "tier"), texts(first, "host")) == ("tier-fills-first", ["web"], [a])
    assert first.figure("cpu_percent") == pytest.approx(80)
    notes = tiers_table(result_of([system])).notes
    assert f"Times of {a} are known on the load's clock to within 2 ms." in notes
    assert f"Times of {b} are known on the load's clock to within 500 ms." in notes


def test_other_machines_stay_out_of_the_load_machines_figures() -> None:
    with_them = spread({"ssh://db1": (8, 4.0, {"database": (8, 4.0)})})
    alone = on_tiers({})
    (a,), (b,) = judged(with_them).levels, judged(alone).levels
    assert a.resources == b.resources
    assert a.readings == b.readings


@pytest.mark.parametrize("tiers", [7, [7], [{}], [{"name": 7}], [{"name": "db", "host": 7}]])
def test_a_job_with_tiers_of_another_form_is_damage(tiers: object) -> None:
    made = spread({"ssh://db1": (4, 0.0, {"db": (4, 1.0)})})
    made.job["tiers"] = tiers
    damage = recording_from_events(events(made)).damage
    assert [(each.kind, each.of) for each in damage[:2]] == [
        ("event-malformed", "job_start"),
        ("event-malformed", "hello"),
    ]


def test_a_tier_of_a_strange_host_is_taken() -> None:
    made = spread({"ssh://db1": (4, 0.0, {"db": (4, 1.0)})})
    made.job["tiers"] = [{"name": "db", "host": "//[", "match": 1}]
    assert judged(made).levels


def test_chart_and_table_name_the_machine() -> None:
    machines: dict[str, Machine] = {"ssh://db1": (8, 0.0, {"database": (8, 4.0)})}
    runs = [spread(machines, factor, users=users) for users, factor in ((8, 0.5), (64, 1.0))]
    result = result_of([judged(*runs)])
    (picture,) = tier_pictures(result)
    assert isinstance(picture.chart, Lines)
    assert [line.label for line in picture.chart.series] == ["database on db1"]
    used = {column.title: list(column.cells) for column in tier_hosts_table(result).columns}
    assert used["host"] == ["db1", "db1"]
    assert used["all"] == ["25.1", "50.1"], "the tier, and the monitor"
    table = tiers_table(result)
    hosts = next(column for column in table.columns if column.title == "host")
    assert set(hosts.cells) == {"db1", "load machine", "–"}
