"""Disks that are full, files that may not be touched, recordings that were cut off."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from command_line import LONG, PATIENCE_S, Done, events, measured, state, wait_for

Igen = Callable[[str], Done]
Start = Callable[..., subprocess.Popen[str]]
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2


def obey_permissions() -> None:
    """Before a program starts: takes the privilege of overruling permissions from it, which root has."""
    system = ctypes.CDLL(None)
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        system.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 400 MB of its own."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=400m", "none", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("only root can mount a small disk, and not in every container")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Takes all the space that is left; what it returns gives it back when removed."""
    filler = disk / "filler"
    with filler.open("wb") as file:
        block = bytes(1 << 20)
        with contextlib.suppress(OSError):
            while True:
                os.write(file.fileno(), block)
    return filler


def test_a_disk_that_fills_up_under_the_store_ends_the_run(
    igen: Igen, start: Start, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = small_disk / "runs"
    monkeypatch.setenv("IGEN_STORE", str(store))
    process = start(f"run model --repeats 1 --set service_time=2ms {LONG} --quiet")
    wait_for(lambda: len(measured(store)) >= 2, process)
    fill(small_disk)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1, err
    assert "0001.jsonl: cannot write: no space left on device\nhint: earlier results are kept" in err
    (level,) = igen("show last --json").document["systems"][0]["levels"]
    assert level["transactions"] > 0
    assert level["trust"]["verdict"] == "INVALID"
    again = igen(f"run noop --repeats 1 {LONG}")
    assert again.code == 1
    assert "no space left" in again.err


# 5 s: test_database_faults.py fills the disk of a server.
@pytest.mark.slow
def test_a_disk_that_fills_up_under_the_database_ends_the_run(
    igen: Igen, start: Start, store: Path, small_disk: Path
) -> None:
    target = f"--target sqlite:///{small_disk}/shop.db --set customers=100000"
    process = start(f"run oltp {target} --repeats 1 {LONG} --quiet")
    wait_for(lambda: any(each["done"] > each["total"] / 10 for each in events(store, "progress")), process)
    filler = fill(small_disk)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1, err
    assert "not enough space" in err
    assert state(igen) == "failed"
    filler.unlink()
    # What is left of it is taken for its own, not for a database of someone else's.
    assert igen(f"data cleanup oltp {target}").code == 0
    assert not (small_disk / "shop.db").exists()


def test_a_database_for_which_there_is_no_room_is_not_begun(
    igen: Igen, store: Path, small_disk: Path
) -> None:
    fill(small_disk)
    done = igen(f"data prepare oltp --target sqlite:///{small_disk}/shop.db --set customers=1000")
    assert done.code == 1
    assert "not enough space" in done.err
    assert not (small_disk / "shop.db").exists()


def test_a_file_that_may_not_grow_ends_the_run_and_keeps_what_was_written(
    igen: Igen, start: Start, store: Path
) -> None:
    # More than the hello, less than what is measured: every processor has readings of its own.
    room = 30_000 + 600 * (os.cpu_count() or 1)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    process = start(f"run model --repeats 1 --set service_time=2ms {LONG} --quiet", limit)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1, err
    assert "0001.jsonl: cannot write: file too large" in err
    assert "--store" in err
    assert igen("show last --json").document["systems"][0]["levels"][0]["transactions"] > 0


@pytest.mark.parametrize(
    ("line", "path", "mode", "code", "said"),
    [
        ("run noop --quiet", "runs", 0o555, 1, "runs: cannot write: permission denied"),
        ("list runs", "runs", 0o000, 1, "cannot read: permission denied"),
        ("list runs --store locked", "locked", 0o000, 2, "'locked' is not readable"),
        ("study run locked.toml", "locked.toml", 0o000, 2, "'locked.toml' is not readable"),
        ("run oltp --target sqlite:///HERE/locked.db", "locked.db", 0o000, 1, "--target: cannot read"),
    ],
)
def test_what_may_not_be_touched_is_named(
    start: Start, store: Path, line: str, path: str, mode: int, code: int, said: str
) -> None:
    place = Path(path)
    place.touch() if place.suffix else place.mkdir()
    place.chmod(mode)
    process = start(line.replace("HERE", str(store.parent)), obey_permissions)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (code, ""), err
    assert said in err
    assert "Traceback" not in err
