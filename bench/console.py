"""What the console costs while it shows runs: 200 viewers, a run of ten hours, a store of 12,000 runs."""

from __future__ import annotations

import asyncio
import http.client
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlencode

from bench.console_run import READINGS, GrowingRun, many_runs
from bench.console_viewers import Viewer, view
from bench.outcome import Goal, Outcome
from igen.store.active import ActiveRun
from tests.golden.recorded_run import unpack
from tests.own_ports import own_ports

VIEWERS = 200
HOUR_S = 3_600
PAGES = 20
MIB = 1 << 20
PATIENCE_S = 60.0
AFTER_MIB = 60
RECORDED = ("oltp-postgresql", "oltp-sqlite", "cpu", "http", "ldap-search", "bank-mariadb", "web")

NOTES = [
    f"Viewers: {VIEWERS} streams of one run that grows by a snapshot with 3 operations and {READINGS} "
    "readings a second; one process beside the console reads them. Delay: from the write to the file to the "
    "arrival; the console looks every 200 ms.",
    "Hours at 1,000 x: the same lines so much faster. None is lost where the transactions of all digests, of "
    "which some stand for several intervals then, are those of the file.",
    "Memory is what is resident of the console and of its process for analysis together.",
    f"Results: the pages of {len(RECORDED)} recorded runs one after the other, 4 charts each. What "
    "judges and draws them has most of the memory, and ends when nobody has asked for 10 s.",
]


def measure(*, quick: bool) -> Outcome:
    """Idle, watched by many, a long run, a large store."""
    outcome = Outcome("console", ("cpu", "memory", "delay"), notes=NOTES)
    with tempfile.TemporaryDirectory(prefix="igen-bench-console-") as folder:
        store = Path(folder) / "runs"
        store.mkdir()
        with _console(store) as console:
            _idle(outcome, console, 5 if quick else 60)
            asyncio.run(_many_viewers(outcome, console, 10 if quick else 120))
            asyncio.run(_long_run(outcome, console, (1 if quick else 10) * HOUR_S))
        large = Path(folder) / "large"
        large.mkdir()
        many_runs(large, 1_200 if quick else 12_000)
        with _console(large) as console:
            _first_page(outcome, console, 1_200 if quick else 12_000)
        results = Path(folder) / "results"
        for name in RECORDED:
            unpack(name, results)
        with _console(results) as console:
            _drawn(outcome, console)
    return outcome


