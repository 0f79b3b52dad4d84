from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from igen.store.active import ActiveRun, process_of
from igen.store.own_process import OwnProcess, this_process


def test_a_run_that_goes_on_names_its_process(tmp_path: Path) -> None:
    with ActiveRun(tmp_path, "a"):
        found = process_of(tmp_path, "a")
        assert found == this_process()
        descriptor = found.opened() if found else None
        assert descriptor is not None
        os.close(descriptor)
    assert process_of(tmp_path, "a") is None


@pytest.mark.parametrize(
    "other",
    [
        {"started_ticks": this_process().started_ticks - 1},
        {"boot": "another start"},
        {"pid_namespace": "pid:[1]"},
        {"pid": 0},
        {"pid": -1},
        {"pid": 1 << 40},
    ],
)
def test_what_only_has_its_number_is_another_process(other: dict[str, object]) -> None:
    before = os.listdir("/proc/self/fd")
    assert replace(this_process(), **other).opened() is None
    assert os.listdir("/proc/self/fd") == before


def test_a_process_that_has_ended_is_not_opened() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    found = this_process()
    assert OwnProcess(ended.pid, found.started_ticks, found.boot, found.pid_namespace).opened() is None


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[]", b'{"pid": "x"}'])
def test_a_mark_that_names_no_process_is_no_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".active").mkdir()
    (tmp_path / ".active" / "a").write_bytes(content)
    assert process_of(tmp_path, "a") is None
