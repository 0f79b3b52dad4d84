"""Each check from the lines of a jobs file to its sentence: a run that has it, and one that has not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from igen.aspects.server.parts import Server
from igen.judge import result_of
from igen.judge.result import Figure, Result, ThresholdAnswer
from igen.judge.trust.rules import RULES
from igen.lint.checks import OF_RESULT, OF_SYSTEM, findings, not_known, unsaid
from igen.lint.claims import closed_percentile
from igen.lint.finding import Doubt
from igen.printed import printed
from igen.report.sections.lint import lint
from igen.say import advise
from tests.judge import test_personas as personas
from tests.lint.results import FAR, MYSQL, POSTGRESQL, SQLITE, recordings, result, result_with

NO_SQLITE = dict.fromkeys(SQLITE)
"""Facts that are not known."""
HAVING: list[tuple[str, dict[str, Any], str]] = [
    ("durability", {"facts": {"target.sqlite.synchronous": "off"}}, "synchronous = off"),
    ("durability", {"facts": {"target.sqlite.synchronous": "normal"}}, "synchronous = normal"),
    (
        "durability",
        {"facts": {**NO_SQLITE, **POSTGRESQL, "target.postgresql.fsync": "off"}, "job": FAR},
        "fsync = off",
    ),
    (
        "durability",
        {
            "facts": {**NO_SQLITE, **MYSQL, "target.mysql.innodb_flush_log_at_trx_commit": 2},
            "job": {"targets": ["mysql://db.far/shop"]},
        },
        "innodb_flush_log_at_trx_commit = 2",
    ),
    (
        "durability",
        {
            "facts": {**NO_SQLITE, "target.ldap.waits_for_disk": False},
            "job": {"workload": "ldap-modify", "targets": ["ldap://dir.far/dc=a"], "params": {}},
        },
        "dbnosync",
    ),
    ("in memory", {"facts": {"storage.working_directory.file_system": "tmpfs"}}, "shop.db is in tmpfs"),
    ("in memory", {"job": {"targets": ["sqlite:////dev/shm/a.db"]}}, "/dev/shm/a.db is in tmpfs"),
    ("working set", {"facts": {"target.sqlite.database_bytes": 1 << 20}}, "the database of 1 MiB"),
    (
        "working set",
        {
            "job": {"workload": "io", "targets": ["file:///data/f"], "params": {"read": 100}},
            "facts": {**NO_SQLITE, "io.direct": False, "io.size_bytes": 1 << 20},
        },
        "files of 1 MiB against 1 GiB of memory",
    ),
    (
        "accessed",
        {
            "facts": {
                **NO_SQLITE,
                "ldap.tree": "10000 entries of one's own tree below x, 20 of them accessed, chosen at random",
                "ldap.entries": 10_000,
                "ldap.accessed_entries": 20,
            },
            "job": {"workload": "ldap-search", "targets": ["ldap://dir.far/dc=a"], "params": {}},
        },
        "20 of 10,000 entries are accessed, 0.2 %",
    ),
    ("nothing returned", {"rows": 0}, "no rows_read in "),
    ("few keys", {"job": {"params": {"customers": 200}}}, "customers = 200"),
    (
        "attributes",
        {
            "facts": {**NO_SQLITE, "ldap.attributes": "cn"},
            "job": {"workload": "ldap-search", "targets": ["ldap://dir.far/dc=a"], "params": {}},
        },
        "attributes returned: cn",
    ),
    ("window", {"seconds": 30}, "a window of 30 s"),
    (
        "window",
        {
            "facts": {**NO_SQLITE, **POSTGRESQL, "target.postgresql.checkpoint_timeout": "5min"},
            "job": FAR,
        },
        "a window of 1.5 min, a checkpoint every 5 min",
    ),
    ("one run", {"repeats": 1}, "3 levels of 3 measured once"),
    ("last level", {"users": (1, 2)}, "the highest throughput is at the highest load tried"),
    (
        "shared processors",
        {"facts": {**NO_SQLITE, **POSTGRESQL}, "job": {"targets": ["postgresql://igen@127.0.0.1:5501/shop"]}},
        "load and server share the processors of one machine",
    ),
    ("governor", {"facts": {"cpu.governor": "powersave"}}, "the frequency governor is powersave"),
    ("turbo", {"facts": {"cpu.turbo": True}}, "turbo is on"),
]
NOT_HAVING: dict[str, dict[str, Any]] = {
    "a database in process": {},
    "PostgreSQL elsewhere": {"facts": {**NO_SQLITE, **POSTGRESQL}, "job": FAR},
    "MariaDB elsewhere": {
        "facts": {**NO_SQLITE, **MYSQL},
        "job": {"targets": ["mysql://igen@db.far/shop"]},
    },
    "not durable, and only read": {
        "facts": {"target.sqlite.synchronous": "off", "storage.working_directory.file_system": "tmpfs"},
        "job": {"params": {"read_only": True, "customers": 100_000}},
    },
    "direct I/O on a small file": {
        "facts": {**NO_SQLITE, "io.direct": True, "io.size_bytes": 1 << 20},
        "job": {"workload": "io", "targets": ["file:///data/f"], "params": {}},
    },
    "all attributes of a tenth of the entries": {
        "facts": {
            **NO_SQLITE,
            "ldap.attributes": "all",
            "ldap.entries": 10_000,
            "ldap.accessed_entries": 1000,
        },
        "job": {"workload": "ldap-search", "targets": ["ldap://dir.far/dc=a"], "params": {"entries": 10_000}},
    },
}


def words(of: Doubt) -> str:
    return printed(advise(of.finding).found)


def subjects(of: Result) -> set[str]:
    return {each.subject for each in findings(of)}


@pytest.mark.parametrize(("subject", "made", "text"), HAVING, ids=[f"{row[0]}: {row[2]}" for row in HAVING])
def test_what_is_there_is_found(subject: str, made: dict[str, Any], text: str) -> None:
    found = [each for each in findings(result_with(**made)) if each.subject == subject]
    assert len(found) == 1
    assert text in words(found[0])


@pytest.mark.parametrize("name", NOT_HAVING)
def test_nothing_is_found_where_nothing_is(name: str) -> None:
    assert subjects(result_with(**NOT_HAVING[name])) == set()


def test_no_rule_is_said_by_a_rule_that_nobody_has() -> None:
    assert RULES.keys() >= {rule for each in RULES.values() for rule in each.said_by}


def test_each_check_has_a_run_that_has_it() -> None:
    elsewhere = {"hit ratio"}  # needs the readings of a server: below
    assert {row[0] for row in HAVING} | elsewhere == set(OF_SYSTEM)
    assert set(OF_RESULT) == {"machines", "factors", "interleaved", "percentile"}


def test_without_facts_nothing_is_found_and_it_is_said_what_is_not_known() -> None:
    facts = {**NO_SQLITE, **dict.fromkeys(("cpu.governor", "cpu.turbo", "memory.total_bytes"))}
    facts |= {"target.sqlite.version": "3.54"}
    bare = result_with(facts, {"targets": ["sqlite:////data/shop.db"]})
    assert subjects(bare) == set()
    unknown = {each.subject for each in not_known(bare)}
    assert unknown == {"durability", "in memory", "working set", "governor", "turbo"}


@pytest.mark.parametrize(
    ("flush_method", "database_bytes", "found"),
    [
        ("fsync", 1 << 30, ["the database of 1 GiB against 1 GiB of the host's memory"]),
        ("O_DIRECT", 1 << 30, []),
        ("O_DIRECT_NO_FSYNC", 1 << 30, []),
        ("O_DIRECT", 1 << 27, ["the database of 128 MiB against 128 MiB of the server's cache"]),
    ],
)
def test_what_is_read_directly_does_not_come_from_the_page_cache(
    flush_method: str, database_bytes: int, found: list[str]
) -> None:
    """Half of a database was in the server's cache: *reads come from memory* was said of both halves."""
    facts = {
        **NO_SQLITE,
        **MYSQL,
        "target.mysql.innodb_flush_method": flush_method,
        "target.mysql.database_bytes": database_bytes,
    }
    of = result_with(facts=facts, job={"targets": ["mysql://igen@127.0.0.1:13306/igen"]})
    assert [words(each) for each in findings(of) if each.subject == "working set"] == found


