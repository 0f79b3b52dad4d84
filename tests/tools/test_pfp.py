"""`pfp` finds the share of floating-point instructions of programs where it is known, and harms none."""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from escaping import ESCAPES, lives
from tool_said import Said, Tool

from igen.agent_program import find_agent
from tests.own_group import own_group
from tests.waiting import wait_for

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="it understands x86-64 only")
SOURCE = Path(__file__).with_name("programs") / "loops.c"
# The machine that tests is busy with other tests: windows are rare unless the program may stand still.
ENOUGH = 1000
"""Instructions of some twenty windows."""
PTRACE_SEIZE = 0x4206

Loop = Callable[..., str]
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Loop:
    """Builds a loop of so many floating-point operations and so many of integers, and a jump."""
    folder = tmp_path_factory.mktemp("loops")

    def build(floating: int, integer: int, operation: str = "addsd") -> str:
        program = folder / f"{floating}-{integer}-{operation}"
        if not program.exists():
            counts = [f"-DFLOATING={floating}", f"-DINTEGER={integer}"]
            flags = [*counts, f'-DOPERATION="{operation}"', "-O1", "-pthread"]
            if shutil.which("gcc") is None:
                pytest.skip("no gcc")
            subprocess.run(["gcc", *flags, SOURCE, "-o", program], check=True)
        return str(program)

    return build


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts programs that are ended after the test."""
    started = []

    def run(*words: str) -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen(words))
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.wait()


def watched(said: Said) -> Said:
    if said.code == 2 and "cannot trace the program" in said.err:
        pytest.skip(said.err)
    return said


def enough(tool: Tool, *words: str) -> Said:
    """Watches for longer where the machine is so busy that the program hardly executed a step."""
    for duration in ("2s", "10s", "60s"):
        said = watched(tool("pfp", duration, "--exact", "--budget", "60", "--json", *words))
        if said.rows("instructions")[0]["count"] >= ENOUGH:
            break
    return said


def share(said: Said) -> float:
    (row,) = [row for row in said.rows("shares") if row["floating_point"] == "arithmetic, compare, convert"]
    return float(row["share_percent"])


def tracer(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("TracerPid:"):
            return int(line.split()[1])
    raise AssertionError("no TracerPid")


def state_and_ticks(pid: int) -> tuple[str, int]:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return fields[0], int(fields[11])


def runs_since(pid: int, ticks: int) -> bool:
    return state_and_ticks(pid)[1] > ticks


@pytest.mark.parametrize(
    ("floating", "integer", "percent", "thresholds", "verdict"),
    [
        (0, 9, 0.0, "1,2", "are recommended"),
        (1, 8, 10.0, "1,2", "are not recommended"),
        (1, 8, 10.0, "5,20", "are possible"),
        (10, 9, 50.0, "1,2", "are not recommended"),
    ],
)
def test_known_loops_get_their_share_and_the_right_verdict(
    tool: Tool,
    start: Start,
    loop: Loop,
    floating: int,
    integer: int,
    percent: float,
    thresholds: str,
    verdict: str,
) -> None:
    process = start(loop(floating, integer))
    said = enough(tool, f"--thresholds={thresholds}", "--pid", str(process.pid))
    # A window of some ten instructions sees whole rounds and a part of one.
    assert share(said) == pytest.approx(percent, rel=0.1)
    assert said.document["verdict"]["text"].endswith(f"few floating-point units {verdict}"), said.out
    assert said.code == int(verdict != "are recommended")
    if percent == 0:
        assert "of the time may have been missed" in said.document["verdict"]["text"]
        assert all(row["high_percent"] > 0 for row in said.rows("shares"))
    assert process.poll() is None
    assert tracer(process.pid) == 0


def test_slow_instructions_of_a_loop_are_not_met_more_often_than_they_are_executed(
    tool: Tool, start: Start, loop: Loop
) -> None:
    # Windows begin at the divisions; a round and a half would have the divisions of one or of two.
    said = enough(tool, "--pid", str(start(loop(2, 118, "divsd")).pid))
    if any("counted, because few" in note for note in said.document["notes"]):
        pytest.skip("the machine is busy: windows end in the middle of a round")
    assert share(said) == pytest.approx(100 * 2 / 121, rel=0.1), said.out


def test_slow_code_is_met_more_often_than_it_is_executed(tool: Tool, start: Start, tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    program = tmp_path / "apart"
    subprocess.run(["gcc", "-O2", SOURCE.with_name("apart.c"), "-o", program], check=True)
    said = enough(tool, "--pid", str(start(str(program)).pid))
    # 0.6 % are recommended. Where no window has met a division yet, that is told, or there are too few.
    verdict = said.document["verdict"]["text"]
    assert "cannot tell" in verdict or verdict.endswith("are recommended"), said.out
    if (between := re.search(r"the share is (\S+) to (\S+) %", verdict)) is not None:
        low, high = map(float, between.groups())
        assert low < 100 * 20_000 / (400_000 * 8 + 20_000 * 4) < high, verdict


def test_one_of_two_threads_computes(tool: Tool, start: Start, loop: Loop) -> None:
    process = start(loop(10, 9), "1")
    said = enough(tool, "--pid", str(process.pid))
    # It is 25 %; which thread is looked at is chance.
    assert 0 < share(said) < 50, said.out
    assert process.poll() is None


def test_children_are_watched_too(tool: Tool, loop: Loop) -> None:
    said = enough(tool, "--run", f"{loop(10, 9)} & wait")
    assert share(said) == pytest.approx(50, rel=0.05), said.out


@pytest.fixture
def group() -> Iterator[Path]:
    """A control group that is empty again when the programs of the test have ended."""
    made = own_group() / f"igen-test-{os.getpid()}"
    made.mkdir()
    yield made
    wait_for(lambda: not (made / "cgroup.procs").read_text())
    made.rmdir()


# The programs that `start` has started end before the group is waited for.
def test_all_of_a_control_group_are_watched(tool: Tool, group: Path, start: Start, loop: Loop) -> None:
    process = start(loop(10, 9))
    (group / "cgroup.procs").write_text(str(process.pid))
    said = enough(tool, "--cgroup", str(group))
    assert share(said) == pytest.approx(50, rel=0.05), said.out
    process.kill()
    process.wait()
    nothing = tool("pfp", "1s", "--cgroup", str(group))
    assert (nothing.code, "no process runs in" in nothing.err) == (2, True)
    unknown = tool("pfp", "1s", "--cgroup", "")
    assert (unknown.code, "does not exist" in unknown.err) == (2, True)


@pytest.fixture
def may_watch(tool: Tool, start: Start) -> None:
    """Skips where no program may be watched."""
    watched(tool("pfp", "100ms", "--exact", "--pid", str(start("sh", "-c", "while :; do :; done").pid)))


@pytest.mark.usefixtures("may_watch")
@pytest.mark.parametrize("whose", ["--cgroup .", "--pid $$"])
def test_the_tool_does_not_watch_itself(group: Path, loop: Loop, whose: str) -> None:
    agent = f"{find_agent()} tool pfp 2s --exact --budget 60 {whose}"
    # A shell that is watched has started the tool, which is in the group, too.
    script = f"echo $$ > cgroup.procs; {loop(10, 9)} & {agent}; kill $!"
    done = subprocess.run(["sh", "-c", script], cwd=group, capture_output=True, text=True, check=False)
    assert "could not be stopped" not in done.stdout
    assert "cannot trace the program" not in done.stdout
    assert '"verdict"' in done.stdout


def test_a_program_that_waits_is_not_told_to_be_in_the_kernel(tool: Tool, start: Start) -> None:
    process = start("sleep", "600")
    wait_for(lambda: state_and_ticks(process.pid)[0] == "S")
    said = watched(tool("pfp", "300ms", "--exact", "--json", "--pid", str(process.pid)))
    assert "was always waiting" in said.document["verdict"]["text"]


def test_a_program_that_becomes_another_one(tool: Tool, loop: Loop) -> None:
    command = f"exec {loop(0, 9)} exec {loop(10, 9)}"
    said = watched(tool("pfp", "6s", "--exact", "--budget", "60", "--run", command, "--json"))
    assert 1 < share(said) < 49, said.out
    assert not any("ended before" in note for note in said.document["notes"])


def test_a_program_that_ends_in_the_middle(tool: Tool, loop: Loop) -> None:
    command = f"timeout --signal=KILL 3 {loop(10, 9)}"
    said = watched(tool("pfp", "60s", "--exact", "--budget", "60", "--run", command, "--json"))
    assert share(said) == pytest.approx(50, rel=0.1), said.out
    assert any("ended early" in note for note in said.document["notes"])


def test_a_program_that_it_has_started_ends_with_it(tool: Tool, loop: Loop, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    watched(tool("pfp", "200ms", "--exact", "--run", f"echo $$ > {pid_file}; exec {loop(10, 9)}"))
    wait_for(lambda: not lives(pid_file.read_text().strip()))


def test_what_a_program_prints_holds_up_neither_it_nor_the_tool(tool: Tool, loop: Loop) -> None:
    # More than a pipe holds, before it computes.
    said = enough(tool, "--run", f"head -c 1000000 /dev/zero; exec {loop(10, 9)}")
    assert share(said) == pytest.approx(50, rel=0.1), said.out


def test_a_program_that_does_not_listen_and_what_it_left_behind_end_too(
    tool: Tool, loop: Loop, tmp_path: Path
) -> None:
    pid_file = tmp_path / "pids"
    stubborn = f"trap '' TERM; {loop(10, 9)} & echo $! >> {pid_file}"
    watched(tool("pfp", "200ms", "--exact", "--run", f"{stubborn}; {stubborn}; wait"))
    watched(tool("pfp", "200ms", "--exact", "--run", f"({stubborn}); exit"))
    pids = pid_file.read_text().split()
    assert len(pids) == 3
    for pid in pids:
        wait_for(lambda pid=pid: not lives(pid))  # type: ignore[misc]


@pytest.mark.usefixtures("may_watch")
def test_what_leaves_the_session_of_the_program_ends_with_it(tmp_path: Path) -> None:
    own = own_group()
    escaped = tmp_path / "escaped"
    command = f"{ESCAPES.format(to=escaped)}; while :; do :; done"
    words = [str(find_agent()), "tool", "pfp", "10min", "--exact", f"--run={command}"]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as asked:
        wait_for(escaped.exists)
        asked.send_signal(signal.SIGINT)
        asked.communicate(timeout=30)
    assert not lives(escaped.read_text().strip())
    assert not (own / f"igen-{Path(f'{escaped}.tool').read_text().strip()}").exists()


def test_a_program_goes_on_when_the_tool_is_killed(tool: Tool, start: Start, loop: Loop) -> None:
    process = start(loop(10, 9))
    watched(tool("pfp", "100ms", "--exact", "--pid", str(process.pid)))
    for _ in range(5):
        # It stands still for as much of the time as possible: the kill comes in the middle of a step.
        killed = start(
            str(find_agent()), "tool", "pfp", "60s", "--exact", "--budget=100", f"--pid={process.pid}"
        )
        wait_for(lambda: tracer(process.pid) != 0)
        killed.kill()
        killed.wait()
        # Between two windows nobody traces it: none does in many looks only when the watcher has ended.
        wait_for(lambda: not watchers(process.pid))
        assert process.poll() is None
        assert tracer(process.pid) == 0
        assert state_and_ticks(process.pid)[0] == "R"
        before = state_and_ticks(process.pid)[1]
        wait_for(functools.partial(runs_since, process.pid, before))


def watchers(pid: int) -> list[str]:
    """Processes of the tool that watch this one."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"--apart" in words and f"--pid={pid}".encode() in words:
            found.append(entry.parent.name)
    return found


