"""A load is scheduled as its job says, and the machine comes back from it whatever happens."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from igen.agent_program import find_agent
from tests.ahead import ahead
from tests.own_group import own_group
from tests.waiting import wait_for

# Loads of fixed priority take the processors from each other's tests.
pytestmark = pytest.mark.xdist_group("fixed priority")
SPIN = "while :; do :; done"


@pytest.fixture(autouse=True)
def _ahead() -> Iterator[None]:
    with ahead():
        yield


def job(run: str, way: str, users: int = 1, measure_s: str = "300ms") -> dict[str, Any]:
    return {
        "workload": "command",
        "params": {"run": run},
        "load": {"closed": {"users": users}},
        "phases": {"warmup_s": 0, "measure_s": measure_s, "drain_s": "1s"},
        "placement": {"scheduling": way},
        "monitors": [],
    }


def agent(job: dict[str, Any]) -> subprocess.Popen[str]:
    """The agent as a study starts it: with a session of its own."""
    process = subprocess.Popen(
        [find_agent(), "run"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(job))
    process.stdin.close()
    process.stdin = None
    return process


def events(process: subprocess.Popen[str]) -> tuple[int, list[dict[str, Any]]]:
    out, _ = process.communicate()
    found = [json.loads(line) for line in out.splitlines()]
    refusals = [event["error"] for event in found if "error" in event]
    if any(error["path"] == "placement.scheduling" for error in refusals):
        pytest.skip(refusals[0]["text"])
    return process.returncode, found


def in_session(session: int) -> Iterator[int]:
    """Processes of the session that have not ended: where the first thread has, others may go on."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(") ")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        state, of, threads = fields[0], int(fields[3]), int(fields[17])
        if of == session and (state != "Z" or threads > 1):
            yield int(folder.name)


def has_ended(pid: str) -> bool:
    try:
        return Path(f"/proc/{int(pid)}/stat").read_text().rpartition(") ")[2].startswith("Z")
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.mark.parametrize(
    ("way", "policy", "nice"),
    [
        ("batch", os.SCHED_BATCH, 0),
        ("nice", os.SCHED_OTHER, -10),
        ("rr", os.SCHED_RR, 0),
        ("fifo", os.SCHED_FIFO, 0),
    ],
)
def test_what_users_start_is_scheduled_as_the_job_says(
    tmp_path: Path, way: str, policy: int, nice: int
) -> None:
    seen = tmp_path / "seen"
    code, found = events(agent(job(f"cut -d' ' -f 19,41 /proc/self/stat >> {seen}", way)))
    assert code == 0
    # The first execution is the trial before the load, which no user starts.
    trial, *executions = [tuple(map(int, line.split())) for line in seen.read_text().splitlines()]
    assert trial == (0, os.SCHED_OTHER)
    assert set(executions) == {(nice, policy)}
    assert found[0]["hello"]["job"]["placement"]["scheduling"] == way
    assert found[-1]["end"]["outcome"] == "complete"


