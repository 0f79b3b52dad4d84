"""The process for what takes time ends when nobody asks, and is there again for whoever does."""

from __future__ import annotations

import asyncio
import os
import select

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
