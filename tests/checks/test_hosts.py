"""Packages come by their own clients, which know mirrors and proxies: no program names a host."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from checks import tree

FETCHING = (
    *("bench", "checks", "python/igen/fetch", "tests/install-servers"),
    *("Makefile", "Containerfile", "action.yml"),
)
PROGRAMS = (".py", ".json", ".lock", ".yml", "")
HOST = re.compile(r"https?://([A-Za-z0-9][A-Za-z0-9.-]*)")
LOOPBACK = {"127.0.0.1", "localhost"}


def programs() -> list[Path]:
    places = [tree.ROOT / each for each in FETCHING]
    found = [path for path in tree.files() if any(path.is_relative_to(place) for place in places)]
    return [path for path in found if path.suffix in PROGRAMS and path.name != "Cargo.lock"]


@pytest.mark.parametrize("program", programs(), ids=lambda path: str(path.relative_to(tree.ROOT)))
def test_no_host_is_named(program: Path) -> None:
    assert set(HOST.findall(program.read_text(encoding="utf-8"))) <= LOOPBACK
