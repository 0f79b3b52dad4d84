"""What takes memory is there while somebody asks for it, and no longer."""

from __future__ import annotations

import asyncio
import os
import select
import subprocess
import sys

from igen.console.analyst import Analyst

PATIENCE_S = 300.0


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


def test_a_console_that_nobody_asks_has_loaded_no_judge() -> None:
    code = "import igen.console.serve, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "igen.console.app" in loaded
    assert loaded.isdisjoint(
        {"numpy", "scipy", "vl_convert", "duckdb", "igen.judge.analyse", "igen.study.runner"}
    )


def test_the_face_of_the_workbench_is_there_when_it_is_asked_for() -> None:
    from igen import workbench
    from igen.workbench import face

    assert workbench.resume is face.resume
    assert all(getattr(workbench, name) for name in workbench.__all__)
