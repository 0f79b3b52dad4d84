"""What lives for a moment beside a run is named with it, and what the run itself starts is not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from igen.agent_program import find_agent

STORM = "while :; do /bin/date > /dev/null; done"
IN_A_THREAD_S = 0.1
WITH_A_THREAD = f"""
import threading, time
def work():
    while time.thread_time() < {IN_A_THREAD_S}: pass
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""


@pytest.fixture
def storm(request: pytest.FixtureRequest) -> Iterator[int]:
    """A script that ran away."""
    command = getattr(request, "param", ["sh", "-c", STORM])
    process = subprocess.Popen(command)
    yield process.pid
    process.kill()
    process.wait()


def short_lived(workload: str, params: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The last counters of processes that have ended, by program; skips where nobody is told of them."""
    job = {
        "workload": workload,
        "params": params,
        "load": {"closed": {"users": 1}},
        "phases": {"measure_s": "2s", "warmup_s": "0s", "interval_s": "500ms"},
        "monitors": ["short_lived"],
    }
    command = [str(find_agent()), "run"]
    done = subprocess.run(command, input=json.dumps(job), capture_output=True, text=True, check=True)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    if any("short_lived is not available" in str(event.get("warning")) for event in events):
        pytest.skip("the kernel tells of processes that end to root only")
    found: dict[str, dict[str, float]] = {}
    collect(events, lambda each: found.update({each["subject"]: each["counters"]}))
    return found


def collect(said: Any, use: Callable[[dict[str, Any]], None]) -> None:
    """Calls `use` for each reading of the monitor, in order."""
    if isinstance(said, dict) and said.get("monitor") == "short_lived":
        use(said)
    elif isinstance(said, dict | list):
        for part in said.values() if isinstance(said, dict) else said:
            collect(part, use)


def test_a_script_that_ran_away_is_named(storm: int) -> None:
    found = short_lived("noop", {})
    assert found["date of sh"]["ended"] >= 1, storm
    assert found["all"]["ended"] >= found["date of sh"]["ended"]


@pytest.mark.parametrize(
    "storm",
    [["sh", "-c", 'while :; do "$0" -I -S -c "$1"; done', sys.executable, WITH_A_THREAD]],
    indirect=True,
)
def test_what_its_threads_used_is_charged_to_a_process(storm: int) -> None:
    """The first thread starts the interpreter and waits, which takes about 0.01 s."""
    found = short_lived("noop", {})[f"{Path(sys.executable).name[:15]} of sh"]
    assert found["used_s"] / found["ended"] >= IN_A_THREAD_S / 2, storm


def test_what_the_load_starts_is_its_own(tmp_path: Path) -> None:
    # Others on the machine may execute programs of any usual name.
    own = f"own-{os.getpid()}"
    for name in ("dirname", "grep"):
        (tmp_path / f"{own}{name[0]}").symlink_to(str(shutil.which(name)))
    found = short_lived("command", {"run": f"{tmp_path}/{own}d /a/b | {tmp_path}/{own}g -c a"})
    assert "all" in found
    assert not [name for name in found if name.startswith(own)], found
