"""Ctrl-C at any moment: what was measured is kept, and the user is told what that is."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from command_line import LONG, PATIENCE_S, Done, events, measured, state, wait_for

from tests.said import rules_in

Igen = Callable[[str], Done]
Start = Callable[..., subprocess.Popen[str]]


def test_an_interrupt_keeps_what_was_measured(igen: Igen, start: Start, store: Path) -> None:
    process = start(f"run model --users 1,2 --repeats 1 --set service_time=2ms {LONG} --quiet")
    wait_for(lambda: len(measured(store)) >= 2, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    assert "interrupted; results so far are kept" in err
    assert "VALID 0 of 1" in out
    (level,) = igen("show last --json").document["systems"][0]["levels"]
    assert level["transactions"] > 0
    assert events(store, "job_end")[0]["exit_code"] == 130
    assert state(igen) == "interrupted"


def test_a_second_interrupt_does_not_wait_and_is_no_crash(igen: Igen, start: Start, store: Path) -> None:
    # The transaction outlasts the test: only a signal that cannot be caught ends such an agent at once.
    process = start(f"run model --repeats 1 --set service_time=10min {LONG} --quiet")
    wait_for(lambda: measured(store), process)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    assert events(store, "job_end")[0]["interrupted"]
    (level,) = igen("show last --json").document["systems"][0]["levels"]
    assert level["trust"]["verdict"] == "INVALID"
    assert "agent-died" not in rules_in(level)
    assert state(igen) == "interrupted"


def test_an_interrupt_during_preparation_says_that_nothing_was_measured(
    igen: Igen, start: Start, store: Path
) -> None:
    target = f"--target sqlite:///{store.parent}/shop.db --set customers=200000"
    process = start(f"run oltp {target} --repeats 1 {LONG} --quiet")
    wait_for(lambda: events(store, "progress"), process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    assert out == ""
    assert err == "igen: interrupted before anything was measured\n"
    assert state(igen) == "interrupted"
    assert json.loads(igen("list runs --json").out)[0]["jobs"] == 1


def test_an_interrupt_while_the_floor_is_measured_ends_the_run(start: Start, store: Path) -> None:
    process = start(f"run model --repeats 1 --set service_time=2ms {LONG} --quiet")
    wait_for(lambda: list(store.glob("*/floor.jsonl")), process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    assert err.startswith("igen: interrupted")
