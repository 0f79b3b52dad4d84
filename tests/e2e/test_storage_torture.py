"""Hours of torture in seconds: checkpoints, going on, data errors, and a device that slows down."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import Done, aspect, events, measured, wait_for
from loops import Loops

from igen.lab import loop, throttle

Igen = Callable[[str], Done]
Start = Callable[..., "subprocess.Popen[str]"]

SIZE = "--set size_bytes=4MiB --quiet"


def torture_of(done: Done) -> dict[str, Any]:
    """What the report says of the run."""
    (system, *_) = done.document["systems"]
    return aspect(system, "torture")


def lasted(torture: dict[str, Any], planned_s: float) -> bool:
    """Whether it was under load as long as planned; on a busy machine the end of a segment comes late."""
    return bool(planned_s - 0.1 < torture["under_load_s"] < planned_s + 10)


def ended(store: Path) -> int:
    """Segments that are over."""
    return len(events(store, "job_end"))


# test_resume.py kills other runs and goes on with them.
@pytest.mark.parametrize("how", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)])
def test_what_ended_early_goes_on(
    how: signal.Signals, igen: Igen, start: Start, store: Path, tmp_path: Path
) -> None:
    targets = f"--target file://{tmp_path}/{{a,b}}"
    process = start(f"run io {targets} {SIZE} --users 2 --torture 1h --duration 500ms")
    wait_for(lambda: ended(store) > 1, process)
    wait_for(lambda: measured(store, "0003"), process)
    process.send_signal(how)
    _, err = process.communicate()
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert "igen run io --resume" in err
    before_s = sum(each["end_s"] - each["start_s"] for each in measured(store))
    assert igen("run io --resume last --users 3").code == 2

    done = igen(f"run io --torture {before_s + 0.7}s --resume last --json --quiet")

    assert done.code == 0, done.err
    torture = torture_of(done)
    assert lasted(torture, before_s + 0.7)
    assert torture["segments"] >= 4
    assert {each["state"] for each in torture["targets"]} <= {"sound", "slower"}
    assert len(list(store.glob("2*"))) == 1
    # Every segment that ended by itself was verified.
    verified = events(store, "fact")
    found = [each["value"] for each in verified if each["name"] == "io.verified"]
    assert len(found) >= torture["segments"] - 1
    assert all(not target["faults"] for value in found for target in value)


def test_data_errors_end_a_targets_claim_and_the_others_go_on(
    igen: Igen, start: Start, store: Path, tmp_path: Path
) -> None:
    targets = f"--target file://{tmp_path}/{{a,b}}"
    process = start(f"run io {targets} {SIZE} --users 2 --torture 2s --duration 400ms --json")
    wait_for(lambda: ended(store) > 0, process)
    # Somebody else writes to it while it is loaded.
    with (tmp_path / "b").open("r+b") as file:
        file.seek(1 << 20)
        file.write(b"not of iGen" * (1 << 17))
    out, err = process.communicate()

    assert process.returncode == 1
    # Verification at the end of the segment finds it, or the next segment before it writes.
    found = "data errors" in err
    assert found or "has not written what is in it from byte" in err
    assert f"{tmp_path}/b" in err
    torture = aspect(json.loads(out)["systems"][0], "torture")
    a, b = torture["targets"]
    assert a["state"] in ("sound", "slower")
    assert b["state"] == ("data errors" if found else "failed")
    refused = 0 if found else 1
    assert b["segments"] < a["segments"] == torture["segments"] - refused
    assert lasted(torture, 2)


def test_a_torture_in_a_file_is_checked_and_goes_at_one_load(igen: Igen, tmp_path: Path) -> None:
    text = (
        'plan = { mode = "torture", under_load_s = 7200 }\n[job]\nworkload = "io"\n'
        f'targets = ["file://{tmp_path}/a"]\n[axes]\n"load.closed.users" = USERS\n'
    )
    study = tmp_path / "torture.toml"
    study.write_text(text.replace("USERS", "[2]"))
    checked = igen(f"study check {study}")
    assert checked.code == 0, checked.err
    assert "measurement 6 min" in checked.out
    assert "in segments, each verified, 2 h 0 min under load in all" in checked.out
    study.write_text(text.replace("USERS", "[2, 4]"))
    refused = igen(f"study check {study}")
    assert refused.code == 2
    assert "a torture run needs one load" in refused.err


@pytest.fixture
def signed(loops: Loops) -> Path:
    """A device with the signature of a RAID in its last KiB."""
    device = loops.device("disk", 4 << 20)
    write_at_end(device, b"Intel Raid ISM Cfg")
    return device


def write_at_end(device: Path, words: bytes) -> None:
    with device.open("r+b") as file:
        file.seek(-1024, os.SEEK_END)
        file.write(words)


# 5 s: tests/study/test_going_on.py refuses the same.
@pytest.mark.slow
def test_force_is_said_again_of_a_device_that_may_be_another_one(
    signed: Path, igen: Igen, start: Start, store: Path, tmp_path: Path
) -> None:
    own = f"--i-own-this-data --set ledger={tmp_path} --set size_bytes=1MiB --quiet"
    run = f"run io --target file://{signed} {own} --users 2 --torture 1h --duration 300ms"
    assert igen(run).code == 2
    process = start(f"{run} --force")
    wait_for(lambda: ended(store) > 1, process)
    process.send_signal(signal.SIGINT)
    process.communicate()
    before_s = sum(each["end_s"] - each["start_s"] for each in measured(store))
    go_on = f"run io --torture {before_s + 0.5}s --resume last --quiet"

    refused = igen(go_on)
    assert refused.code == 2
    assert "Intel RAID member" in refused.err
    assert "--force" in refused.err

    assert igen(f"{go_on} --force").code == 0
    # Where there is nothing but what iGen has written, nobody needs to insist.
    write_at_end(signed, bytes(18))
    longer = igen(f"run io --torture {before_s + 1}s --resume last --quiet --json")
    assert longer.code == 0, longer.err
    assert lasted(torture_of(longer), before_s + 1)


@pytest.fixture
def slowable(tmp_path: Path) -> Iterator[list[loop.Loop]]:
    """Two devices, of which each can be slowed down."""
    if os.geteuid() != 0:
        pytest.skip("loop devices need root")
    if throttle.controller() is None:
        pytest.skip("no blkio controller (cgroup v1) to slow a device down with")
    folder = tmp_path / "devices"
    folder.mkdir()
    try:
        for name in ("sound", "failing"):
            with (folder / name).open("wb") as file:
                file.truncate(4 << 20)
            loop.attach(folder / name)
    except OSError as error:
        pytest.skip(f"no loop devices here: {error}")
    found = loop.attached_below(folder)
    yield sorted(found, key=lambda each: each.file.name)
    throttle.uncap(found)
    for each in found:
        loop.detach(each)


# 12 s: tests/aspects/test_torture.py names one that slows down.
@pytest.mark.slow
def test_a_device_that_slows_down_is_named(
    slowable: list[loop.Loop], start: Start, store: Path, tmp_path: Path
) -> None:
    failing, sound = slowable
    targets = " ".join(f"--target file://{each.path}" for each in (sound, failing))
    own = f"--i-own-this-data --set ledger={tmp_path}"
    throttle.cap(slowable, 400)
    process = start(f"run io {targets} {own} --users 2 --torture 5s --duration 800ms --json")
    wait_for(lambda: ended(store) > 2, process)
    throttle.cap([failing], 60)
    out, err = process.communicate()

    assert process.returncode == 0, err
    torture = aspect(json.loads(out)["systems"][0], "torture")
    states = {each["target"]: each["state"] for each in torture["targets"]}
    assert states[f"file://{failing.path}"] == "slower"
    # A machine that is busy with something else may make a sound device slow, too.
    assert states[f"file://{sound.path}"] in ("sound", "slower")
    lines = [line for line in err.splitlines() if "is slower than at its beginning" in line]
    assert any(line.startswith(f"warning: file://{failing.path} ") for line in lines), lines
