from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from igen.errors import IgenError
from igen.store.active import ActiveRun, active_runs

HOLD = """
import sys
from pathlib import Path
from igen.store.active import ActiveRun
ActiveRun(Path(sys.argv[1]), "killed")
print("locked", flush=True)
sys.stdin.read()
"""


def test_runs_see_each_other_while_they_go_on(tmp_path: Path) -> None:
    with ActiveRun(tmp_path, "a") as first:
        assert first.others() == 0
        with ActiveRun(tmp_path, "b") as second:
            assert (first.others(), second.others()) == (1, 1)
            assert active_runs(tmp_path) == {"a", "b"}
        assert first.others() == 0
    assert active_runs(tmp_path) == set()


def test_a_run_that_was_killed_is_not_active(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        assert active_runs(tmp_path) == {"killed"}
        process.kill()
        process.wait()
        assert active_runs(tmp_path) == set()
    assert list((tmp_path / ".active").iterdir()) == []


def test_a_file_in_place_of_the_folder_is_an_error_with_its_place(tmp_path: Path) -> None:
    (tmp_path / ".active").write_text("in the way")
    with pytest.raises(IgenError, match="cannot write") as caught:
        ActiveRun(tmp_path, "a")
    assert caught.value.where == str(tmp_path / ".active" / "a")
    assert "--store" in caught.value.hint
    assert active_runs(tmp_path) == set()


def test_a_file_system_without_locks_is_an_error_and_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_descriptor: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    before = os.listdir("/proc/self/fd")
    with pytest.raises(IgenError, match="no locks available"):
        ActiveRun(tmp_path, "a")
    assert os.listdir("/proc/self/fd") == before
    assert active_runs(tmp_path) == set()
