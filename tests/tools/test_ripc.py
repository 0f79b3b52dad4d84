"""`ripc` counts what the kernel and, where there is one, the processor's counters tell."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from tool_said import Tool

from tests.waiting import PATIENCE_S, wait_for


@pytest.fixture
def busy() -> Iterator[int]:
    """A process that works until it is killed."""
    process = subprocess.Popen(["sh", "-c", "while :; do :; done"])
    yield process.pid
    process.kill()
    process.wait()


def count(tool: Tool, *words: str) -> tuple[dict[str, int], str]:
    """Counts by event, and the whole answer; skips where nothing may be counted."""
    said = tool("ripc", *words, "--json")
    if "cannot count any event" in said.err:
        pytest.skip(said.err)
    assert said.code in {0, 1}
    return {row["event"]: row["count"] for row in said.rows("counters")}, said.out


def test_the_time_of_a_process_is_counted(tool: Tool, busy: int) -> None:
    counts, out = count(tool, "0.5s", "--pid", str(busy))
    assert counts["time on processors, ns"] > 0
    # Without counters of the processor it says so.
    assert ("instructions" in counts) != ("no PMU" in out or "only root may use" in out)


def test_the_whole_machine_is_counted_with_who_waits(tool: Tool, busy: int) -> None:
    said = tool("ripc", "0.5s", "--json")
    if said.code == 2:
        pytest.skip(said.err)
    assert "context switches" in [row["event"] for row in said.rows("counters")]
    waits = {row["what"]: row["time_s"] for row in said.rows("waiting")}
    assert waits["tasks on processors"] > 0
    assert waits["tasks that could run and waited for a processor"] >= 0


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["1s", "--pid", "4194305"], "process 4194305 does not exist"),
        (["soon"], "invalid value 'soon'"),
        ([], "Missing argument 'DURATION'"),
    ],
)
def test_what_cannot_be_counted_is_refused(tool: Tool, words: list[str], expected: str) -> None:
    said = tool("ripc", *words)
    assert said.code == 2
    assert expected in said.err


def is_counting() -> bool:
    """Whether a child of this process holds a counter of the kernel, as the agent does while it counts."""
    return any(map(holds_a_counter, filter(str.isdigit, os.listdir("/proc"))))


def holds_a_counter(pid: str) -> bool:
    # Processes end, and descriptors are closed, while they are looked at.
    with contextlib.suppress(OSError):
        process = Path("/proc", pid)
        parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
        descriptors = os.listdir(process / "fd") if parent == str(os.getpid()) else []
        return any(os.readlink(process / "fd" / each) == "anon_inode:[perf_event]" for each in descriptors)
    return False


def test_a_process_that_ends_in_the_middle_is_told_and_waited_for_no_longer(tool: Tool, busy: int) -> None:
    answered = Event()

    def end() -> None:
        wait_for(lambda: is_counting() or answered.is_set())
        os.kill(busy, signal.SIGKILL)

    with ThreadPoolExecutor() as beside:
        ended = beside.submit(end)
        try:
            _, out = count(tool, f"{2 * PATIENCE_S:.0f}s", "--pid", str(busy))
        finally:
            answered.set()
        ended.result()
    told = re.search(r"the process ended early, after ([\d.]+) s", out)
    assert told is not None
    assert float(told[1]) < 2 * PATIENCE_S
