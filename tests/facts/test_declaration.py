"""Facts are declared: their subject, whether they are factors, and the names of families."""

from __future__ import annotations

import json
import lzma
import subprocess
from pathlib import Path

import pytest

from igen.facts import HOST_NAME, SESSIONS_OTHERS, STORAGE_MODEL, TARGET_VERSION, TUNABLES
from igen.facts.declaration import (
    DECLARED,
    declared,
    is_factor,
    name_for_load,
    own_name,
    subject_of,
    work_facts,
)
from tests.golden.recorded_run import FOLDER


@pytest.mark.parametrize(
    ("name", "subject", "factor"),
    [
        ("cpu.model", "machine", True),
        ("cpu.current_mhz", "machine", False),
        ("cpu.l1_data_cache_bytes", "machine", True),
        ("storage.vda.free_bytes", None, True),
        ("storage.working_directory.free_bytes", "machine", False),
        ("fleet.2.cpu.model", "machine", True),
        ("fleet.2.host.uptime_s", "machine", False),
        ("fleet.agents", "run", False),
        ("personas.buyers.io.block_bytes", "run", False),
        ("tunables.vm.swappiness", "tunable", True),
        ("tunables.hash", "run", False),
        ("target.postgresql.fsync", "server", True),
        ("target.postgresql.work_mem", "server", True),
        ("target.sqlite.database_bytes", "server", False),
        ("target.cache_hits", "run", False),
        ("instances.settings.innodb.pool", "instance", True),
        ("sessions.others.db.example:1/shop", "run", False),
        ("weather.degrees", None, True),
    ],
)
def test_a_fact_has_a_subject_and_may_be_a_factor(name: str, subject: str | None, factor: bool) -> None:
    assert (subject_of(name), is_factor(name)) == (subject, factor)


def test_the_part_of_a_family_comes_back() -> None:
    for family, part in ((STORAGE_MODEL, "vda"), (TUNABLES, "vm.swappiness"), (SESSIONS_OTHERS, "h:1/db")):
        assert family.part(family.of(part)) == part
        assert family.part(HOST_NAME) is None
    assert TARGET_VERSION.of("ldap") == "target.ldap.version"
    assert TARGET_VERSION.part("target..version") is None


def test_the_load_and_the_agent_of_a_fact_are_left_out() -> None:
    assert own_name("personas.buyers.web.requests") == "web.requests"
    assert own_name("fleet.3.personas.buyers.web.requests") == "web.requests"
    assert own_name("fleet.lost") == "fleet.lost"


@pytest.mark.parametrize(
    ("name", "of_buyers", "of_clerks"),
    [
        ("io.direct", "io.direct", "io.direct"),
        ("personas.buyers.io.direct", "io.direct", None),
        ("fleet.2.io.direct", "fleet.2.io.direct", "fleet.2.io.direct"),
        ("fleet.2.personas.buyers.io.direct", "fleet.2.io.direct", None),
        ("fleet.lost", "fleet.lost", "fleet.lost"),
    ],
)
def test_a_load_has_its_own_facts_and_those_of_all(name: str, of_buyers: str, of_clerks: str | None) -> None:
    assert name_for_load(name, "buyers") == of_buyers
    assert name_for_load(name, "clerks") == of_clerks


def test_facts_that_change_the_work_are_known() -> None:
    assert {*work_facts()} == {
        "command.output", "io.block_bytes", "scan.table", "scan.predicate", "ldap.attributes", "mem.kernels",
    }  # fmt: skip


def facts_of_recordings() -> set[str]:
    names = set()
    for path in Path(FOLDER).glob("*.xz"):
        for line in lzma.decompress(path.read_bytes()).splitlines():
            if b'"fact"' in line[:10]:
                names.add(json.loads(line)["fact"]["name"])
    return names


def test_each_fact_that_was_recorded_is_declared() -> None:
    names = facts_of_recordings()
    assert len(names) > 100
    assert [name for name in sorted(names) if declared(name) is None] == []


def test_each_fact_of_this_machine_is_declared_with_its_type() -> None:
    printed = subprocess.run(["igen-agent", "facts"], check=True, capture_output=True, text=True).stdout
    facts = {
        fact["name"]: fact["value"] for fact in (json.loads(line)["fact"] for line in printed.splitlines())
    }
    assert {"cpu.processors", "memory.total_bytes"} <= facts.keys() & DECLARED.keys()
    assert [name for name in facts if declared(name) is None] == []
    assert [name for name in facts if (found := declared(name)) and not found.has(facts[name])] == []
