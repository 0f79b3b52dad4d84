from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from igen.cluster import head, home

PROGRAM = """#!/bin/sh
# Stands in for Ray: says what it was asked for and with which variables, and goes on until it is ended.
printf '%s\\n' "$@" >{folder}/arguments
env >{folder}/variables
[ -e {folder}/fails ] && {{ echo "there is no room"; exit 1; }}
echo "Ray runtime started."
[ "$2" = --head ] || exit 0
sleep 600 &
wait
"""


@pytest.fixture
def ray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder in which a program that stands in for Ray tells what it was asked for."""
    folder = tmp_path / "ray"
    folder.mkdir()
    program = folder / "ray"
    program.write_text(PROGRAM.format(folder=folder))
    program.chmod(stat.S_IRWXU)
    monkeypatch.setattr(home, "ray_program", lambda: str(program))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("RAY_AUTH_MODE", "RAY_USE_TLS", "RAY_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    yield folder
    head.down()
