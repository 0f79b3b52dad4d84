"""Any program as a workload."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import LONG, PATIENCE_S, Done, events, has_ended, wait_for

Igen = Callable[[str], Done]
SHORT = "--duration 1s --warmup 0.1s --repeats 1"


def script(name: str, text: str) -> str:
    path = Path(name).absolute()
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_a_program_is_timed_with_its_processor_time_and_memory(igen: Igen, store: Path) -> None:
    run = script("run", "i=0; while [ $i -lt 10000 ]; do i=$((i+1)); done")
    prepare = script("prepare", "sleep 0.2")
    done = igen(f"run command --set run={run} prepare={prepare} {SHORT} --duration 3s --json")
    assert done.code == 0, done.err
    (system,) = done.document["systems"]
    (level,) = system["levels"]
    assert system["transaction"] == "executions"
    assert level["users"] == 1
    assert level["errors"] == 0
    operations = level["operations"]
    assert set(operations) == {"prepare", "user_time", "system_time"}
    assert operations["user_time"]["response_time_ms"]["mean"] > 0
    assert level["counters"]["peak_memory_bytes"]["per_transaction"] > 100_000
    # What prepares an execution sleeps longer than the execution takes, and is no part of it.
    assert level["response_time_ms"]["mean"] < operations["prepare"]["response_time_ms"]["mean"]


@pytest.mark.parametrize("how", [SHORT, "--warmup 0s"])
def test_a_program_that_fails_ends_the_run_before_its_load(igen: Igen, store: Path, how: str) -> None:
    run = script("run", "echo x >> ran; echo a reason >&2; exit 3")
    done = igen(f"run command --set run={run} --set shell=false {how}")
    assert (done.code, done.out) == (1, "")
    assert "exit code 3: a reason" in done.err
    assert Path("ran").read_text() == "x\n"
    assert events(store, "snapshot") == []


def test_a_program_that_fails_later_ends_the_run_with_its_last_line(igen: Igen, store: Path) -> None:
    run = script("run", "echo x >> ran; [ $(wc -l < ran) = 1 ] && exit 0; echo a reason >&2; exit 3")
    done = igen(f"run command --set run={run} --set shell=false {SHORT} --repeats 1")
    assert done.code == 1
    assert "exit code 3: a reason" in done.out + done.err


def test_what_cannot_run_is_refused_with_its_parameter(igen: Igen, store: Path) -> None:
    for settings, said in [
        ("", "--set run: names no program"),
        ("--set run=true.sh working_directory=/nowhere", "--set working_directory: "),
        ("--set run=true.sh input=/nowhere", "--set input: "),
        ("--set run=true.sh timeout_s=0s", "--set timeout_s: "),
    ]:
        done = igen(f"run command {settings} {SHORT}")
        assert done.code == 2, settings
        assert said in done.err


def test_no_program_outlives_the_measurement(igen: Igen, store: Path) -> None:
    run = script("run", "echo $$ > number; exec sleep 100000")
    igen(f"run command --set run={run} {SHORT}")
    assert has_ended(int(Path("number").read_text()))


def test_no_program_outlives_an_interruption(
    store: Path, start: Callable[[str], subprocess.Popen[str]]
) -> None:
    run = script("run", "echo $$ > number; exec sleep 100000")
    process = start(f"run command --set run={run} --repeats 1 {LONG}")
    number = Path("number")
    wait_for(lambda: number.exists() and number.read_text().endswith("\n"), process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, said
    assert has_ended(int(number.read_text()))
