"""What can destroy, run, read, reach or take more than a look is found in every spelling."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from igen.dangers.find import REMOVED, all_dangers, changed, dangers
from igen.study.scenario import with_scenario
from igen.study.shipped import shipped_folder

FILES = [
    "file:///dev/loop0",
    "file:////dev/loop0",
    "file://localhost/dev/loop0",
    "file:/dev/loop0",
    "file:dev/../../../../../../../../../../dev/loop0",
    "FILE:///dev/loop0",
    " file:///dev/loop0",
    "file:///tmp/../dev/loop0",
    "file:///tmp//..//dev/./loop0",
    "file:///tmp/%2e%2e/dev/loop0",
    "file:///%64ev/loop0",
    "file:///tmp/x?/../../dev/loop0",
    "file:///{dev,tmp}/loop0",
    "file:///d{e}v/loop{0..3}",
    "file:///a\0",
    "file:///data/f",
    "file:///tmp/.hidden",
    "file:///tmp/folder/f",
    "sqlite:////etc/cron.d/x",
    "sqlite:///etc/cron.d/x",
    "sqlite:///../x",
    "sqlite:///.bashrc",
    "SQLITE:////etc/cron.d/x",
    "duckdb:////etc/cron.d/x",
    "duckdb:///./../x",
    "ldap://cn=admin@127.0.0.1/dc=x?password_file=/root/.ssh/id_rsa",
    "postgresql://127.0.0.1/x?host=/tmp/socket",
    "postgresql://127.0.0.1/x?sslrootcert=/etc/passwd",
    "mysql://127.0.0.1/x?sslmode=disable&socket=/tmp/x",
]
HOSTS = [
    "http://db.lab",
    "http://203.0.113.1",
    "http://localhost.example.com/",
    "http://127.0.0.1.example.com/",
    "http://127.0.0.1@203.0.113.1/",
    "http://203.0.113.1/@127.0.0.1/",
    "http://203.0.113.1\\@127.0.0.1/",
    "http://203.0.113.1?@127.0.0.1/",
    "http://203.0.113.1#@127.0.0.1/",
    "http://2130706433/",
    "http://0.0.0.0/",
    "http://[::ffff:203.0.113.1]/",
    "http://{127.0.0.1,203.0.113.1}:80/",
    "postgresql://igen@db.lab/shop",
    "mysql://db.lab/shop",
    "ldaps://dir.lab/dc=x",
    "ldapi://%2Ftmp%2Fldapi/dc=x",
    "gopher:x",
    "",
]
AT_HAND = [
    "file:///tmp/f",
    "file:///var/tmp/igen-volume-{1..4}",
    "file:///dev/shm/f",
    "sqlite:///igen-oltp.sqlite",
    "sqlite:///dev",
    "duckdb:////tmp/scan 1.duckdb",
    "http://127.0.0.1:{14080..14083}",
    "https://localhost/shop",
    "http://[::1]:8080/",
    "postgresql://igen@127.0.0.1:15432/igen?sslmode=require",
    "ldap://cn=admin,dc=example,dc=com@127.0.0.1:13891/dc=example,dc=com",
]


def kinds(study: dict[str, Any], folder: Path = Path("/nowhere")) -> list[str]:
    """The kinds of danger that a study has."""
    return [each.kind for each in dangers(study, folder)]


def of_http(**params: Any) -> dict[str, Any]:
    return {"job": {"workload": "web", "params": params}}


@pytest.mark.parametrize("target", FILES)
def test_a_file_elsewhere_is_one_however_it_is_written(target: str) -> None:
    assert kinds({"job": {"targets": [target]}}) in (["file"], ["unknown"])


@pytest.mark.parametrize("target", HOSTS)
def test_another_machine_is_one_however_it_is_written(target: str) -> None:
    assert kinds({"job": {"targets": [target]}}) in (["host"], ["unknown"])


@pytest.mark.parametrize("target", AT_HAND)
def test_this_machine_and_files_at_hand_are_harmless(target: str) -> None:
    assert kinds({"job": {"targets": [target]}}) == []


def test_a_link_is_where_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/dev/null")
    (tmp_path / "folder").symlink_to("/dev")
    (tmp_path / "here").symlink_to(tmp_path / "there")
    found = {name: kinds({"job": {"targets": [f"sqlite:///{name}"]}}, tmp_path) for name in ("link", "here")}
    assert found == {"link": ["file"], "here": []}
    assert kinds({"job": {"targets": ["sqlite:///folder/sda"]}}, tmp_path) == ["file"]


ATTACKS: dict[str, tuple[str, dict[str, Any]]] = {
    "a file as a secret": ("secret", of_http(scenario={"secrets": {"k": "file:/etc/passwd"}})),
    "a variable as a secret": ("secret", of_http(scenario={"secrets": {"k": "env:IGEN_X"}})),
    "a variable in a header": (
        "secret",
        {"job": {"workload": "http", "params": {"headers": {"X": "env:IGEN_X"}}}},
    ),
    "a scenario in a file": ("file", of_http(scenario="@/etc/passwd")),
    "a scenario of a persona in a file": (
        "file",
        {"job": {"workload": "web", "personas": {"a": {"params": {"scenario": "@/etc/passwd"}}}}},
    ),
    "keys in a file": ("secret", {"job": {"workload": "ldap-bind", "params": {"keys": "@/etc/passwd"}}}),
    "a public host": ("permission", of_http(i_may_load=["example.com"])),
    "a public host as text": ("permission", of_http(i_may_load="example.com")),
    "ssh": ("login", {"tiers": [{"name": "db", "host": "ssh://db1"}], "job": {"workload": "noop"}}),
    "ssh in the job": ("login", {"job": {"workload": "noop", "tiers": [{"name": "d", "host": "ssh://d"}]}}),
    "ssh along an axis": (
        "login",
        {"job": {"workload": "noop"}, "axes": {"tiers": [[{"name": "d", "host": "ssh://d"}]]}},
    ),
    "a container": (
        "program",
        {"job": {"workload": "noop", "tiers": [{"name": "d", "match": {"container": "--help"}}]}},
    ),
    "a Ray cluster": ("login", {"job": {"workload": "noop"}, "fleet": {"address": "ray://evil:10001"}}),
    "a Ray cluster that it is in": ("login", {"job": {"workload": "noop"}, "fleet": {"address": "auto"}}),
    "an open cluster": ("permission", {"job": {"workload": "noop"}, "fleet": {"insecure": True}}),
    "a file anywhere": ("file", {"job": {"workload": "oltp", "targets": ["sqlite:////etc/cron.d/x"]}}),
    "a ledger anywhere": ("file", {"job": {"workload": "io", "params": {"ledger": "/etc/cron.d"}}}),
    "a log of queries": (
        "unknown",
        {"job": {"workload": "scan", "params": {"session_variables": {"log_query_path": "/etc/x"}}}},
    ),
    "a program": ("program", {"job": {"workload": "command"}}),
    "a program along an axis": (
        "program",
        {"job": {"workload": "noop"}, "axes": {"workload": ["noop", "command"]}},
    ),
    "a parameter of another workload": ("unknown", {"job": {"workload": "cpu", "params": {"run": "id"}}}),
    "a parameter of a system's workload": (
        "unknown",
        {
            "job": {"workload": "http", "params": {"path": "/"}},
            "systems": [{"name": "a", "job": {"workload": "cpu"}}],
        },
    ),
    "force": ("permission", {"job": {"workload": "cpu"}, "axes": {"force": [True]}}),
    "passwords of the account": ("permission", {"job": {"workload": "oltp", "credentials": "own"}}),
    "data of others": ("permission", {"job": {"workload": "io", "i_own_this_data": True}}),
    "removal": ("data", {"job": {"workload": "io", "steps": ["cleanup"]}}),
    "priority": ("rights", {"job": {"workload": "cpu", "placement": {"scheduling": "fifo"}}}),
    "a target of a system": (
        "file",
        {"job": {"workload": "io"}, "systems": [{"name": "a", "job": {"targets": ["file:///dev/sda"]}}]},
    ),
    "a target of a test": (
        "file",
        {"job": {"workload": "io"}, "tests": [{"name": "a", "job": {"targets": ["file:///dev/sda"]}}]},
    ),
    "a table along an axis": (
        "file",
        {"job": {"workload": "io"}, "axes": {"params": [{"ledger": "/etc"}]}},
    ),
    "a name that nobody knows": ("unknown", {"job": {"workload": "cpu", "hook": "x"}}),
    "a field of the study that nobody knows": ("unknown", {"job": {"workload": "cpu"}, "hook": {"a": [1]}}),
}
"""By what they do: the kind of danger, and a study."""


@pytest.mark.parametrize("name", ATTACKS)
def test_each_attack_is_found(name: str) -> None:
    kind, study = ATTACKS[name]
    assert kinds(study) == [kind]


def test_a_permission_that_is_not_asked_for_is_harmless() -> None:
    study = {"job": {"workload": "cpu", "force": False}, "axes": {"users": [1], "load.closed.users": [1]}}
    assert kinds(study) == []


def test_a_workload_of_a_test_has_its_own_parameters() -> None:
    tests = [
        {"name": "R1", "job": {"workload": "ldap-bind"}},
        {"name": "R2", "job": {"workload": "ldap-mixed", "params": {"bind_weight": 1}}},
    ]
    assert kinds({"job": {"workload": "ldap-bind", "params": {"entries": 2}}, "tests": tests}) == []


def test_the_word_of_a_danger_is_one_line() -> None:
    (found,) = dangers({"job": {"targets": ["file:///a\n\x1b[2J"]}})
    assert found.word.isprintable()


@pytest.mark.parametrize("name", ATTACKS)
def test_a_study_without_its_dangers_is_harmless(name: str) -> None:
    _, study = ATTACKS[name]
    assert kinds(changed(study, lambda _: REMOVED)) == []
    assert changed(study, lambda each: each.value) == study


def test_each_place_of_a_danger_is_found() -> None:
    study = {
        "job": {"workload": "web", "params": {"scenario": {"secrets": {"k": "env:IGEN_K"}}}},
        "systems": [{"name": "b", "job": {"params": {"scenario": {"secrets": {"k": "env:IGEN_K"}}}}}],
        "axes": {"params.scenario.secrets.k": ["env:IGEN_A", "file:/b"]},
    }
    found = [(each.place, each.name, each.value) for each in all_dangers(study)]
    along = "axes.params.scenario.secrets.k"
    assert found == [
        ("job.params.scenario.secrets.k", "k", "env:IGEN_K"),
        ("systems[0].job.params.scenario.secrets.k", "k", "env:IGEN_K"),
        (along, "k", "env:IGEN_A"),
        (along, "k", "file:/b"),
    ]


def test_a_part_is_removed_with_what_means_nothing_without_it() -> None:
    here, there = {"name": "web"}, {"name": "db", "host": "ssh://db"}
    job = {"workload": "http", "tiers": [here, there], "params": {"i_may_load": ["x"], "path": "/"}}
    study = {"job": job, "axes": {"tiers": [[there]], "force": [True], "load.closed.users": [1]}}
    assert changed(study, lambda _: REMOVED) == {
        "job": {"workload": "http", "tiers": [here], "params": {"path": "/"}},
        "axes": {"tiers": [[]], "load.closed.users": [1]},
    }


HARMLESS_STUDIES = {
    *("advice-buffer-pool", "advice-commits", "advice-huge-pages", "bank", "block-by-depth", "cpu"),
    "chip-or-system",
    *("flash-card", "group-commit", "group-commit-mariadb", "memory", "model-stall", "mysql-scaling"),
    *(
        "bi-superset",
        "crm-tryton",
        "directory-federation",
        "oltp-sqlite",
        "postgresql-scaling",
        "ram",
        "storage-for-a-database",
        "table-scans",
        "volumes",
    ),
    *("web", "web-cache", "web-cluster"),
}


def test_most_shipped_studies_are_harmless() -> None:
    found = {}
    for path in shipped_folder().glob("*.toml"):
        table = tomllib.loads(path.read_text())
        with_scenario(table, path.parent)
        found[path.stem] = list(map(str, dangers(table)))
    assert {name for name, each in found.items() if not each} == HARMLESS_STUDIES