def test_a_program_goes_on_after_an_interrupt(start: Start, loop: Loop) -> None:
    process = start(loop(10, 9))
    words = [str(find_agent()), "tool", "pfp", "60s", "--exact", "--budget=60", f"--pid={process.pid}"]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as asked:
        wait_for(lambda: bool(watchers(process.pid)))
        asked.send_signal(signal.SIGINT)
        out, _ = asked.communicate(timeout=30)
    assert out.splitlines()[-1].startswith((b'{"verdict"', b'{"error"'))
    assert not watchers(process.pid)
    assert process.poll() is None


def test_a_program_that_another_one_traces_is_left_alone(tool: Tool, start: Start, loop: Loop) -> None:
    process = start(loop(10, 9))
    if ctypes.CDLL(None).ptrace(PTRACE_SEIZE, process.pid, None, None) != 0:
        pytest.skip("nothing may be traced here")
    said = tool("pfp", "1s", "--exact", "--pid", str(process.pid))
    assert said.code == 2
    assert f"is already traced by process {os.getpid()}" in said.err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["1s", "--pid", "4194305"], "process 4194305 does not exist"),
        (["1s"], "no program to watch"),
        (["1s", "--pid", "1", "--run", "true"], "cannot be used with"),
        (["1s", "--pid", "1", "--thresholds", "2,1"], "the lower first"),
        (["1s", "--pid", "1", "--budget", "0"], "above 0 and up to 100"),
    ],
)
def test_what_cannot_be_watched_is_refused(tool: Tool, words: list[str], expected: str) -> None:
    said = tool("pfp", *words)
    assert said.code == 2
    assert expected in said.err


