"""What takes memory is there while somebody asks for it, and no longer."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from igen.console.analyst import Analyst
from igen.console.too_much import TookTooLong
from igen.errors import IgenError
from tests.console.endless import PATIENCE_S, match_for_ever, work_for_ever
from tests.console.site import RUN
from tests.golden.recorded_run import unpack

ASKS = """
import asyncio, sys
from igen.console.analyst import Analyst
from tests.console.endless import work_for_ever
asyncio.run(Analyst().ask(work_for_ever, sys.argv[1]))
"""

MATCHES = f"""
import asyncio, sys
from igen.console.analyst import Analyst
from tests.console.endless import tell_and_match_for_ever
asyncio.run(Analyst().ask_within({2 * PATIENCE_S}, tell_and_match_for_ever, sys.argv[1]))
"""

INTERRUPTED = """
import asyncio, os, signal
from contextlib import suppress
from igen.console.analyst import Analyst
from igen.errors import IgenError

async def ask():
    analyst = Analyst()
    asked = asyncio.ensure_future(analyst.ask(os.getpid))
    await asyncio.sleep(0)
    os.killpg(0, signal.SIGINT)
    assert await asked
    analyst.close()
    asked = asyncio.ensure_future(analyst.ask(os.getpid))
    await asyncio.sleep(0)
    analyst.close()
    with suppress(IgenError, asyncio.CancelledError):
        await asked

signal.signal(signal.SIGINT, lambda *_: None)
asyncio.run(ask())
"""

SHOWS = """
import asyncio, sys
from pathlib import Path
import igen.console.serve
from igen.console.analysis import judge_for_catalog, printed_levels, printed_report, printed_result
from igen.console.analyst import Analyst

async def ask(store, run):
    analyst = Analyst()
    for work in (printed_levels, printed_report):
        assert await analyst.ask(work, store, [run])
    result = await analyst.ask(printed_result, store, [run], True)
    assert "<svg" in "".join(section.content for section in result.sections)
    await analyst.ask(judge_for_catalog, store, run)
    analyst.close()

if __name__ == "__main__":
    asyncio.run(ask(Path(sys.argv[1]), sys.argv[2]))
    print(*sys.modules)
"""


def heard(end: int) -> bytes:
    """What comes next; nothing when the process has ended."""
    ready, _, _ = select.select([end], [], [], PATIENCE_S)
    assert ready
    return os.read(end, 10)


def test_it_ends_with_the_console_in_the_midst_of_its_work(pipe: tuple[str, int]) -> None:
    async def ask() -> None:
        analyst = Analyst()
        asked = asyncio.ensure_future(analyst.ask(work_for_ever, pipe[0]))
        assert await asyncio.to_thread(heard, pipe[1]) == b"x"
        analyst.close()
        again = asyncio.ensure_future(analyst.ask(os.getpid))
        assert await asyncio.to_thread(heard, pipe[1]) == b""
        with pytest.raises(IgenError, match="was killed"):
            await asked
        assert await again == await analyst.ask(os.getpid), "the next one was given up with it"
        analyst.close()

    asyncio.run(ask())


def test_all_who_wait_for_it_are_told_that_the_console_ends(pipe: tuple[str, int]) -> None:
    async def ask() -> None:
        analyst = Analyst()
        waiting = [asyncio.ensure_future(analyst.ask(work_for_ever, pipe[0])) for _ in range(5)]
        assert await asyncio.to_thread(heard, pipe[1]) == b"x"
        analyst.end()
        for each in [*waiting, analyst.ask(os.getpid)]:
            with pytest.raises(IgenError, match="the console is shutting down"):
                await each
        assert await asyncio.to_thread(heard, pipe[1]) == b""

    asyncio.run(ask())


def test_what_takes_too_long_is_given_up_though_no_thread_of_it_listens() -> None:
    async def ask() -> None:
        analyst = Analyst()
        process = os.pidfd_open(await analyst.ask(os.getpid))
        try:
            with pytest.raises(TookTooLong, match=r"longer than 1 s"):
                await analyst.ask_within(1.0, match_for_ever)
            ended = await asyncio.to_thread(select.select, [process], [], [], PATIENCE_S)
            assert ended[0], "it is still there"
        finally:
            os.close(process)
        assert await analyst.ask_within(PATIENCE_S, os.getpid)
        assert await analyst.ask(signal.alarm, 0) == 0, "the limit is that of what comes next, too"
        analyst.close()

    asyncio.run(ask())


@pytest.mark.parametrize(
    "script", [pytest.param(ASKS, marks=pytest.mark.slow), MATCHES], ids=["waits", "spins"]
)
def test_it_ends_with_a_console_that_is_killed(pipe: tuple[str, int], script: str) -> None:
    console = subprocess.Popen([sys.executable, "-c", script, pipe[0]])
    try:
        assert heard(pipe[1]) == b"x"
    finally:
        console.kill()
        console.wait(PATIENCE_S)
    assert heard(pipe[1]) == b""


def test_ctrl_c_while_it_begins_is_for_the_console_alone() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        stderr=subprocess.PIPE, text=True, start_new_session=True, check=False,
    )  # fmt: skip
    assert (done.stderr, done.returncode) == ("", 0)


def test_no_signal_is_sent_to_the_number_of_a_process_that_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask() -> None:
        analyst = Analyst()
        process = os.pidfd_open(await analyst.ask(os.getpid))
        try:
            signal.pidfd_send_signal(process, signal.SIGKILL)
            ended = await asyncio.to_thread(select.select, [process], [], [], PATIENCE_S)
            assert ended[0], "it is still there"
        finally:
            os.close(process)
        sent: list[int] = []
        monkeypatch.setattr(os, "kill", lambda to, _: sent.append(to))
        analyst.close()
        assert sent == []

    asyncio.run(ask())


def test_it_ends_when_nobody_asks_and_begins_again() -> None:
    async def ask() -> None:
        analyst = Analyst(rest_s=0.0)
        first = await analyst.ask(os.getpid)
        process = os.pidfd_open(first)
        try:
            ended = await asyncio.to_thread(select.select, [process], [], [], PATIENCE_S)
            assert ended[0], "it is still there"
        finally:
            os.close(process)
        second = await analyst.ask(os.getpid)
        analyst.close()
        assert first != second != os.getpid()

    asyncio.run(ask())


def test_it_stays_for_what_is_asked_soon_after() -> None:
    async def ask() -> None:
        analyst = Analyst()
        pids = {await analyst.ask(os.getpid) for _ in range(3)}
        assert len(pids) == 1
        analyst._rest(1)
        assert await analyst.ask(os.getpid) in pids
        analyst.close()

    asyncio.run(ask())


def test_a_console_loads_no_judge_for_the_answers_of_one(tmp_path: Path) -> None:
    unpack(RUN, tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", SHOWS, str(tmp_path), RUN], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "igen.console.app" in loaded
    assert loaded.isdisjoint(
        {"numpy", "scipy", "vl_convert", "duckdb", "igen.judge.curve.system", "igen.study.runner"}
    )


def test_the_face_of_the_workbench_is_there_when_it_is_asked_for() -> None:
    from igen import workbench
    from igen.workbench import face

    assert workbench.resume is face.resume
    assert all(getattr(workbench, name) for name in workbench.__all__)
