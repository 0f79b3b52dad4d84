"""In what two systems differ: what follows from a setting is no factor, and other work has no ratio."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from igen.judge.compare.compare import compare
from igen.judge.compare.differences import UNKNOWN, differing
from igen.judge.result import System
from tests.judge.test_compare import FASTER, MEANS, differences, noted, system


def test_a_fact_that_follows_from_a_setting_is_not_a_second_factor() -> None:
    systems = [
        system(name, job={"params": {"synchronous": mode}}, facts={"target.sqlite.synchronous": mode})
        for name, mode in (("A", "full"), ("B", "normal"))
    ]
    assert differences(compare(systems)) == [("parameter", "synchronous", "normal", "full")]


@pytest.mark.parametrize("large", [1 << 28, 1 << 27])
def test_a_size_that_a_server_reports_in_bytes_is_not_a_second_factor(large: int) -> None:
    """Also if the server uses less than was asked for: the setting is why."""
    systems = [
        system(name, job={"params": {"cache_bytes": size}}, facts={"target.sqlite.cache_bytes": reported})
        for name, size, reported in (("A", "64KiB", 1 << 16), ("B", "256MiB", large))
    ]
    assert [each.name for each in compare(systems).differences] == ["cache_bytes"]


@pytest.mark.parametrize("fact", ["io.block_bytes", "scan.table", "scan.predicate", "ldap.attributes"])
def test_an_io_of_another_size_and_a_scan_of_another_table_are_other_work(fact: str) -> None:
    """256 KiB at once is no slower than 4 KiB because there are fewer of them in a second."""
    systems = [
        system(name, means, job={"params": {"of": work}}, facts={fact: work})
        for name, means, work in (("A", MEANS, 4096), ("B", FASTER, 262144))
    ]
    found = compare(systems)
    assert (found.ratios, found.observations, found.overall) == ([], [], [])
    assert differences(found)[0] == ("parameter", "of", "262144", "4096")
    assert differences(found)[-1] == ("work", fact, "262144", "4096")
    assert compare([systems[0], replace(systems[1], facts=systems[0].facts)]).ratios


def test_the_words_for_a_transaction_are_not_a_second_factor() -> None:
    """`io` says what one I/O is, which follows from its parameters."""
    systems = [
        system(
            name,
            job={"params": {"read": read}},
            facts={"io.transaction": f"one I/O, {read} % of them reads"},
        )
        for name, read in (("A", 100), ("B", 0))
    ]
    found = compare(systems)
    assert differences(found) == [("parameter", "read", "0", "100")]
    assert "several-factors" not in noted(found)


@pytest.mark.parametrize(
    ("facts", "factors"),
    [
        ({"mem.pages": ("4k", "thp (100 % huge)")}, 1),
        ({"mem.pages": ("4k (0 % huge)", "thp (0 % huge)")}, 1),
        ({"mem.pages": ("4k", "4k")}, 1),
        ({"mem.memory_on": ("node 0", "node 1")}, 2),
        ({"kernel.pages": ("4k", "thp")}, 2),
    ],
)
def test_a_fact_that_shows_a_setting_is_not_a_second_factor(
    facts: dict[str, tuple[str, str]], factors: int
) -> None:
    systems = [
        system(name, job={"params": {"pages": pages}}, facts={fact: of[at] for fact, of in facts.items()})
        for at, (name, pages) in enumerate((("A", "4k"), ("B", "thp")))
    ]
    assert len(compare(systems).differences) == factors


def test_a_device_below_another_target_is_not_a_second_factor() -> None:
    a = system("A", job={"targets": ["file:///a"]}, facts={"device.sda.size_bytes": 7, "device.sdz.x": 1})
    b = system("B", job={"targets": ["file:///b"]}, facts={"device.sdb.size_bytes": 7, "device.sdz.x": 2})
    assert differences(compare([a, b])) == [
        ("setting", "target", '["file:///b"]', '["file:///a"]'),
        ("fact", "device.sdz.x", "2", "1"),
    ]
    of_the_same = differences(compare([a, replace(b, targets=a.targets)]))
    assert ("fact", "device.sdb.size_bytes", "7", UNKNOWN) in of_the_same


TARGETS = ("target", '["mysql://127.0.0.1:2"]', '["mysql://127.0.0.1:1"]')
MARIADB = {"kind": "mariadb", "cache_bytes": 7}


@pytest.mark.parametrize(
    ("of_a", "of_b", "differing_in"),
    [
        # The server shows its setting itself, under another name and in another unit.
        (
            {
                "instances.settings.innodb_buffer_pool_size": "16M",
                "target.mysql.innodb_buffer_pool_bytes": 1 << 24,
                "instances.made": MARIADB,
            },
            {
                "instances.settings.innodb_buffer_pool_size": "1G",
                "target.mysql.innodb_buffer_pool_bytes": 1 << 30,
                "instances.made": MARIADB,
            },
            [("target.mysql.innodb_buffer_pool_bytes", "1073741824", "16777216")],
        ),
        # Another setting of the same size.
        (
            {
                "instances.settings.innodb_buffer_pool_size": "64M",
                "target.mysql.innodb_log_file_bytes": 1 << 26,
                "instances.made": MARIADB,
            },
            {
                "instances.settings.innodb_buffer_pool_size": "1G",
                "target.mysql.innodb_log_file_bytes": 1 << 30,
                "instances.made": MARIADB,
            },
            [
                ("target.mysql.innodb_log_file_bytes", "1073741824", "67108864"),
                ("instances.settings.innodb_buffer_pool_size", "1G", "64M"),
            ],
        ),
        # It does not show this setting.
        (
            {"instances.settings.x": "1", "instances.made": MARIADB},
            {"instances.settings.x": "2", "instances.made": MARIADB},
            [("instances.settings.x", "2", "1")],
        ),
        # A longer name is another setting, of the server as well.
        (
            {
                "instances.settings.wal": "on",
                "instances.settings.wal_level": "on",
                "target.mysql.wal_level": "on",
                "target.mysql.wal": "on",
                "target.mysql.wal_sync": "on",
                "instances.made": MARIADB,
            },
            {
                "instances.settings.wal": "off",
                "instances.settings.wal_level": "off",
                "target.mysql.wal_level": "off",
                "target.mysql.wal": "off",
                "target.mysql.wal_sync": "off",
                "instances.made": MARIADB,
            },
            [
                ("target.mysql.wal", "off", "on"),
                ("target.mysql.wal_level", "off", "on"),
                ("target.mysql.wal_sync", "off", "on"),
            ],
        ),
        (
            {"instances.settings.wal": "on", "target.mysql.wal_level": "on", "instances.made": MARIADB},
            {"instances.settings.wal": "off", "target.mysql.wal_level": "off", "instances.made": MARIADB},
            [("target.mysql.wal_level", "off", "on"), ("instances.settings.wal", "off", "on")],
        ),
        # What is no server's own word explains no setting.
        (
            {"instances.settings.pool": "64M", "workload.pool": "64M", "instances.made": MARIADB},
            {"instances.settings.pool": "1G", "workload.pool": "1G", "instances.made": MARIADB},
            [("workload.pool", "1G", "64M"), ("instances.settings.pool", "1G", "64M")],
        ),
        # Devices below instances that were made alike are told; below other targets they are not.
        (
            {"device.sda.size_bytes": 7, "instances.made": MARIADB},
            {"device.sdb.size_bytes": 7, "instances.made": MARIADB},
            [("device.sda.size_bytes", UNKNOWN, "7"), ("device.sdb.size_bytes", "7", UNKNOWN)],
        ),
        (
            {"device.sda.size_bytes": 7, "instances.made": MARIADB},
            {"device.sdb.size_bytes": 7, "instances.made": MARIADB | {"device": 8}},
            [TARGETS],
        ),
        # Nothing else differs, or they were not made alike, or nobody knows how one was made.
        ({"instances.made": MARIADB}, {"instances.made": MARIADB}, [TARGETS]),
        (
            {"instances.made": MARIADB, "target.mysql.pool": 1},
            {"instances.made": MARIADB | {"cache_bytes": 8}, "target.mysql.pool": 2},
            [TARGETS, ("target.mysql.pool", "2", "1")],
        ),
        (
            {"instances.made": MARIADB, "target.mysql.pool": 1},
            {"target.mysql.pool": 2},
            [TARGETS, ("target.mysql.pool", "2", "1")],
        ),
    ],
)
def test_where_a_private_instance_listens_is_not_a_second_factor(
    of_a: dict[str, Any], of_b: dict[str, Any], differing_in: list[tuple[str, str, str]]
) -> None:
    a = system("A", job={"targets": ["mysql://127.0.0.1:1"]}, facts=of_a)
    b = system("B", job={"targets": ["mysql://127.0.0.1:2"]}, facts=of_b)
    found = compare([a, b])
    assert [rest for _, *rest in differences(found)] == [[*each] for each in differing_in]
    assert ("several-factors" in noted(found)) == (len(differing_in) > 1)


def test_a_server_s_setting_is_one_factor_also_where_its_fact_has_a_unit() -> None:
    systems = [
        system(
            name,
            job={"params": {"session_variables": {"commit_delay": delay}}},
            facts={"target.postgresql.commit_delay_us": delay, "bank.stored_transactions": 7 + delay},
        )
        for name, delay in (("A", 0), ("B", 200))
    ]
    assert differences(compare(systems)) == [("parameter", "session_variables.commit_delay", "200", "0")]


SYNCHRONOUS = "target.sqlite.synchronous"


@pytest.mark.parametrize(
    ("of_a", "of_b", "factor"),
    [
        ({}, {"synchronous": "normal"}, ("parameter", "synchronous", "full", "normal")),
        ({"synchronous": "normal"}, {}, ("parameter", "synchronous", "normal", "full")),
        ({}, {"synchronous": "full"}, None),
        ({}, {}, None),
    ],
)
def test_an_unset_parameter_has_its_default_value(
    of_a: dict[str, str], of_b: dict[str, str], factor: tuple[str, str, str, str] | None
) -> None:
    a, b = (
        system(
            name,
            job={"params": params},
            defaults={"synchronous": "full", "customers": 100_000},
            facts={SYNCHRONOUS: params.get("synchronous", "full")},
        )
        for name, params in (("A", of_a), ("B", of_b))
    )
    found = [(each.kind, each.name, each.of_base, each.of_system) for each in differing(a, b)]
    assert found == ([factor] if factor else [])


def test_a_default_that_depends_on_the_machine_is_one_factor_with_its_fact() -> None:
    a, b = (
        system(name, job={"params": params}, facts={"scan.threads": threads})
        for name, params, threads in (("A", {}, 2), ("B", {"threads": 1}, 1))
    )
    assert [(each.kind, each.name) for each in differing(a, b)] == [("parameter", "threads")]


def test_what_came_of_a_run_is_no_factor() -> None:
    counted = {"http.requests": [1], "environment.load_average_1_minute": 0.1, "fleet.lost": ["agent 2"]}
    a = system("A", facts={"kernel.release": "6.1", "host.name": "a"})
    b = system("B", facts={"kernel.release": "6.12", "host.name": "b", **counted})
    assert [each.name for each in differing(a, b)] == ["kernel.release"]
    assert b.facts["http.requests"] == [1], "it is still told"


def test_a_lost_load_process_is_no_factor() -> None:
    def with_agents(name: str, count: int, **lost: list[str]) -> System:
        fleet = {"agents": count, "hosts": ["h1", "h2"][:count], "clock_errors_s": [0.0] * count, **lost}
        facts = {f"fleet.{fact}": value for fact, value in fleet.items()}
        return system(name, facts=facts)

    a, b = with_agents("A", 2), with_agents("B", 1, lost=["agent 2 was lost"])
    assert a.facts["fleet.most_agents"] == 2
    assert [*differing(a, b)] == []
