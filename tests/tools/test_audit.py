"""`audit` names what runs, who starts it, who listens, and loses nothing."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tool_said import Tool

from igen.agent_program import find_agent
from tests.own_ports import own_ports
from tests.waiting import wait_for

ROOT = os.geteuid() == 0
needs_root = pytest.mark.skipif(not ROOT, reason="the kernel tells of processes to root only")


def watched(tool: Tool) -> None:
    """Skips where not even root may watch processes: in a container."""
    if "cannot watch processes" in tool("audit", "10ms").err:
        pytest.skip("another namespace of processes")


@needs_root
def test_a_script_that_ran_away_is_named_with_its_parent(tool: Tool) -> None:
    watched(tool)
    loop = subprocess.Popen(["sh", "-c", "while :; do /bin/date; done"], stdout=subprocess.DEVNULL)
    try:
        said = tool("audit", "2s", "--json", "--rows", "1000")
    finally:
        loop.kill()
        loop.wait()
    assert said.code == 1
    assert f"sh (pid {loop.pid}) starts" in said.document["verdict"]["text"]
    assert "mostly date" in said.document["verdict"]["text"]
    (parent,) = [row for row in said.rows("parents") if row["pid"] == loop.pid]
    assert (parent["parent"], parent["most_often"], parent["user"]) == ("sh", "date", "root")
    (date,) = [row for row in said.rows("programs") if row["program"] == "date"]
    # One may be at work at either end; on a busy machine 4 of 2,046 had not been seen to become `date`.
    unnamed = parent["started"] - date["ended"]
    assert -2 <= unnamed <= 2 + 0.01 * parent["started"]
    assert "events lost: 0" in said.document["notes"]


@needs_root
def test_processor_time_of_the_dead_is_found(tool: Tool) -> None:
    watched(tool)
    work = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"
    stop = threading.Event()

    def burn() -> None:
        while not stop.is_set():
            subprocess.run(["sh", "-c", work], check=True)

    burning = threading.Thread(target=burn)
    burning.start()
    try:
        said = tool("audit", "2s", "--json")
    finally:
        stop.set()
        burning.join()
    used = {row["processor_time"]: row["used_s"] for row in said.rows("processor_time")}
    (ended,) = [row for row in said.rows("programs") if row["program"] == "sh"]
    assert ended["processor_s"] > 0
    # The first one had begun before the audit did, and ticks tell of each more or less.
    but_two = 1 - 2 / ended["ended"]
    assert used["explained by processes that have ended"] >= but_two * ended["processor_s"]
    assert used["unaccounted"] <= used["busy"]


THREADS = """
import hashlib, sys, threading, time
def burn():
    while time.thread_time() < 0.3:
        hashlib.pbkdf2_hmac("sha256", b"", b"", 20_000)