def test_a_session_has_a_nice_value_as_a_whole(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    code, _ = events(agent(job(f"cat /proc/self/autogroup >> {seen}", "autogroup")))
    assert code == 0
    trial, *executions = seen.read_text().splitlines()
    assert not trial.endswith("nice -10"), "no user starts it"
    assert executions
    assert all(line.endswith("nice -10") for line in executions)


def test_the_machine_comes_back_from_a_load_that_never_waits() -> None:
    users = os.cpu_count() or 1
    process = agent(job(SPIN, "fifo", users))
    _, found = events(process)
    assert "end" in found[-1]
    # Their users, of the same priority, could not end them: the guard has.
    wait_for(lambda: not list(in_session(process.pid)))


def test_the_kernel_may_kill_a_load_that_never_waits(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    code, _ = events(agent(job(f"grep 'realtime timeout' /proc/self/limits >> {seen}", "rr")))
    assert code == 0
    # 300 ms to measure, 1 s to drain, and 10 s; one that refuses the signal has a second more.
    for line in seen.read_text().splitlines():
        assert line.split()[3:5] == ["11300000", "12300000"]


def test_a_load_whose_first_thread_has_gone_ends_with_its_agent(tmp_path: Path) -> None:
    started, program = tmp_path / "started", tmp_path / "first_goes.py"
    # It waits, and ends by itself at last: whatever fails here, nothing keeps a processor.
    program.write_text(
        "import ctypes, os, threading, time\n"
        "threading.Thread(target=time.sleep, args=(100,)).start()\n"
        f"open({str(started)!r}, 'w').write(str(os.getpid()))\n"
        "ctypes.CDLL(None).pthread_exit(None)\n"
    )
    process = agent(job(f"exec {sys.executable} {program}", "rr", measure_s="60s"))
    wait_for(lambda: process.poll() is not None or (started.exists() and started.read_text() != ""))
    if process.poll() is not None:
        events(process)  # it says why there is no fixed priority here
    stat = Path(f"/proc/{started.read_text()}/stat")
    wait_for(lambda: stat.read_text().rpartition(") ")[2].startswith("Z"))
    assert int(started.read_text()) in list(in_session(process.pid))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    wait_for(lambda: not list(in_session(process.pid)))
    assert not (own_group() / f"igen-{process.pid}").exists()


def test_the_machine_comes_back_when_the_agent_is_killed(tmp_path: Path) -> None:
    started = tmp_path / "started"
    # Each has a group of its own, as all programs of users have.
    run = f"echo $$ >> {started}; {SPIN}"
    users = os.cpu_count() or 1
    # Should the guard fail, the kernel ends them after 21 s of processor time each.
    process = agent(job(run, "fifo", users, "10s"))
    wait_for(
        # One more for the trial before the load.
        lambda: (
            process.poll() is not None or (started.exists() and len(started.read_text().split()) == users + 1)
        )
    )
    if process.poll() is not None:
        events(process)  # it says why there is no fixed priority here
    assert len(list(in_session(process.pid))) > users
    process.send_signal(signal.SIGKILL)
    process.communicate()
    wait_for(lambda: not list(in_session(process.pid)))


def test_the_machine_comes_back_from_a_load_that_leaves_its_session(tmp_path: Path) -> None:
    group = own_group()
    escaped, warned = tmp_path / "escaped", tmp_path / "warned"
    # The agent leads the session: the 6th field. The program has left it, as daemons do, before it kills the
    # agent. It never waits: should the guard fail, the kernel warns it after 2 s of processor time, and ends
    # it half a second later.
    spin = f"trap ': > {warned}' XCPU; echo \\$\\$ > {escaped}; kill -KILL $agent; {SPIN}"
    # It is in a group below, as services and containers are.
    below = f"{group}/igen-$agent/below"
    run = (
        f"agent=$(cut -d' ' -f6 /proc/self/stat); mkdir -p {below}/deeper {below}/empty; "
        f"echo $$ > {below}/deeper/cgroup.procs; "
        f'(setsid prlimit --rttime=2000000:2500000 sh -c "{spin}" &) ; sleep 60'
    )
    process = agent(job(run, "fifo", measure_s="60s"))
    _, found = events(process)
    assert not any("end" in event for event in found)
    wait_for(lambda: has_ended(escaped.read_text()))
    assert not warned.exists()
    wait_for(lambda: not list(in_session(process.pid)))
    wait_for(lambda: not (group / f"igen-{process.pid}").exists())


@pytest.mark.parametrize(
    ("placement", "path", "text"),
    [
        ({"scheduling": "deadline"}, "placement.scheduling", "unknown variant `deadline`"),
        ({"thread": {}, "task": {}}, "placement.task", "`task` and `thread` cannot be combined"),
        ({"threads": {}}, "placement.threads", "unknown field `threads`"),
    ],
)
def test_a_placement_that_cannot_be_is_refused(placement: dict[str, Any], path: str, text: str) -> None:
    wrong = {**job("true", "other"), "placement": placement}
    done = subprocess.run(
        [find_agent(), "check"], input=json.dumps(wrong), capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    error = json.loads(done.stdout)["error"]
    assert error["path"] == path
    assert text in error["text"]


def test_without_rights_only_waiting_is_offered() -> None:
    refused = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--reuid=65534", "--clear-groups"]
    words = [*(refused if os.geteuid() == 0 else []), str(find_agent()), "check"]
    done = subprocess.run(
        words, input=json.dumps(job("true", "fifo")), capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        pytest.skip("everybody may have a fixed priority here")
    if "setpriv" in done.stderr:
        pytest.skip(done.stderr)
    error = json.loads(done.stdout)["error"]
    assert error["path"] == "placement.scheduling"
    assert "cannot use the scheduling `fifo`" in error["text"]
    assert "use `batch` or `idle`" in error["hint"]
