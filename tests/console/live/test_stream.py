"""Streams go on where their viewers are, and end when the run or the console does."""

from __future__ import annotations

import asyncio
import socket
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from igen.console.live.hub import Hub
from igen.console.live.levels_done import Ask
from igen.console.live.position import BEGIN, position_of
from igen.console.live.viewer import MOST_WAITING, Message, Viewer
from igen.errors import InputError
from igen.store.active import ActiveRun
from igen.store.run import Run
from tests.console.live.growing import INTERVALS, Reader, grow, job_bytes, new_run
from tests.console.live.watching import PATIENCE_S, events, told

FILES = {number: job_bytes(number) for number in (1, 2)}
EXPECTED = [(1, 0.5 + second) for second in range(INTERVALS)] + [
    (2, 30.5 + second) for second in range(INTERVALS)
]
"""Job and begin of each interval."""


async def all_valid(*_: Any) -> dict[str, Any]:
    """Finds every level valid, at once."""
    return {"verdict": "VALID", "reasons": []}


def watch(store: Path, body: Callable[[Hub], Coroutine[Any, Any, None]], judge: Ask = all_valid) -> None:
    async def all_of_it() -> None:
        hub = Hub(store, judge, poll_s=0.01)
        try:
            async with asyncio.timeout(4 * PATIENCE_S):
                await body(hub)
        finally:
            hub.stop()

    asyncio.run(all_of_it())


def whole(store: Path, outcome: str = "complete") -> Run:
    run = new_run(store)
    for number, data in FILES.items():
        grow(run, number, data)
    run.write_outcome(outcome)  # type: ignore[arg-type]
    return run


@given(cut=st.floats(0, 1), job=st.sampled_from([1, 2]))
@settings(max_examples=15)
def test_history_and_stream_are_all_points_once(cut: float, job: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder)
        run = new_run(store)
        size = int(cut * len(FILES[job]))
        if job == 2:
            grow(run, 1, FILES[1])
        grow(run, job, FILES[job][:size])

        async def body(hub: Hub) -> None:
            with ActiveRun(store, run.id):
                async with hub.tailer(run.id) as tailer:
                    seen = tailer.series(1_000)
                grow(run, job, FILES[job][size:])
                if job == 1:
                    grow(run, 2, FILES[2])
            run.write_outcome("complete")
            streamed = [event async for event in events(hub, {run.id: position_of(seen["next"])})]
            first = list(zip(seen["points"]["job"], seen["points"]["start_s"], strict=True))
            assert first + told(streamed) == EXPECTED

        watch(store, body)


def test_a_stream_goes_on_behind_the_last_event(tmp_path: Path) -> None:
    run = whole(tmp_path)

    async def body(hub: Hub) -> None:
        every = [event async for event in events(hub, {run.id: BEGIN})]
        assert told(every) == EXPECTED
        digests = [event for event in every if "digest" in event.body]
        for event in digests[::5]:
            rest = [each async for each in events(hub, {run.id: position_of(event.id)})]
            assert told(rest) == EXPECTED[digests.index(event) + 1 :]

    watch(tmp_path, body)


def test_a_run_that_is_over_has_its_verdicts_and_ends_the_stream(tmp_path: Path) -> None:
    run = whole(tmp_path)

    async def body(hub: Hub) -> None:
        every = [event async for event in events(hub, {run.id: BEGIN})]
        assert every[-1].body == {"run": run.id, "end": True}
        state = [event.body["state"] for event in every if "state" in event.body][-1]
        assert state["state"] == "complete"
        assert [row["load"] for row in state["rows"]] == ["1 user", "2 users"]
        assert all(row["verdict"] in ("VALID", "SUSPECT", "INVALID") for row in state["rows"])
        assert [round(row["per_s"]) for row in state["rows"]] == [100, 200]

    watch(tmp_path, body, asyncio.to_thread)


