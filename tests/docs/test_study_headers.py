"""The commands in the headers of the studies of directories do what they say, from start to removal.

Only sizes, times and the number of levels are smaller, and the folders are the test's own.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from shell import carried_out

from checks import tree
from igen.instances import control
from igen.instances.instance import Instance
from tests.needed import needs
from tests.own_ports import free_distance, moved

BIN = tree.ROOT / ".venv" / "bin"
STUDIES = tree.ROOT / "studies"
OWN_FOLDER = "/var/tmp/igen-directory"
SHORTER = (
    (r'(measure|warmup)_s = "\d+s"', r'\1_s = "0.2s"'),
    (r"repeats = 3", "repeats = 1"),
    (r"entries(=| = )(\d+)000\b", r"entries\1\2"),
    (r'"load.closed.users" = .*', '"load.closed.users" = [4]'),
)


def commands(study: str) -> list[str]:
    """Lines of the header that are indented by three spaces, joined where they go on."""
    header = study.partition("\nname = ")[0]
    text = "\n".join(line.removeprefix("#") for line in header.splitlines()).replace("\\\n", " ")
    return [" ".join(line.split()) for line in text.splitlines() if re.match(r" {3}igen ", line)]


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where the instances are: the accounts of servers may not enter a test's usual folder."""
    with TemporaryDirectory(prefix="igen-studies-", dir="/var/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)
        for instance in _left(Path(name)):
            control.remove(instance)


def _left(folder: Path) -> list[Instance]:
    """Instances in the folder and in those within it."""
    return [one for place in (folder, *folder.glob("*/")) for one in control.selected(place, None)]


def run(name: str, tmp_path: Path, folder: Path) -> dict[str, Any]:
    """The result of the study after all commands of its header."""
    text = (STUDIES / f"{name}.toml").read_text(encoding="utf-8").replace(OWN_FOLDER, str(folder))
    text = moved(text, free_distance())
    for pattern, shorter in SHORTER:
        text = re.sub(pattern, shorter, text)
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies" / f"{name}.toml").write_text(text, encoding="utf-8")
    environment = {
        **os.environ,
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "IGEN_STORE": str(tmp_path / "runs"),
        "IGEN_INSTANCES": str(folder),
    }

    def run_line(command: str) -> str:
        done = carried_out(command, tmp_path, environment)
        assert done.returncode == 0, f"$ {command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    for command in commands(text):
        run_line(command)
    assert _left(folder) == [], "the last command removes all"
    result: dict[str, Any] = json.loads(run_line("igen show last --json"))
    return {system["name"]: system for system in result["systems"]}


def _directory(level: dict[str, Any]) -> dict[str, Any]:
    (part,) = [part for part in level["aspects"] if part["kind"] == "directory"]
    return dict(part)


# 8 s: tests/e2e/test_directory.py runs the same workloads.
@pytest.mark.slow
@needs("openldap")
def test_directory(tmp_path: Path, folder: Path) -> None:
    systems = run("directory", tmp_path, folder)
    assert list(systems) == [
        "iGenLDAPs",
        "benchmarketing, not comparable",
        "iGenLDAPsm",
        "iGenLDAPsm without modify",
    ]
    searches, market, logins, without = systems.values()
    assert [
        sum(len(part["tables"]) for part in system["aspects"] if part["kind"] == "published")
        for system in systems.values()
    ] == [1, 0, 1, 0]
    assert [system["facts"]["target.ldap.access_log"] for system in (searches, market)] == [
        "loglevel Stats",
        "loglevel 0",
    ]
    operations = [_directory(system["levels"][0])["operations"] for system in (logins, without)]
    # Logins in flight at the edges of the measurement are counted in part.
    in_part = 40 / min(system["levels"][0]["transactions"] for system in (logins, without))
    assert [each["each"] for each in operations] == pytest.approx([10, 9], abs=1 + in_part)
    for system in systems.values():
        (level,) = system["levels"]
        assert level["errors"] == 0
        check = _directory(level)["cross_check"]
        assert check["sent"] == check["counted"]
        assert system["facts"]["target.ldap.waits_for_disk"] is True


# 12 s: up to four servers that are set up as in the study above.
@pytest.mark.slow
@needs("openldap")
def test_directory_federation(tmp_path: Path, folder: Path) -> None:
    systems = run("directory-federation", tmp_path, folder)
    assert [system["levels"][0]["instances"] for system in systems.values()] == [1, 2, 4, 1]
    for system in systems.values():
        (level,) = system["levels"]
        assert (level["errors"], level["transactions"] > 0) == (0, True)