class _Console:
    """A console in a process of its own, and what it has used."""

    def __init__(self, process: subprocess.Popen[bytes], store: Path, port: int, token: str) -> None:
        self.process, self.store, self.port = process, store, port
        answer = self.ask("POST", "/login", urlencode({"code": token, "next": "/"}))
        self.cookie = str(answer.getheader("Set-Cookie")).split(";")[0]

    def ask(self, method: str, path: str, body: str | None = None) -> http.client.HTTPResponse:
        """The answer, read whole."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        headers = {"Cookie": self.cookie} if body is None else {}
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        self.body = answer.read()
        return answer

    def cpu_s(self) -> float:
        """Processor time so far, without that of the process for analysis."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self) -> int:
        """Memory of it and of the processes that it has started."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        pids = [str(self.process.pid), *children.read_text(encoding="ascii").split()]
        return sum(_resident_bytes(pid) for pid in pids)


def _resident_bytes(pid: str) -> int:
    """Proportional set size: what processes share is counted once. 0 of one that has ended meanwhile."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        return 0
    sizes = (int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
    return 1024 * next(sizes, 0)


@contextmanager
def _console(store: Path) -> Iterator[_Console]:
    port, token = own_ports(), secrets.token_urlsafe(24)
    command = [
        sys.executable,
        "-m",
        "igen.cli",
        "console",
        "--no-open",
        "--port",
        str(port),
        "--store",
        str(store),
    ]
    own = {"IGEN_CONSOLE_TOKEN": token, "XDG_STATE_HOME": str(store.parent / "state")}
    # What it prints has links in it that let others in.
    process = subprocess.Popen(command, env={**os.environ, **own}, stdout=subprocess.DEVNULL)
    try:
        yield _begun(process, store, port, token)
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def _begun(process: subprocess.Popen[bytes], store: Path, port: int, token: str) -> _Console:
    give_up_s = time.monotonic() + PATIENCE_S
    while True:
        try:
            return _Console(process, store, port, token)
        except ConnectionRefusedError as error:
            if process.poll() is not None or time.monotonic() > give_up_s:
                raise RuntimeError("the console did not begin") from error
            time.sleep(0.05)


def _idle(outcome: Outcome, console: _Console, seconds: float) -> None:
    before_s = console.cpu_s()
    time.sleep(seconds)
    percent = 100 * (console.cpu_s() - before_s) / seconds
    memory = console.resident_bytes() / MIB
    outcome.add("nobody looks", cpu=f"{percent:.2f} %", memory=f"{memory:.0f} MiB")
    outcome.goals["idle, percent of a processor"] = Goal(percent, "<= 0.1")


async def _many_viewers(outcome: Outcome, console: _Console, seconds: int) -> None:
    growing = GrowingRun(console.store, seconds)
    viewers = [Viewer() for _ in range(VIEWERS)]
    written_s: dict[float, float] = {}
    with ActiveRun(console.store, growing.run.id):
        path = f"/runs/{growing.run.id}/events"
        growing.grow(1)
        tasks = [asyncio.create_task(view(each, console.port, console.cookie, path)) for each in viewers]
        while not all(viewer.came_s for viewer in viewers):
            await asyncio.sleep(0.05)
        before_s, begin_s = console.cpu_s(), time.monotonic()
        for _ in range(seconds):
            await asyncio.sleep(max(0.0, begin_s + growing.written - time.monotonic()))
            written_s[float(growing.written)] = time.monotonic()
            growing.grow(1)
        await asyncio.sleep(1.0)
        percent = 100 * (console.cpu_s() - before_s) / (time.monotonic() - begin_s)
        memory = console.resident_bytes() / MIB
        growing.close()
    await _over(tasks)
    late = [
        viewer.came_s[at] - when
        for viewer in viewers
        for at, when in written_s.items()
        if at in viewer.came_s
    ]
    lost = VIEWERS * len(written_s) - len(late)
    cuts = statistics.quantiles(late, n=100)
    delay = f"p50 {1e3 * cuts[49]:.0f} ms, p99 {1e3 * cuts[98]:.0f} ms"
    outcome.add(f"{VIEWERS} viewers", cpu=f"{percent:.2f} %", memory=f"{memory:.0f} MiB", delay=delay)
    outcome.goals[f"{VIEWERS} viewers, percent of a processor"] = Goal(percent, "<= 5")
    outcome.goals[f"{VIEWERS} viewers, digests lost"] = Goal(lost, "<= 0")


async def _long_run(outcome: Outcome, console: _Console, seconds: int) -> None:
    growing = GrowingRun(console.store, seconds)
    viewer, memory = Viewer(), []
    with ActiveRun(console.store, growing.run.id):
        task = asyncio.create_task(
            view(viewer, console.port, console.cookie, f"/runs/{growing.run.id}/events")
        )
        before_s, begin_s = console.cpu_s(), time.monotonic()
        while growing.written < seconds:
            growing.grow(100)
            memory.append(console.resident_bytes() / MIB)
            await asyncio.sleep(max(0.0, begin_s + growing.written / 1_000 - time.monotonic()))
        growing.close()
    await _over([task])
    ms_each = 1e3 * (console.cpu_s() - before_s) / seconds
    hours = seconds // HOUR_S
    grown = memory[-1] - memory[len(memory) // 2]
    outcome.add(
        f"{hours} h at 1,000 x", cpu=f"{ms_each:.2f} ms a second of the run", memory=f"{memory[-1]:.0f} MiB"
    )
    outcome.goals[f"{hours} h, transactions lost"] = Goal(abs(500 * seconds - viewer.transactions), "<= 0")
    outcome.goals["memory with the process for analysis, MiB"] = Goal(max(memory), "<= 120")
    outcome.goals[f"{hours} h, MiB more in the second half"] = Goal(grown, "<= 8")
    begin_s = time.monotonic()
    console.ask("GET", f"/runs/{growing.run.id}/series?points=1000")
    outcome.add(
        f"points of {hours} h, {len(console.body) / 1e3:.0f} kB", delay=f"{time.monotonic() - begin_s:.2f} s"
    )


async def _over(tasks: list[asyncio.Task[None]]) -> None:
    _, open_ones = await asyncio.wait(tasks, timeout=PATIENCE_S)
    for task in open_ones:
        task.cancel()
    if open_ones:
        raise RuntimeError(f"{len(open_ones)} streams have not ended with their run")


def _first_page(outcome: Outcome, console: _Console, runs: int) -> None:
    begin_s = time.monotonic()
    console.ask("GET", "/")
    outcome.add(f"first list of {runs:,} runs", delay=f"{time.monotonic() - begin_s:.2f} s")
    taken_ms = []
    for _ in range(PAGES):
        begin_s = time.monotonic()
        console.ask("GET", "/")
        taken_ms.append(1e3 * (time.monotonic() - begin_s))
    median_ms = statistics.median(taken_ms)
    what = f"list of {runs:,} runs, {len(console.body) / 1e3:.0f} kB"
    outcome.add(what, delay=f"{median_ms:.0f} ms", memory=f"{console.resident_bytes() / MIB:.0f} MiB")
    outcome.goals[f"list of {runs:,} runs, ms"] = Goal(median_ms, "<= 300")
    outcome.goals["HTML of the list, kB"] = Goal(len(console.body) / 1e3, "<= 60")


def _drawn(outcome: Outcome, console: _Console) -> None:
    taken_s = []
    for name in RECORDED:
        begin_s = time.monotonic()
        if console.ask("GET", f"/runs/{name}").status != HTTPStatus.OK:
            raise RuntimeError(f"no result of {name}")
        taken_s.append(time.monotonic() - begin_s)
    most = console.resident_bytes() / MIB
    delay = f"first {taken_s[0]:.2f} s, median {statistics.median(taken_s):.2f} s"
    outcome.add(f"{len(RECORDED)} results", memory=f"{most:.0f} MiB", delay=delay)
    outcome.goals["memory with the process for analysis as it draws, MiB"] = Goal(most, "<= 120")
    give_up_s = time.monotonic() + PATIENCE_S
    while (left := console.resident_bytes() / MIB) > AFTER_MIB and time.monotonic() < give_up_s:
        time.sleep(0.5)
    outcome.add("after them", memory=f"{left:.0f} MiB")
    outcome.goals["memory after it has drawn, MiB"] = Goal(left, f"<= {AFTER_MIB}")