@pytest.mark.parametrize("outcome", ["begun", "failed", "interrupted"])
def test_how_a_run_ended_is_said(tmp_path: Path, outcome: str) -> None:
    run = whole(tmp_path, outcome)
    reader = Reader(run)
    reader.read()

    async def body(hub: Hub) -> None:
        every = [event async for event in events(hub, {run.id: BEGIN})]
        state = [event.body["state"]["state"] for event in every if "state" in event.body][-1]
        assert state == {"begun": "cut off"}.get(outcome, outcome)

    watch(tmp_path, body)


def test_a_run_of_another_host_is_unknown_and_one_that_was_deleted_is_over(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "gethostname", lambda: "another")
        run = whole(tmp_path, "begun")

    async def body(hub: Hub) -> None:
        states = []
        async for event in events(hub, {run.id: BEGIN}):
            if "state" in event.body:
                states.append(event.body["state"]["state"])
                if len(states) == 1:
                    for path in [*run.job_paths(), run.folder / "run.json"]:
                        path.unlink()
                    (run.folder / "jobs").rmdir()
                    run.folder.rmdir()
        assert states[0] == "unknown"
        assert states[-1] == "deleted"

    watch(tmp_path, body)


def test_several_runs_in_one_stream(tmp_path: Path) -> None:
    runs = [whole(tmp_path), whole(tmp_path)]

    async def body(hub: Hub) -> None:
        every = [
            event
            async for event in events(hub, dict.fromkeys([run.id for run in runs], BEGIN), is_of_one=False)
        ]
        for run in runs:
            assert told([event for event in every if event.body.get("run") == run.id]) == EXPECTED
        last = [event for event in every if "digest" in event.body][-1]
        assert last.id == ",".join(f"{run.id}@0002:{_last_place(run)}" for run in runs)

    watch(tmp_path, body)


def _last_place(run: Run) -> int:
    return Reader(run).read()[-1].place.offset


def test_all_viewers_of_a_run_share_one_tailer_and_its_bytes(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    grow(run, 1, FILES[1][: len(FILES[1]) // 2])

    async def body(hub: Hub) -> None:
        with ActiveRun(tmp_path, run.id):
            async with hub.viewer([run.id]) as (one, tailers), hub.viewer([run.id]) as (two, others):
                tailer = tailers[run.id]
                assert others[run.id] is tailer
                tailer.attach(one, BEGIN)
                tailer.attach(two, BEGIN)
                grow(run, 1, FILES[1][len(FILES[1]) // 2 :])
                first, second = await one.take(PATIENCE_S), await two.take(PATIENCE_S)
                assert first
                assert all(mine.data is other.data for mine, other in zip(first, second, strict=True))

    watch(tmp_path, body)


def test_a_viewer_that_does_not_keep_up_is_dropped(tmp_path: Path) -> None:
    viewer = Viewer()
    for number in range(MOST_WAITING):
        viewer.put(Message("run", b"%d" % number))
    assert not viewer.is_dropped
    viewer.put(Message("run", b"one too many"))
    assert viewer.is_dropped
    assert asyncio.run(viewer.take(0.0)) == []


def test_streams_end_when_the_console_does(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    grow(run, 1, FILES[1])

    async def body(hub: Hub) -> None:
        with ActiveRun(tmp_path, run.id):
            found = []
            async for event in events(hub, {run.id: BEGIN}):
                found.append(event)
                if len(told(found)) == INTERVALS:
                    hub.stop()
            # Without a last word: the browser comes back when there is a console again.
            assert not any("end" in event.body for event in found)

    watch(tmp_path, body)


@pytest.mark.parametrize("run", ["", ".", "..", "../x", ".active", "a/b", "nobody"])
def test_only_runs_of_the_store_are_watched(tmp_path: Path, run: str) -> None:
    whole(tmp_path)

    async def body(hub: Hub) -> None:
        with pytest.raises(InputError):
            async with hub.tailer(run):
                pass

    watch(tmp_path, body)
