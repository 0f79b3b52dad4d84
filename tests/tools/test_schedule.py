"""`schedule` compares ways to schedule a command, and the machine comes back from each of them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from escaping import ESCAPES, lives
from tool_said import Said, Tool

from igen.agent_program import find_agent
from tests.own_group import own_group
from tests.waiting import wait_for

# Loads of fixed priority take the processors from each other's tests.
pytestmark = pytest.mark.xdist_group("fixed priority")
SPIN = "while :; do :; done"


def fixed(tool: Tool, *words: str) -> Said:
    """What the tool says; skips where nothing may have a fixed priority."""
    said = tool("schedule", *words)
    refusals = ("cannot use the scheduling", "guard for fixed priorities", "nothing to compare")
    if any(refusal in said.out + said.err for refusal in refusals):
        pytest.skip(said.out + said.err)
    return said


def test_ways_are_compared_with_the_usual_one(tool: Tool) -> None:
    said = tool(
        "schedule", "--run", "sed -n 1p /proc/self/sched", "--rounds", "2", "--way", "batch", "--json"
    )
    assert said.code == 0
    rows = {row["way"]: row for row in said.rows("ways")}
    assert set(rows) == {"other", "batch"}
    assert all(row["executions"] == 2 and row["mean_time_s"] > 0 for row in rows.values())
    assert rows["batch"]["low"] <= rows["batch"]["of_other"] <= rows["batch"]["high"]


def test_a_command_is_scheduled_as_it_says(tool: Tool, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    # The 19th field is nice, the 41st the policy; names of programs hold no blank here.
    command = f"cut -d' ' -f 19,41 /proc/self/stat >> {seen}"
    fixed(tool, "--run", command, "--rounds", "1")
    found = {tuple(map(int, line.split())) for line in seen.read_text().splitlines()}
    assert {(0, os.SCHED_OTHER), (0, os.SCHED_BATCH), (-10, os.SCHED_OTHER)} <= found
    expected = {os.SCHED_OTHER, os.SCHED_BATCH, os.SCHED_IDLE, os.SCHED_FIFO, os.SCHED_RR}
    assert {policy for _, policy in found} == expected


def test_a_session_has_a_nice_value_as_a_whole(tool: Tool, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    # The 6th field is the session.
    command = f"echo $(cut -d' ' -f 6 /proc/self/stat) $(cat /proc/self/autogroup) >> {seen}"
    fixed(tool, "--run", command, "--rounds", "1", "--way", "autogroup")
    usual, lifted = seen.read_text().splitlines()
    assert usual.split()[0] != lifted.split()[0]
    assert usual.endswith("nice 0")
    assert lifted.endswith("nice -10")


def test_the_machine_comes_back_from_a_program_that_never_waits(tool: Tool, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    # One for each processor, and all at a fixed priority. The first round is the usual way, and ends at once.
    first = f"test -e {pids} || {{ : > {pids}; exit 0; }}"
    spin = " ".join(f"({SPIN}) & echo $! >> {pids};" for _ in range(os.cpu_count() or 1))
    said = fixed(tool, "--run", f"{first}; {spin} wait", "--way", "fifo", "--limit", "1s")
    assert said.code == 1
    assert "the command was killed after 1 s as fifo" in said.out
    assert len(pids.read_text().split()) == os.cpu_count()
    for pid in pids.read_text().split():
        wait_for(lambda pid=pid: not lives(pid))  # type: ignore[misc]


def test_the_machine_comes_back_when_the_tool_is_killed(tool: Tool, tmp_path: Path) -> None:
    fixed(tool, "--run", "true", "--rounds", "1", "--way", "fifo")
    pids = tmp_path / "pids"
    first = f"test -e {tmp_path}/first || {{ : > {tmp_path}/first; exit 0; }}"
    command = f"{first}; echo $$ > {pids}.new; mv {pids}.new {pids}; {SPIN}"
    words = [str(find_agent()), "tool", "schedule", "--run", command, "--way", "fifo", "--limit", "25s"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as process:
        wait_for(pids.exists)
        process.kill()
    wait_for(lambda: not lives(pids.read_text().strip()))


@pytest.mark.parametrize(
    ("then", "verdict"),
    [("true", "cannot tell: one round"), ("sleep 600", "was killed after 10 s as batch")],
)
def test_what_leaves_its_session_ends_with_its_execution(
    tool: Tool, tmp_path: Path, then: str, verdict: str
) -> None:
    group = own_group()
    escaped = tmp_path / "escaped"
    first = f"test -e {tmp_path}/first || {{ : > {tmp_path}/first; exit 0; }}"
    command = f"{first}; {ESCAPES.format(to=escaped)}; {then}"
    # As a batch job there is no guard, and everybody may be one.
    said = tool("schedule", "--run", command, "--way", "batch", "--rounds", "1", "--limit", "10s")
    assert verdict in said.out, said.out + said.err
    assert not lives(escaped.read_text().strip())
    assert not (group / f"igen-{Path(f'{escaped}.tool').read_text().strip()}").exists()


def test_what_leaves_its_session_ends_when_the_tool_is_killed(tool: Tool, tmp_path: Path) -> None:
    group = own_group()
    fixed(tool, "--run", "true", "--rounds", "1", "--way", "fifo")
    escaped = tmp_path / "escaped"
    first = f"test -e {tmp_path}/first || {{ : > {tmp_path}/first; exit 0; }}"
    command = f"{first}; {ESCAPES.format(to=escaped)}; sleep 600"
    words = [str(find_agent()), "tool", "schedule", "--run", command, "--way", "fifo", "--limit", "10min"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as process:
        wait_for(escaped.exists)
        process.kill()
    wait_for(lambda: not lives(escaped.read_text().strip()))
    wait_for(lambda: not (group / f"igen-{process.pid}").exists())


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (["--run", "exit 3"], 2, "the command failed as other: exit status: 3"),
        (["--run", "sleep 9", "--limit", "100ms"], 1, "killed after 0.1 s as other"),
        (["--run", "true", "--limit", "0s"], 2, "not a valid time"),
        (["--run", "true", "--rounds", "1"], 1, "cannot tell: one round"),
        ([], 2, "no command to execute"),
    ],
)
def test_what_says_nothing_is_told(tool: Tool, words: list[str], code: int, expected: str) -> None:
    said = tool("schedule", *words, "--way", "batch")
    assert said.code == code
    assert expected in said.out + said.err