def kernel_thread() -> str | None:
    """The id of a thread of the kernel; None in a container, which has none."""
    processes = (path.name for path in Path("/proc").iterdir() if path.name.isdigit())
    lines = ((pid, Path(f"/proc/{pid}/stat")) for pid in sorted(processes, key=int))
    return next(
        (pid for pid, path in lines if int(path.read_text().rpartition(")")[2].split()[6]) & 1 << 21), None
    )


def test_a_thread_of_the_kernel_executes_no_program(tool: Tool) -> None:
    pid = kernel_thread()
    if pid is None:
        pytest.skip("a container has none")
    said = tool("pfp", "1s", "--pid", pid)
    assert said.code == 2
    assert f"process {pid} is a kernel thread" in said.err


def test_a_command_that_cannot_be_executed_is_refused(tool: Tool) -> None:
    said = tool("pfp", "1s", "--run", "/no/such/program")
    if "cannot trace the program" in said.err:
        pytest.skip(said.err)
    assert said.code == 2
    assert "--run: cannot execute the command: exit code 127" in said.err


def test_a_command_that_fails_is_told(tool: Tool) -> None:
    said = tool("pfp", "1s", "--run", "exit 3", "--json")
    if "cannot trace the program" in said.err:
        pytest.skip(said.err)
    assert said.code == 1
    assert any("failed with exit code 3" in note for note in said.document["notes"])


def test_another_users_program_is_refused_while_it_sleeps() -> None:
    """Whether it may be traced is known before it runs."""
    agent = find_agent()
    if os.geteuid() != 0 or os.stat(agent).st_mode & 1 == 0:
        pytest.skip("root only tries it as another user")
    with subprocess.Popen(["sleep", "600"]) as sleeps:
        words = [agent, "tool", "pfp", "1s", "--exact", f"--pid={sleeps.pid}"]
        try:
            done = subprocess.run(words, capture_output=True, text=True, user=65534, group=65534, cwd="/")
        except PermissionError:
            pytest.skip("the agent is in a folder of root's own")
        finally:
            sleeps.kill()
    assert done.returncode == 2, done.stdout
    assert "cannot trace the program" in done.stdout