@pytest.mark.parametrize(
    ("made", "subject"),
    [({"repeats": 1}, "one run"), ({"users": (1, 2)}, "last level")],
)
def test_the_report_does_not_say_what_the_verdict_has_said(made: dict[str, Any], subject: str) -> None:
    of = result_with(**made)
    assert subject in subjects(of)
    assert subject not in {each.subject for each in unsaid(of, findings(of))}


def test_the_report_has_a_line_each() -> None:
    section = lint(result_with({"cpu.turbo": True, "target.sqlite.synchronous": "off"}, seconds=30))
    assert section is not None
    (items,) = section.blocks
    lines = [printed(entry) for entry in items.entries]  # type: ignore[union-attr]
    assert [line.partition(" (")[0] for line in lines] == [
        "Synchronous = off",
        "A window of 30 s",
        "Turbo is on",
    ]
    assert lint(result_with()) is None


def test_comparisons() -> None:
    both = result(
        recordings(system="A", run="run-a"),
        recordings(
            {"cpu.governor": "powersave", "target.sqlite.journal_mode": "delete"}, system="B", run="run-b"
        ),
    )
    found = {each.subject: each for each in findings(both)}
    assert found["interleaved"].of == ("B", "A")
    assert words(found["factors"]) == "2 settings differ: cpu.governor, target.sqlite.journal_mode"
    assert (
        words(found["machines"])
        == "different settings: the frequency governor (powersave against performance)"
    )
    assert {"factors", "interleaved"}.isdisjoint({each.subject for each in unsaid(both, found.values())})
    alike = result(recordings(system="A"), recordings(system="B"))
    assert subjects(alike) == set()


