"""Any program as a workload."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import LONG, PATIENCE_S, Done, events, has_ended, wait_for

from tests.said import rules_in

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
    assert set(operations) == {"prepare", "user_time", "system_time", "left_behind"}
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
    run = script("run", "setsid sleep 100000 & echo $! > left; echo $$ > number; exec sleep 100000")
    process = start(f"run command --set run={run} --repeats 1 {LONG}")
    number = Path("number")
    wait_for(lambda: number.exists() and number.read_text().endswith("\n"), process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, said
    assert has_ended(int(number.read_text()))
    assert has_ended(int(Path("left").read_text()))


BIG = 4 << 20


def tar() -> str:
    """Return a program that archives a file, and writes down what it and its shell have read."""
    Path("big").write_bytes(os.urandom(BIG))
    return script("run", "tar cf - big; grep rchar /proc/$$/io >> read")


@pytest.mark.parametrize("output", ["pipe", "null", "file"])
def test_a_program_does_the_work_that_it_skips_for_dev_null(igen: Igen, store: Path, output: str) -> None:
    """GNU tar does not read the files of an archive that is `/dev/null`."""
    archive = Path("archive.tar").absolute()
    done = igen(
        f"run command --set run={tar()} output={archive if output == 'file' else output} {SHORT} --json"
    )
    assert done.code == 0, done.err
    # The last execution may have been cut off.
    read = int(Path("read").read_text().split()[1])
    assert (read > BIG) == (output != "null")
    assert archive.exists() == (output == "file")
    told = {each["name"]: each["value"] for each in events(store, "fact")}
    assert told["command.output"] == output
    assert told["command.leaving_executions"] == 0
    (level,) = done.document["systems"][0]["levels"]
    assert "processes-left" not in rules_in(level)


def test_runs_with_another_output_do_other_work(igen: Igen, store: Path) -> None:
    for output in ("pipe", "null"):
        done = igen(f"run command --name {output} --set run=: output={output} {SHORT}")
        assert done.code == 0, done.err
    done = igen("compare pipe null --json")
    kinds = {each["name"]: each["kind"] for each in done.document["differences"]}
    assert kinds["command.output"] == "work"


def test_processes_that_executions_leave_behind_are_reported_and_ended(igen: Igen, store: Path) -> None:
    left = "sleep 100000 & echo $! >> left; setsid sleep 100000 & echo $! >> left"
    done = igen(f"run command --set run={script('run', left)} {SHORT} --json")
    assert done.code == 0, done.err
    (level,) = done.document["systems"][0]["levels"]
    (found,) = [each for each in level["findings"] if each["rule"] == "processes-left"]
    parts = {each["name"]: each for each in found["parts"]}
    assert parts["processes"]["figure"] == 2 * parts["executions"]["figure"] > 0
    assert parts["program"]["text"] == "sleep"
    assert level["trust"]["verdict"] != "VALID"
    numbers = Path("left").read_text().split()
    assert len(numbers) >= parts["processes"]["figure"]
    assert all(has_ended(int(number)) for number in numbers)


def test_a_file_with_content_is_not_emptied(igen: Igen, store: Path) -> None:
    Path("mine").write_text("precious")
    Path("link").symlink_to("mine")
    for place in ("mine", "link", "/dev/full"):
        done = igen(f"run command --set run=: output={place} {SHORT}")
        assert done.code == 2, done.err
        assert "--i-own-this-data" in done.err
    assert Path("mine").read_text() == "precious"
    assert igen(f"run command --set run=: output=mine --i-own-this-data {SHORT}").code == 0
    assert igen(f"run command --set run=date output=fresh --repeats 2 {SHORT}").code == 0
    assert Path("fresh").read_text() == ""


def test_several_users_do_not_write_to_one_file(igen: Igen, store: Path) -> None:
    done = igen(f"run command --users 2 --set run=: output=out {SHORT}")
    assert done.code == 2
    assert not Path("out").exists()