threads = [threading.Thread(target=burn) for _ in range(4)]
for each in threads: each.start()
for each in threads: each.join()
print(time.process_time())
"""


@needs_root
def test_a_program_has_used_what_all_its_threads_have(tool: Tool, tmp_path: Path) -> None:
    watched(tool)
    program = tmp_path / "many-threads"
    program.symlink_to(Path(sys.executable).resolve())
    audit = [str(find_agent()), "tool", "audit", "1h", "--rows", "1000"]
    with subprocess.Popen(audit, stdout=subprocess.PIPE, text=True) as auditing:
        until_it_listens(auditing)
        done = subprocess.run([program, "-S", "-c", THREADS], capture_output=True, text=True, check=True)
        out = told_to_end(auditing)
    tables = [json.loads(line)["table"] for line in out.splitlines() if '"table"' in line]
    (programs,) = [table for table in tables if table["name"] == "programs"]
    (told,) = [row for row in programs["rows"] if row["program"] == "many-threads"]
    truth = float(done.stdout)
    assert truth > 1.2, "four threads of 0.3 s each"
    # Each thread lacks what it has used since the last tick, of 1 to 10 ms; the program tells before its end.
    assert told["processor_s"] == pytest.approx(truth, rel=0.1)
    assert told["within_a_second"] == (told["mean_life_s"] < 1)


@needs_root
def test_a_storm_of_processes_explains_the_time_that_nobody_living_has_used(tool: Tool) -> None:
    watched(tool)
    loop = subprocess.Popen(["sh", "-c", "while :; do /bin/true; done"])
    try:
        said = tool("audit", "2s", "--json")
    finally:
        loop.kill()
        loop.wait()
    used = {row["processor_time"]: row["used_s"] for row in said.rows("processor_time")}
    assert used["unaccounted"] > 0
    # What nothing explains would be told where it is more than chance.
    assert "are unexplained" not in said.document["verdict"]["text"]


@needs_root
def test_who_listens_and_who_talks_to_whom(tool: Tool, tmp_path: Path) -> None:
    watched(tool)
    port = own_ports()
    with socket.create_server(("127.0.0.1", port)) as server, socket.create_connection(("127.0.0.1", port)):
        accepted, _ = server.accept()
        with accepted, socket.socket(socket.AF_UNIX) as local:
            local.bind(str(tmp_path / "local.sock"))
            local.listen()
            said = tool("audit", "10ms", "--json")
    own = Path("/proc/self/comm").read_text().strip()
    listening = [(row.get("process"), row["address"], row.get("port")) for row in said.rows("listening")]
    assert (own, "127.0.0.1", port) in listening
    assert (own, str(tmp_path / "local.sock"), None) in listening
    (stream,) = [row for row in said.rows("streams") if row["port"] == port]
    assert (stream["from"], stream["to"], stream["connections"]) == (own, own, 1)


def test_in_no_time_nothing_is_seen(tool: Tool) -> None:
    for words in (["audit", "0s"], ["ripc", "0s"], ["pfp", "0s", "--pid", str(os.getpid())]):
        said = tool(*words)
        assert said.code == 2
        assert "DURATION: not a valid time" in said.err


@needs_root
def test_a_name_with_a_line_feed_is_one_row(tool: Tool, tmp_path: Path) -> None:
    watched(tool)
    program = tmp_path / "a\ngood: b"
    program.write_bytes(Path("/bin/true").read_bytes())
    program.chmod(0o755)
    loop = subprocess.Popen(["sh", "-c", 'while :; do "$0"; done', program])
    try:
        said = tool("audit", "500ms")
    finally:
        loop.kill()
        loop.wait()
    assert r"a\ngood: b" in said.out
    assert not any(line.startswith("good: b") for line in said.out.splitlines())


def caught(pid: int) -> int:
    """The signals for which a process has a handler, a bit for each."""
    text = Path(f"/proc/{pid}/status").read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("SigCgt:")]
    return int(line.split()[1], 16)


def until_it_listens(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> None:
    """Until the tool hears a signal: before, it would end without a word."""
    while not caught(process.pid) & 1 << signal.SIGINT - 1:
        assert process.poll() is None


def told_to_end(process: subprocess.Popen[str]) -> str:
    """What it printed. A signal that comes when its handler is there and does nothing yet is lost."""
    for _ in range(6):
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=10)[0]
    raise AssertionError("it does not end")


@needs_root
def test_it_ends_with_what_it_has_seen_when_it_is_told(tool: Tool) -> None:
    watched(tool)
    process = subprocess.Popen([find_agent(), "tool", "audit", "1h"], stdout=subprocess.PIPE, text=True)
    with process:
        until_it_listens(process)
        out = told_to_end(process)
    assert process.returncode in {0, 1}
    assert '"verdict"' in out


def netlink_sockets(pid: int) -> set[str]:
    """The sockets by which a process hears of others, by number."""
    links = [os.readlink(file) for file in Path(f"/proc/{pid}/fd").iterdir()]
    own = {link.removeprefix("socket:[").rstrip("]") for link in links if link.startswith("socket:[")}
    return own & all_netlink_sockets()


def all_netlink_sockets() -> set[str]:
    return {line.split()[-1] for line in Path("/proc/net/netlink").read_text().splitlines()}


@needs_root
def test_nobody_listens_any_more_when_it_is_killed(tool: Tool) -> None:
    watched(tool)
    with subprocess.Popen([find_agent(), "tool", "audit", "1h"], stdout=subprocess.DEVNULL) as process:
        until_it_listens(process)
        opened = wait_for(lambda: netlink_sockets(process.pid))
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert not opened & all_netlink_sockets()


def test_without_rights_it_says_what_it_cannot_see() -> None:
    agent = [str(find_agent()), "tool", "audit", "10ms"]
    command = ["unshare", "--user", "--map-root-user", "--pid", "--fork", *agent] if ROOT else agent
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "unshare" in done.stderr:
        pytest.skip(done.stderr)
    if done.returncode == 2:
        assert "cannot watch processes" in done.stdout
        assert "run it as root and outside of containers" in done.stdout
    else:
        # Since Linux 6.6 the events are for everybody; the records are for root.
        assert "cannot read records of ended tasks" in done.stdout


def test_a_time_is_needed(tool: Tool) -> None:
    assert "Missing argument 'DURATION'" in tool("audit").err
    assert tool("audit", "soon").code == 2


def test_what_a_user_cannot_know_is_not_told_as_nothing() -> None:
    if os.geteuid() != 0:
        pytest.skip("root only tries it as another user")
    words = ["setpriv", "--reuid=65534", "--clear-groups", str(find_agent()), "tool", "audit", "100ms"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if "setpriv" in done.stderr or "Permission denied" in done.stderr:
        pytest.skip(done.stderr)
    said = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode == 2:
        assert "run it as root" in said[-1]["error"]["hint"]  # before Linux 6.6
        return
    verdict = said[-1]["verdict"]
    assert "records" not in verdict["method"]
    assert "short-lived" not in verdict["text"]
    tables = {line["table"]["name"] for line in said if "table" in line}
    assert "events" in tables
    assert not tables & {"programs", "lives"}