def with_hit_percent(percent: float | None) -> Result:
    """A result whose server has counted that share."""
    of = result_with({**NO_SQLITE, **POSTGRESQL}, FAR)
    (system,) = of.systems
    level = system.levels[0]
    server = Server(
        engine="postgresql",
        servers=1,
        commits_per_s=None,
        rollbacks_per_s=None,
        cache_hit_percent=percent,
        checkpoints=None,
        deadlocks=None,
        lock_waits_per_s=None,
        cpu_percent=None,
        cpu_us_per_transaction=None,
        read_bytes_per_s=None,
        active_sessions=None,
        moments=0,
        session_samples=0,
        kinds=[],
        waits=[],
        others=[],
        sees_others=None,
        commits_of_others_percent=None,
    )
    levels = [replace(level, aspects=[*level.aspects, server]), *system.levels[1:]]
    return replace(of, systems=[replace(system, levels=levels)])


def test_the_servers_own_hit_ratio() -> None:
    (found,) = findings(with_hit_percent(99.72))
    assert words(found) == "99.72 % of the pages came from the server's cache"
    assert findings(with_hit_percent(90.0)) == []
    (unknown,) = [each for each in not_known(with_hit_percent(None)) if each.subject == "hit ratio"]
    assert unknown.finding.rule == "hit-ratio-unknown"


def test_a_percentile_of_a_closed_load() -> None:
    of = result_with()
    answer = ThresholdAnswer(
        threshold="p99 of response > 20ms",
        figure="p99 of response",
        system="A",
        level=0,
        users=1,
        offered_per_s=None,
        above=True,
        answer="held",
        fails=False,
        value=Figure(value=1.0, low=None, high=None, n=3),
        limit=20.0,
        unit="ms",
    )
    (found,) = findings(replace(of, thresholds=[answer]))
    assert "`p99 of response > 20ms`" in words(found)
    throughput = replace(answer, threshold="throughput < 5/s", figure="throughput")
    assert findings(replace(of, thresholds=[throughput])) == []


def test_a_percentile_of_a_persona_whose_load_is_closed() -> None:
    of_a = [personas.usual(repeat, system="A") for repeat in range(5)]
    of_b = [personas.usual(repeat, 30.0, system="B") for repeat in range(5)]
    of = result_of(personas.read([*of_a, *of_b]))
    assert {system.load_model for system in of.systems} == {"several"}
    (p99,) = [each for each in of.ratios if (each.quantity, each.load) == ("p99 response time", "clerks")]
    claimed = replace(p99, answer="slower")
    (found,) = closed_percentile(replace(of, ratios=[claimed]))
    assert (found.part("side").text, found.part("answer").text) == ("B (clerks)", "slower")
    assert [*closed_percentile(replace(of, ratios=[replace(claimed, load="orders")]))] == []
